"""The benchmarks: `speed`, `papers` (one package a paper) and what they share. README.md has a list."""
