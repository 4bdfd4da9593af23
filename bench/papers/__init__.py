"""The experiments of the papers, run again: one package a paper, one module a table or figure."""
