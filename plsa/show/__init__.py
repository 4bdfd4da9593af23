"""Words, tables, pictures."""

from plsa.show import plots as plots
