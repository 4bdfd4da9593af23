"""What the benchmarks share: cells, corpora, splits, numbers, reports and pictures."""
