"""How fast it is: one module per question, each with its report in ``bench/results/speed``."""
