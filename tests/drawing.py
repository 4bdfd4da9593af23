"""What hypothesis draws: counts, parameters, gates, labels. All of it shrinks and replays.

Tables of positive numbers are drawn as one string of bytes: it shrinks to equal entries.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st
from scipy import sparse

REALS = (np.float32, np.float64)
INDICES = (np.int32, np.int64)
TYPE_PAIRS = [(real, index) for real in REALS for index in INDICES]
TYPE_NAMES = [f"{np.dtype(real)}-{np.dtype(index)}" for real, index in TYPE_PAIRS]

# What a count may be, beside small whole numbers: a stored zero, a share, very few, very many.
UNUSUAL_COUNTS = (0.0, 0.5, 1e-6, 1e9)


def padding_unit(real):
    """Topics in one unit of padding: rows are padded to 32 bytes."""
    return 32 // np.dtype(real).itemsize


def topic_numbers(real):
    """Numbers of topics that reach every path: one, around a padding unit, 1 to 8 units, more."""
    unit = padding_unit(real)
    few = [1, 2, unit - 1, unit, unit + 1]
    return [*few, *(units * unit for units in range(2, 9)), 8 * unit + 1, 9 * unit, 10 * unit - 1]


def _canonical(n_documents, n_words, coordinates, values, real, index):
    """The CSR array with these values at these flat coordinates, which ascend."""
    documents, words = np.divmod(np.asarray(coordinates, dtype=np.int64), n_words)
    offset = np.concatenate([[0], np.cumsum(np.bincount(documents, minlength=n_documents))])
    matrix = sparse.csr_array((n_documents, n_words), dtype=real)
    matrix.data = np.asarray(values, dtype=real)
    matrix.indices = words.astype(index)
    matrix.indptr = offset.astype(index)
    return matrix


@st.composite
def counts(
    draw,
    real=np.float64,
    index=np.int32,
    *,
    max_documents=8,
    max_words=10,
    unusual=UNUSUAL_COUNTS,
    some_words=False,
):
    """A (D, W) CSR array: sorted, no duplicates; empty documents and words, explicit zeros.

    `some_words`: at least one count is positive.
    """
    n_documents = draw(st.integers(1, max_documents))
    n_words = draw(st.integers(1, max_words))
    coordinates = draw(
        st.lists(
            st.integers(0, n_documents * n_words - 1),
            unique=True,
            min_size=int(some_words),
            max_size=min(n_documents * n_words, 48),
        )
    )
    value = st.integers(1, 20) | st.sampled_from(unusual) if unusual else st.integers(1, 20)
    values = draw(st.lists(value, min_size=len(coordinates), max_size=len(coordinates)))
    if some_words and not any(values):
        values[0] = 1
    return _canonical(n_documents, n_words, sorted(coordinates), values, real, index)


@st.composite
def messy_counts(draw, real=np.float64, index=np.int32, **limits):
    """(messy, clean): the same counts, the first with words in any order and some of them twice."""
    clean = draw(counts(real, index, **limits))
    indices, values, offset = [], [], [0]
    for d in range(clean.shape[0]):
        inside = slice(clean.indptr[d], clean.indptr[d + 1])
        row = list(zip(clean.indices[inside].tolist(), clean.data[inside].tolist(), strict=True))
        split = draw(st.lists(st.booleans(), min_size=len(row), max_size=len(row)))
        row = [
            (word, value / 2 if twice else value)
            for (word, value), twice in zip(row, split, strict=True)
            for _ in range(1 + twice)
        ]
        row = draw(st.permutations(row))
        indices += [word for word, _ in row]
        values += [value for _, value in row]
        offset.append(len(indices))
    messy = sparse.csr_array(clean.shape, dtype=real)
    messy.data = np.asarray(values, dtype=real)
    messy.indices = np.asarray(indices, dtype=index)
    messy.indptr = np.asarray(offset, dtype=index)
    return messy, clean


@st.composite
def positive_tables(draw, n_rows, n_columns, *, zeros=True):
    """(n_rows, n_columns) of whole numbers up to 230; about one in ten is zero."""
    size = n_rows * n_columns
    drawn = np.frombuffer(draw(st.binary(min_size=size, max_size=size)), dtype=np.uint8)
    table = 1.0 + drawn.reshape(n_rows, n_columns)
    return np.where(table > 230, 0.0 if zeros else 230.0, table)


@st.composite
def distributions(draw, n_rows, n_columns, real=np.float64, *, zeros=True):
    """Rows that sum to one; a row drawn as zeros is uniform."""
    table = draw(positive_tables(n_rows, n_columns, zeros=zeros))
    table[table.sum(axis=1) == 0] = 1
    return (table / table.sum(axis=1, keepdims=True)).astype(real)


@st.composite
def gates(draw, n_states, n_topics, real=np.float64):
    """What states allow: everything, topics shut out, or probabilities with zeros among them."""
    kind = draw(st.sampled_from(["open", "shut", "graded"]))
    if kind == "open":
        return np.ones((n_states, n_topics), dtype=real)
    table = draw(positive_tables(n_states, n_topics))
    if kind == "shut":
        return (table % 2).astype(real)
    return (table / 230).astype(real)


def states(n_documents, n_states):
    """The state of each document."""
    return st.lists(st.integers(0, n_states - 1), min_size=n_documents, max_size=n_documents).map(
        lambda drawn: np.array(drawn, dtype=np.int32)
    )


@st.composite
def priors(draw, n_states, n_topics, real=np.float64):
    """Pseudo-counts of each state's topics, some of them zero."""
    return (draw(positive_tables(n_states, n_topics)) / 23).astype(real)


