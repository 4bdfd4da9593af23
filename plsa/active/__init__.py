"""Which document to label next."""
