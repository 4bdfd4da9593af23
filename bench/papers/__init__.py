"""The experiments of the papers, run again: one module a table or figure, on cells that all share."""
