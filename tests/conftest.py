"""Profiles of hypothesis, and what must be as it was after every test.

The default profile always draws the same examples; HYPOTHESIS_PROFILE=thorough draws more, and
other, ones each time.
"""

import os
import signal
import threading

import pytest
from hypothesis import HealthCheck, settings

from plsa import _kernels
from plsa.engine import blocks, threads

# Small corpora are worked on by as many threads as a test asks for.
threads.SMALL_WORK = 0

# No deadline: the first call may compile the kernels, and a machine may be busy.
_slow = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile(
    "default", deadline=None, derandomize=True, max_examples=40, suppress_health_check=_slow
)
settings.register_profile(
    "thorough", deadline=None, max_examples=1000, suppress_health_check=_slow, print_blob=True
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture(autouse=True)
def instruction_set():
    """The instruction set in use, which a test may change for itself alone."""
    before = _kernels.current_level()
    yield before
    _kernels.use_level(before)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Blocks so small that ordinary test data has several: what is lost at a border is missed."""
    for name, size in (("NONZEROS", 128), ("TOTALS", 64), ("PAIRS", 256), ("DOCUMENTS", 32), ("WORDS", 64)):
        monkeypatch.setattr(blocks, name, size)


# What a shell starts in the background may ignore Ctrl-C: the tests of it, and their children, must not.
if (
    threading.current_thread() is threading.main_thread()
    and signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):
    signal.signal(signal.SIGINT, signal.default_int_handler)