def weights(n_documents, real=np.float64):
    """How often each document counts: not at all, once, twice, or a share."""
    return st.lists(
        st.sampled_from([1.0, 2.0, 0.0, 0.25, 3.5]), min_size=n_documents, max_size=n_documents
    ).map(lambda drawn: np.array(drawn, dtype=real))


@st.composite
def labels(draw, n_documents, n_classes, *, unlabeled=True):
    """A class 0 .. n_classes - 1 for each document, -1 where it has none."""
    least = -1 if unlabeled else 0
    drawn = st.integers(least, n_classes - 1)
    return np.array(draw(st.lists(drawn, min_size=n_documents, max_size=n_documents)), dtype=np.intp)


@dataclass(frozen=True)
class Problem:
    """A corpus and parameters: all that one expectation needs, topics not padded."""

    X: sparse.csr_array
    weight: np.ndarray | None  # (D,)
    state: np.ndarray | None  # (D,)
    gate: np.ndarray  # (S, K)
    prior: np.ndarray | None  # (S, K)
    fallback: np.ndarray  # (S, K)
    doc_topic: np.ndarray  # (D, K)
    word_topic: np.ndarray  # (W, K)

    @property
    def real(self):
        """The type of everything."""
        return self.X.dtype

    @property
    def n_topics(self):
        """K."""
        return self.word_topic.shape[1]

    def replace(self, **changes):
        """The same problem but for these."""
        return replace(self, **changes)

    def for_reference(self):
        """The arguments of `reference.expect`."""
        return (
            self.X.toarray(),
            self.weight,
            self.state,
            self.gate,
            self.prior,
            self.doc_topic,
            self.word_topic,
        )


