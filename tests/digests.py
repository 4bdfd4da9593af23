"""One digest of what each kernel writes, for some shapes, types and values: the same on every processor.

`python tests/digests.py` prints them, for the instruction set in use. tests/digests.txt holds what is
printed everywhere; where the kernels are meant to give other bits, it is written anew.

What goes in is made of whole numbers, quotients and powers of two alone: those are the same everywhere too.
"""

from collections.abc import Iterator
from hashlib import blake2b
from itertools import product

import numpy as np

from plsa import _kernels
from plsa.engine.parameters import padded

N_DOCUMENTS, N_WORDS, N_STATES = 150, 300, 3  # more than two blocks of documents, and a long document
N_ROWS = 2100  # more than a block of words
THREADS = (1, 3)
INDICES = (np.int32, np.int64)
SMALLEST_POWER = {np.dtype(np.float32): 149, np.dtype(np.float64): 1074}


class Problem:
    """What the kernels are given: numbers between 0 and 1, or such that vanish, times powers of two.

    Of those some are subnormal themselves, and many have products that are.
    """

    def __init__(self, real: type, n_topics: int, vanishing: bool) -> None:
        self.rng = np.random.RandomState(n_topics)
        self.real, self.n_topics, self.vanishing = np.dtype(real), n_topics, vanishing
        lengths = self.rng.randint(0, 20, N_DOCUMENTS)
        lengths[[7, 70]] = 261, 0
        words = [np.sort(self.rng.permutation(N_WORDS)[:length]) for length in lengths]
        self.offset = np.concatenate([[0], np.cumsum(lengths)])
        self.word = np.concatenate(words)
        reach = SMALLEST_POWER[self.real] // 4 if vanishing else 0  # large ones bring subnormal numbers back
        power = self.rng.randint(-reach, reach + 1, len(self.word))
        self.count = np.ldexp(self.rng.randint(1, 9, len(self.word)).astype(real), power)
        self.weight = self.row(N_DOCUMENTS)
        self.state = self.rng.randint(0, N_STATES, N_DOCUMENTS).astype(np.int32)
        self.gate, self.prior, self.fallback = (self.rows(N_STATES) for _ in range(3))
        self.doc_topic, self.word_topic = self.rows(N_DOCUMENTS), self.rows(N_WORDS)
        self.moves = [self.rows(N_ROWS) for _ in range(3)]

    def row(self, *shape: int) -> np.ndarray:
        """Numbers above 0; one in ten is zero."""
        numbers = self.rng.randint(0, 10, shape).astype(bool) * (1 + self.rng.randint(0, 1000, shape)) / 1000
        if self.vanishing:
            numbers = np.ldexp(numbers, -self.rng.randint(0, SMALLEST_POWER[self.real], shape))
        return numbers.astype(self.real)

    def rows(self, n_rows: int) -> np.ndarray:
        """Rows of topics, padded."""
        return padded(self.row(n_rows, self.n_topics), self.real)

    def corpus(self, index: type, n_parts: int) -> _kernels.Corpus:
        """The counts, in as many parts as there are threads."""
        bounds = [N_WORDS * part // n_parts for part in range(n_parts + 1)]
        return _kernels.Corpus(self.offset, self.word.astype(index), self.count, N_WORDS, self.weight, bounds)


def expect(problem: Problem, index: type, n_threads: int) -> list[np.ndarray]:
    """All that one expectation writes."""
    given = problem.state, problem.gate, problem.prior, problem.doc_topic, problem.word_topic
    of_topics = problem.doc_topic, problem.word_topic, problem.gate.astype(np.float64)
    of_documents = np.empty(N_DOCUMENTS), np.empty(N_DOCUMENTS), np.empty(N_DOCUMENTS, dtype=np.int32)
    written = [np.empty_like(each) for each in (problem.count, *of_topics, *of_documents)]
    _kernels.expect(problem.corpus(index, n_threads), *given, *written, n_threads)
    return written


def fold(problem: Problem, index: type, n_threads: int) -> list[np.ndarray]:
    """Topics of documents after some rounds, their likelihood, rounds, and what is impossible."""
    given = problem.state, problem.gate, problem.prior, problem.word_topic
    rounds, impossible = np.empty((2, N_DOCUMENTS), dtype=np.int32)
    written = [problem.doc_topic.copy(), np.empty(N_DOCUMENTS), rounds, impossible]
    _kernels.fold(problem.corpus(index, n_threads), *given, *written, 5, 0.01, n_threads)
    return written


def document_sums(problem: Problem, index: type, n_threads: int) -> list[np.ndarray]:
    """X @ rows."""
    written = np.empty_like(problem.doc_topic)
    _kernels.document_sums(problem.corpus(index, n_threads), problem.word_topic, written, n_threads)
    return [written]


def word_sums(problem: Problem, index: type, n_threads: int) -> list[np.ndarray]:
    """X.T @ (weight * rows)."""
    written = np.empty_like(problem.word_topic)
    _kernels.word_sums(problem.corpus(index, n_threads), problem.doc_topic, written, n_threads)
    return [written]


def normalize_rows(problem: Problem, index: type, n_threads: int) -> list[np.ndarray]:
    """Rows with a prior, and rows without, some of which are zero."""
    written = [problem.doc_topic.copy(), problem.doc_topic.copy()]
    written[1][::10] = 0
    for rows, prior in zip(written, (problem.prior, None), strict=True):
        _kernels.normalize_rows(rows, prior, problem.fallback, problem.state, n_threads)
    return written


def normalize_columns(problem: Problem, index: type, n_threads: int) -> list[np.ndarray]:
    """Columns with and without smoothing, one of which is zero."""
    rows, old, _ = problem.moves
    written = [rows.copy(), rows.copy()]
    for columns, smoothing in zip(written, (0.1, 0.0), strict=True):
        columns[:, 0] = 0
        _kernels.normalize_columns(columns, old, smoothing, problem.n_topics, n_threads)
    return written


def sum_logs(problem: Problem, index: type, n_threads: int) -> list[np.ndarray]:
    """Logarithms, one row at a time."""
    weight = problem.prior[0]
    return [np.array([_kernels.sum_logs(row[np.newaxis], weight) for row in problem.word_topic])]


def unit_rows(problem: Problem, index: type, n_threads: int) -> list[np.ndarray]:
    """Values of sparse rows at unit length."""
    values = problem.moves[0].ravel()[: len(problem.count)].copy()
    written = np.empty_like(values)
    _kernels.unit_rows(problem.offset, values, written)
    return [written]


def sum_moves(problem: Problem, index: type, n_threads: int) -> list[np.ndarray]:
    """How far a leap is to go."""
    weight = problem.moves[0][:, 0].copy()
    return [np.array(_kernels.sum_moves(*problem.moves, each, n_threads)) for each in (weight, None)]


def leap(problem: Problem, index: type, n_threads: int) -> list[np.ndarray]:
    """A leap, some of which ends below zero and is drawn back."""
    first, second, third = problem.moves
    written = first.copy()
    _kernels.leap(written, second, third, 3.0, 0.1, n_threads)
    return [written]


def combine(problem: Problem, index: type, n_threads: int) -> list[np.ndarray]:
    """Rows and multiples of others."""
    rows, others, _ = problem.moves
    written = rows.copy()
    _kernels.combine(written, others[0].copy(), others, rows[0].copy(), n_threads)
    return [written]


def divide(problem: Problem, index: type, n_threads: int) -> list[np.ndarray]:
    """Rows divided, and sums of products."""
    rows, others, _ = problem.moves
    written, total = np.empty_like(rows), np.empty(rows.shape[1])
    _kernels.divide(rows, rows[:, 0].copy(), others[0].copy(), written, total, n_threads)
    products = np.empty(rows.shape[1])
    _kernels.column_products(rows, others, products, n_threads)
    return [written, total, products]


def hinges(problem: Problem, index: type, n_threads: int) -> list[np.ndarray]:
    """Slopes, with and without values, and losses."""
    scores, way = 2 * problem.moves[0] - problem.moves[1], problem.moves[2]
    code = (np.arange(len(scores)) % problem.n_topics).astype(np.int32)
    given = code, way[:, 0].copy()
    written = [np.empty_like(scores), np.empty_like(scores), *np.empty((3, scores.shape[1]))]
    for place, values in enumerate((None, way)):
        out = written[place], written[2 + place]
        _kernels.hinge_slopes(scores, values, *given, problem.n_topics, *out, n_threads)
    _kernels.hinge_losses(scores, way, way[0].copy(), *given, problem.n_topics, written[4], n_threads)
    return written


KERNELS = (
    expect,
    fold,
    document_sums,
    word_sums,
    normalize_rows,
    normalize_columns,
    sum_logs,
    unit_rows,
    sum_moves,
    leap,
    combine,
    divide,
    hinges,
)


def digest(arrays: list[np.ndarray]) -> str:
    """Sixteen digits that other bits hardly have."""
    return blake2b(b"".join(array.tobytes() for array in arrays), digest_size=8).hexdigest()


def lines() -> Iterator[str]:
    """A line for every case: one digest, or several where threads or types of indices differ in bits."""
    for real, units, vanishing in product((np.float32, np.float64), (1, 5, 9), (False, True)):
        problem = Problem(real, units * 32 // np.dtype(real).itemsize - 1, vanishing)
        for kernel in KERNELS:
            found = {digest(kernel(problem, index, n)) for index, n in product(INDICES, THREADS)}
            values = "vanishing" if vanishing else "ordinary"
            case = f"{kernel.__name__} {problem.real} {problem.n_topics} topics {values}"
            yield f"{case}: {' '.join(sorted(found))}"


if __name__ == "__main__":
    print(*lines(), sep="\n")
