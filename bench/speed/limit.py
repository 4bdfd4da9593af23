"""The limit of an EM pass: how long it takes to move the same bytes and do nothing with them.

`limit.c` says what is moved. It is compiled when it is wanted, for the machine at hand (``cc -O3
-march=native``), into a folder that is gone afterwards. There are two variants, plain and with a
software prefetch sixteen nonzeros ahead; the faster of the two is the limit.
"""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from pathlib import Path

import numpy as np

VARIANTS = ("plain", "fetching")
SOURCE = Path(__file__).with_name("limit.c")


class NoCompilerError(RuntimeError):
    """The limit cannot be built here."""


class Limit:
    """The bare loop over one corpus's nonzeros, for rows of one width.

    `word` (nonzeros) are the words in the order of the pass; `word_topic` (words, floats a row) is
    read, and stays as it is.
    """

    def __init__(self, word: np.ndarray, word_topic: np.ndarray) -> None:
        if word_topic.dtype != np.float32 or not word_topic.flags.c_contiguous:
            raise ValueError("the limit moves contiguous rows of float32")
        self._library = _build(word_topic.shape[1])
        self._word = np.ascontiguousarray(word, dtype=np.int32)
        if len(word) and not 0 <= word.min() <= word.max() < len(word_topic):
            raise ValueError(f"words must be within 0..{len(word_topic) - 1}")
        self._from = word_topic
        # Aligned as the other: a row that straddles a cache line would move one more.
        room = np.zeros(word_topic.size + 16, dtype=np.float32)
        skip = (word_topic.ctypes.data - room.ctypes.data) % 64 // 4
        self._to = room[skip : skip + word_topic.size].reshape(word_topic.shape)

    def advance(self, variant: str) -> None:
        """One pass of the variant over the nonzeros."""
        float_pointer = ctypes.POINTER(ctypes.c_float)
        getattr(self._library, f"plsa_limit_{variant}")(
            ctypes.c_int64(len(self._word)),
            self._word.ctypes.data_as(ctypes.POINTER(ctypes.c_int32)),
            self._from.ctypes.data_as(float_pointer),
            self._to.ctypes.data_as(float_pointer),
        )

    def moved(self) -> np.ndarray:
        """What all passes so far have added up: (times each word was met) * its row, each pass."""
        return self._to


def _build(row: int) -> ctypes.CDLL:
    # The library stays usable after its file is gone: the system keeps what is mapped.
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "limit.so")
        complaint = ""
        for native in (["-march=native"], ["-mcpu=native"], []):
            command = ["cc", "-O3", *native, "-shared", "-fPIC", f"-DROW={row}"]
            try:
                done = subprocess.run(
                    [*command, "-o", str(target), str(SOURCE)], capture_output=True, text=True
                )
            except OSError as error:
                raise NoCompilerError(f"no C compiler: install one that is called cc ({error})") from None
            if done.returncode == 0:
                return ctypes.CDLL(str(target))
            complaint = complaint or done.stderr.strip()
    raise NoCompilerError(f"cc does not compile {SOURCE.name}: {complaint}")
