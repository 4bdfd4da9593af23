"""Model files: one file, no pickle; every byte is checked before it is believed."""