@st.composite
def problems(draw, real=np.float64, index=np.int32, *, zeros=True, n_topics=None, **limits):
    """A problem of one of the `topic_numbers`, weights, states and priors being there or not.

    `zeros`: parameters and gates may hold zeros, so that words may be impossible.
    """
    X = draw(counts(real, index, **limits))
    n_documents, n_words = X.shape
    if n_topics is None:
        n_topics = draw(st.sampled_from(topic_numbers(real)))
    state, n_states = None, 1
    if draw(st.booleans()):
        n_states = draw(st.integers(1, 4))
        state = draw(states(n_documents, n_states))
    gate = draw(gates(n_states, n_topics, real))
    if not zeros:
        gate = np.maximum(gate, real(0.01))
    return Problem(
        X=X,
        weight=draw(st.none() | weights(n_documents, real)),
        state=state,
        gate=gate,
        prior=draw(st.none() | priors(n_states, n_topics, real)),
        fallback=draw(distributions(n_states, n_topics, real)),
        doc_topic=draw(distributions(n_documents, n_topics, real, zeros=zeros)),
        word_topic=np.ascontiguousarray(draw(distributions(n_topics, n_words, real, zeros=zeros)).T),
    )


def random_problem(lengths, n_words, n_topics, real=np.float32, index=np.int32, *, seed=0, n_states=3):
    """A problem too large to draw: documents with these numbers of nonzeros, all else random."""
    rng = np.random.default_rng(seed)
    coordinates = np.concatenate(
        [
            d * n_words + np.sort(rng.choice(n_words, length, replace=False))
            for d, length in enumerate(lengths)
        ]
    )
    n_documents = len(lengths)
    gate = rng.uniform(size=(n_states, n_topics))
    gate[rng.uniform(size=gate.shape) < 0.1] = 0
    gate[:, 0] = 1
    return Problem(
        X=_canonical(n_documents, n_words, coordinates, rng.integers(1, 9, len(coordinates)), real, index),
        weight=rng.choice([0.0, 0.5, 1.0, 2.0], n_documents).astype(real),
        state=rng.integers(0, n_states, n_documents).astype(np.int32),
        gate=gate.astype(real),
        prior=rng.uniform(size=(n_states, n_topics)).astype(real),
        fallback=rng.dirichlet(np.ones(n_topics), n_states).astype(real),
        doc_topic=rng.dirichlet(np.ones(n_topics), n_documents).astype(real),
        word_topic=np.ascontiguousarray(rng.dirichlet(np.ones(n_words), n_topics).T.astype(real)),
    )


@dataclass(frozen=True)
class DrawnLayout:
    """Which class each topic belongs to, -1: to none."""

    topic_class: np.ndarray  # (K,)
    n_classes: int

    @property
    def n_topics(self):
        """K."""
        return len(self.topic_class)


@st.composite
def layouts(draw, *, max_classes=4, max_topics=3, max_extra=2):
    """One class or more of one topic or more, in the order of the classes, then topics of no class."""
    n_classes = draw(st.integers(1, max_classes))
    topics = draw(st.lists(st.integers(1, max_topics), min_size=n_classes, max_size=n_classes))
    extra = draw(st.integers(0, max_extra))
    own = np.repeat(np.arange(n_classes), topics)
    return DrawnLayout(np.concatenate([own, np.full(extra, -1)]).astype(np.int32), n_classes)


@st.composite
def state_counts(draw, n_states, n_topics):
    """Expected topic counts of states: rows and columns may be zero, and all of them huge or tiny."""
    table = draw(positive_tables(n_states, n_topics))
    size = draw(st.sampled_from([1.0, 1e-6, 1e12]))
    rows = draw(st.lists(st.booleans(), min_size=n_states, max_size=n_states))
    columns = draw(st.lists(st.booleans(), min_size=n_topics, max_size=n_topics))
    return size * table * np.array(rows)[:, np.newaxis] * np.array(columns)


@st.composite
def alphas(draw, n_words):
    """Pseudo-counts of words: one number, or one for each word; some of them zero."""
    if draw(st.booleans()):
        return draw(st.sampled_from([1.0, 0.0, 0.01, 5.0]))
    return draw(positive_tables(1, n_words))[0] / 23


@dataclass(frozen=True)
class MixtureProblem:
    """Documents, of which some have a label, and all else that a mixture of multinomials is told."""

    X: sparse.csr_array
    code: np.ndarray  # (D,) the class of each document, -1 where it has none
    weight: np.ndarray | None  # (D,)
    layout: DrawnLayout
    alpha: float | np.ndarray  # of words: one, or (W,)
    class_alpha: float
    component_alpha: float
    share: np.ndarray  # (D, K) the components that documents begin with, none that their label rules out


