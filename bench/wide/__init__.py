"""The wide protocol: the defaults on corpora of many kinds, beside simple rivals."""
