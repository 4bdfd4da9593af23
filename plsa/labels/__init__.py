"""What a label is and what it allows."""