@st.composite
def mixture_problems(draw, real=np.float64, index=np.int32, **limits):
    """Any labels, weights and pseudo-counts; a label and a word count; documents may begin with nothing."""
    X = draw(counts(real, index, some_words=True, **limits))
    n_documents, n_words = X.shape
    layout = draw(layouts(max_extra=0))
    code = draw(labels(n_documents, layout.n_classes))
    weight = draw(st.none() | weights(n_documents, real))
    told = draw(st.integers(0, n_documents - 1))
    code[told] = max(code[told], 0)
    if weight is not None:
        for counted in (told, X.sum(axis=1).argmax()):
            weight[counted] = max(weight[counted], 1)
    foreign = (code[:, np.newaxis] >= 0) & (code[:, np.newaxis] != layout.topic_class)
    share = np.where(foreign, 0, draw(positive_tables(n_documents, layout.n_topics, zeros=False)))
    share /= share.sum(axis=1, keepdims=True)
    begins = np.array(draw(st.lists(st.booleans(), min_size=n_documents, max_size=n_documents)))
    begins[told] = True
    return MixtureProblem(
        X=X,
        code=code.astype(np.int32),
        weight=weight,
        layout=layout,
        alpha=draw(alphas(n_words)),
        class_alpha=draw(st.sampled_from([0.0, 1.0, 0.3])),
        component_alpha=draw(st.sampled_from([1.0, 0.0, 0.3])),
        share=share * begins[:, np.newaxis],
    )


# How a label that is missing may be written, beside labels of each kind.
LABEL_KINDS = ("whole numbers", "numbers and NaN", "strings and None", "strings and -1", "truths and None")


@st.composite
def partial_labels(draw, n_documents):
    """(code, y): a class for some documents and -1 for the others, and the same as a user writes it.

    Patterns are the odd ones: one label, one class, all but one, a class with a single document, any.
    """
    pattern = draw(st.sampled_from(["one label", "one class", "all but one", "single", "any", "all"]))
    n_classes = draw(st.integers(2, 4))
    code = draw(labels(n_documents, n_classes, unlabeled=pattern == "any"))
    if pattern == "one class":
        code = np.where(draw(labels(n_documents, 1)) < 0, -1, 0)
    elif pattern == "single":
        code = np.where(draw(labels(n_documents, 1)) < 0, -1, 0)
        code[draw(st.integers(0, n_documents - 1))] = 1
    elif pattern in ("one label", "all but one"):
        chosen = np.arange(n_documents) == draw(st.integers(0, n_documents - 1))
        code = np.where(chosen == (pattern == "one label"), code, -1)
    if (code < 0).all():
        code[0] = 0
    classes, codes = np.unique(code[code >= 0], return_inverse=True)
    known = code >= 0
    code = np.full(n_documents, -1)
    code[known] = codes
    kinds = LABEL_KINDS if len(classes) <= 2 else LABEL_KINDS[:-1]
    return code, written(code, draw(st.sampled_from(kinds)))


def written(code, kind):
    """Codes as a user writes labels of one of the `LABEL_KINDS`."""
    names = np.array(["ant", "bee", "cat", "dog"])
    if kind == "whole numbers":
        return np.where(code < 0, -1, code + 10)
    if kind == "numbers and NaN":
        return np.where(code < 0, np.nan, code)
    if kind == "truths and None":
        return [None if c < 0 else bool(c) for c in code]
    missing = None if kind == "strings and None" else -1
    return [missing if c < 0 else str(names[c]) for c in code]


@dataclass(frozen=True)
class FixedGate:
    """A gate that is just its table, and learns nothing."""

    rows: np.ndarray

    def table(self):
        """The rows."""
        return self.rows

    def learn(self, count):
        """Nothing."""
        return self
