"""Functions from a corpus to values."""
