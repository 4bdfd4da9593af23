"""How much is looked at, or worked on, at a time: memory, and how soon Ctrl-C is heard, depend on it.

Nothing else does, but for the rounding of sums. Tests make all of them small.
"""

NONZEROS = 1 << 20  # checked, or folded in, with one call
TOTALS = 1 << 18  # nonzeros whose words are added up; where there are more words, as many as these
PAIRS = 1 << 20  # numbers in a block of linked pairs
DOCUMENTS = 1024  # whose posteriors are worked out together: they stay in cache
WORDS = 8192  # for which noise is drawn
