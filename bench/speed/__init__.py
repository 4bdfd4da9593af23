"""How fast it is: one module a question, each with its report in ``bench/results/speed``."""
