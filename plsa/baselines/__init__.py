"""Other people's methods."""
