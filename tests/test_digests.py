"""The bits of the kernels: those of every processor, subnormal numbers being zero while a kernel runs."""

from pathlib import Path

import digests
import numpy as np
import pytest

from plsa import _kernels

LEVELS = pytest.mark.parametrize("level", _kernels.runnable_levels())
THREADS = pytest.mark.parametrize("n_threads", digests.THREADS)
REALS = pytest.mark.parametrize("real", [np.float32, np.float64], ids=lambda real: np.dtype(real).name)
# The others read numbers as they are: they add up in float64, or are not repeated.
FLUSHING = pytest.mark.parametrize(
    "kernel",
    [
        digests.expect,
        digests.fold,
        digests.document_sums,
        digests.word_sums,
        digests.normalize_rows,
        digests.normalize_columns,
        digests.leap,
    ],
    ids=lambda kernel: kernel.__name__,
)


@LEVELS
def test_the_bits_are_those_of_every_processor(level):
    """For every kernel, with any number of threads and either type of indices."""
    _kernels.use_level(level)
    recorded = Path(digests.__file__).with_suffix(".txt").read_text().splitlines()
    assert list(digests.lines()) == recorded


def subnormal(array):
    """Where an array holds subnormal numbers."""
    return (array != 0) & (np.abs(array) < np.finfo(array.dtype).tiny)


def vanishing(real, *, without=False):
    """Numbers down to the smallest, `without` subnormal ones: zeros instead.

    Weights and what stands for a document of nothing are ordinary: they are copied, and counted in float64.
    """
    problem, ordinary = (digests.Problem(real, 13, vanishing) for vanishing in (True, False))
    problem.weight, problem.fallback = ordinary.weight, ordinary.fallback
    arrays = problem.gate, problem.prior, problem.doc_topic, problem.word_topic, *problem.moves
    assert all(subnormal(array).any() for array in arrays[2:]), "the first are short"
    for array in arrays if without else ():
        array[subnormal(array)] = 0
    return problem


@LEVELS
@THREADS
@REALS
@FLUSHING
def test_subnormal_numbers_count_as_zeros_where_they_come_in(kernel, real, n_threads, level):
    """To the last bit: not one of them is multiplied up into a number."""
    _kernels.use_level(level)
    given, zeros = (kernel(vanishing(real, without=each), np.int32, n_threads) for each in (False, True))
    for found, wanted in zip(given, zeros, strict=True):
        assert found.tobytes() == wanted.tobytes()


@LEVELS
@THREADS
@REALS
@FLUSHING
def test_no_subnormal_number_comes_out(kernel, real, n_threads, level):
    """Products too small for a normal number are zero; and there are some."""
    _kernels.use_level(level)
    for found in kernel(vanishing(real), np.int32, n_threads):
        if found.dtype == real:
            assert not subnormal(found).any()


@THREADS
@REALS
@FLUSHING
def test_numbers_are_subnormal_again_after_a_kernel(kernel, real, n_threads):
    """What the caller computes is as it was: the mode of the processor is set back."""
    tiny = np.full(100, np.finfo(real).tiny)
    kernel(vanishing(real), np.int32, n_threads)
    assert (tiny / 4 > 0).all()
    assert ((tiny / 4) * 4 == tiny).all()
