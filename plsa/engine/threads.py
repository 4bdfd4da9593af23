"""How many threads to use: the one place that decides."""

import os

import joblib  # scikit-learn brings it

import plsa._kernels as _kernels

# Below this many multiplications, a few milliseconds, threads save little and wait long on a busy machine.
_MIN_WORK = 20_000_000

# Below this many, about a millisecond, they only wait for each other, asked for or not. (Tests set it to 0.)
SMALL_WORK = 1_000_000

_MAX_THREADS = 64  # more would take memory and give nothing: a pass is bound by memory

_forked = False


def _after_fork() -> None:
    # GNU OpenMP's threads do not survive a fork: using them in the child would wait forever.
    global _forked
    _forked = True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def built_with() -> str:
    """The instruction set in use and whether there are threads, in words."""
    openmp = f"OpenMP, {available_threads()} threads" if _kernels.OPENMP else "no OpenMP, 1 thread"
    return f"instruction set {_kernels.current_level()}, {openmp}"


def available_threads() -> int:
    """The processors this process may use: its affinity, its container's quota, `OMP_NUM_THREADS`."""
    count = int(joblib.cpu_count())
    asked = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return min(count, int(asked)) if asked.isdigit() and int(asked) > 0 else count


def effective_threads(n_threads: int | None, work: int | None = None) -> int:
    """The number of threads to use where `n_threads` was asked for; -1: all, -2: all but one.

    None: all, or one for a small job, `work` being the number of multiplications. A tiny one has one thread
    whatever is asked for.
    """
    if not _kernels.OPENMP or _forked:
        return 1
    if n_threads is None:
        return 1 if work is not None and work < _MIN_WORK else available_threads()
    if work is not None and work < SMALL_WORK:
        return 1
    if n_threads < 0:
        return max(1, available_threads() + 1 + n_threads)
    return min(int(n_threads), _MAX_THREADS)
