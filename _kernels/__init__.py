"""What is compiled: the kernels, how they were built, and which instruction set they use.

`PLSA_INSTRUCTION_SET` in the environment chooses one of `runnable_levels()` at import; every one of them
gives the same bits.
"""

import os

from plsa._kernels._em import (
    CHECKED,
    LEVEL_NAMES,
    OPENMP,
    ROW_BYTES,
    Corpus,
    current_level,
    expect,
    fold,
    leap,
    normalise_columns,
    normalise_rows,
    runnable_levels,
    sum_logs,
    sum_moves,
    use_level,
)

__all__ = [
    "CHECKED",
    "LEVEL_NAMES",
    "OPENMP",
    "ROW_BYTES",
    "Corpus",
    "current_level",
    "expect",
    "fold",
    "leap",
    "normalise_columns",
    "normalise_rows",
    "runnable_levels",
    "sum_logs",
    "sum_moves",
    "use_level",
]

if os.environ.get("PLSA_INSTRUCTION_SET"):
    use_level(os.environ["PLSA_INSTRUCTION_SET"])
