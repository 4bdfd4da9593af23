"""Krithara, Amini, Goutte and Renders (2011), *Learning Aspect Models with Partially Labeled Data*.

Its experiments, which are also those of chapter 6 of Krithara's thesis, run again. `protocol` is the main
table, `table2`, `table3`, `table4`, `figures` and `components` are the papers' own, and `calibration` is one
more. All of them share the cells that `fits` measures.
"""
