"""Folds, comparisons, choices."""
