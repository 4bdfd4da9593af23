"""How many threads are used: what was asked for, what there is, and what pays."""

import pytest
from helpers import needs_threads

from plsa.engine import threads
from plsa.engine.threads import available_threads, effective_threads


@pytest.fixture
def eight(monkeypatch):
    """A machine with eight processors, whatever this one has."""
    monkeypatch.setattr(threads.joblib, "cpu_count", lambda: 8)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)


@needs_threads
@pytest.mark.parametrize(
    ("asked", "wanted"),
    [(1, 1), (3, 3), (8, 8), (20, 20), (10**6, 64), (-1, 8), (-2, 7), (-8, 1), (-9, 1), (-100, 1)],
)
def test_threads_that_were_asked_for(eight, asked, wanted):
    """So many; from the end: -1 is all of them."""
    assert effective_threads(asked) == wanted
    assert effective_threads(asked, work=1) == wanted, "who asks knows"


@needs_threads
def test_threads_that_nobody_asked_for(eight):
    """All, but one for what is done sooner than they are woken."""
    assert effective_threads(None) == 8
    assert effective_threads(None, work=threads._MIN_WORK) == 8
    assert effective_threads(None, work=threads._MIN_WORK - 1) == 1


@pytest.mark.parametrize(
    ("wish", "wanted"),
    [("3", 3), (" 2 ", 2), ("4,2", 4), ("99", 8), ("0", 8), ("-1", 8), ("all", 8), ("", 8)],
)
def test_the_environment_may_ask_for_fewer(eight, monkeypatch, wish, wanted):
    """As OpenMP reads it; not for more than there are."""
    monkeypatch.setenv("OMP_NUM_THREADS", wish)
    assert available_threads() == wanted


def test_one_where_threads_would_hang_or_there_are_none(eight, monkeypatch):
    """After a fork, and without OpenMP."""
    for where, name, value in ((threads, "_forked", True), (threads._kernels, "OPENMP", False)):
        with monkeypatch.context() as patch:
            patch.setattr(where, name, value)
            assert effective_threads(4) == effective_threads(-1) == effective_threads(None) == 1
