"""Words, tables, pictures."""
