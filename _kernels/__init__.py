"""What is compiled: the kernels, how they were built, and which instruction set they use.

`PLSA_INSTRUCTION_SET` in the environment chooses one of `runnable_levels()` at import; every one of them
gives the same bits.
"""

import os

# GNU OpenMP reads this once, when it is loaded: a thread that waits sleeps after some ten microseconds. By
# default it spins for long, and where other processes want the processors too, a pass takes forty times as
# long. A wish of the user's comes first, and the environment is left as it was.
_wished = any(name in os.environ for name in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY"))
if not _wished:
    os.environ["GOMP_SPINCOUNT"] = "10000"
try:
    from plsa._kernels._em import (
        CHECKED,
        LEVEL_NAMES,
        OPENMP,
        ROW_BYTES,
        Corpus,
        column_products,
        combine,
        current_level,
        divide,
        document_sums,
        expect,
        fold,
        hinge_losses,
        hinge_slopes,
        leap,
        normalize_columns,
        normalize_rows,
        runnable_levels,
        sum_logs,
        sum_moves,
        unit_rows,
        use_level,
        word_sums,
    )
finally:
    if not _wished:
        del os.environ["GOMP_SPINCOUNT"]

__all__ = [
    "CHECKED",
    "LEVEL_NAMES",
    "OPENMP",
    "ROW_BYTES",
    "Corpus",
    "column_products",
    "combine",
    "current_level",
    "divide",
    "document_sums",
    "expect",
    "fold",
    "hinge_losses",
    "hinge_slopes",
    "leap",
    "normalize_columns",
    "normalize_rows",
    "runnable_levels",
    "sum_logs",
    "sum_moves",
    "unit_rows",
    "use_level",
    "word_sums",
]

if os.environ.get("PLSA_INSTRUCTION_SET"):
    try:
        use_level(os.environ["PLSA_INSTRUCTION_SET"])
    except ValueError as error:
        raise ValueError(f"PLSA_INSTRUCTION_SET in the environment: {error}") from None
