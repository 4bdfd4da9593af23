"""Documents drawn from the model itself, with the parameters that they were drawn from."""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils import Bunch

from plsa.engine.parameters import Floats
from plsa.inputs import check_number, check_whole, physical_memory, too_large

Whole = npt.NDArray[np.signedinteger[Any]]

# A block of documents holds about this many tokens, and this many document x topic counts: its working memory
# is then some tens of megabytes whatever the size of the corpus. Changing either changes what a seed gives.
_BLOCK_TOKENS = 2**20
_BLOCK_TOPICS = 2**22

# Steps of the table that inverts a topic's cumulative probabilities; a power of two.
_GUIDE = 2**12


def planted_corpus(
    n_documents: int = 1000,
    n_words: int = 2000,
    n_components: int = 10,
    *,
    n_classes: int | None = None,
    class_proportions: npt.ArrayLike | None = None,
    document_length: float = 100,
    length_distribution: str = "poisson",
    length_spread: float = 0.5,
    doc_concentration: float = 0.1,
    word_concentration: float = 0.1,
    zipf_exponent: float = 1.0,
    dtype: npt.DTypeLike = np.float32,
    random_state: int | np.random.Generator | np.random.RandomState | None = None,
) -> Bunch:
    """The counts are drawn from a PLSA model whose parameters come with them.

    Each token of document d draws a topic z from P(z|d), then a word from P(w|z), so
    ``counts[d]`` is multinomial with probabilities ``doc_topic[d] @ word_topic.T``.

    Parameters
    ----------
    n_documents, n_words, n_components : int
        D, W and K: the sizes of the corpus, of the vocabulary and of the model.
    n_classes : int, optional
        Plant labels: each document has a class and each class its own ``n_components / n_classes``
        topics, outside which P(z|d) is zero. ``n_components`` must be a multiple of it.
    class_proportions : array-like of shape (n_classes,), optional
        How often each class is drawn, up to scale; equal by default.
    document_length : float
        Mean number of tokens in a document.
    length_distribution : {"constant", "poisson", "lognormal"}
        How lengths vary. "lognormal" is a Poisson whose rate is lognormal with that mean: long
        tails, as in real corpora. All but "constant" may draw an empty document.
    length_spread : float
        Standard deviation of the logarithm of the rate, at most 3; used by "lognormal" alone.
    doc_concentration : float
        P(z|d) is Dirichlet with this parameter for each topic the document may have: small means
        one topic per document, large means all alike.
    word_concentration : float
        P(w|z) is the word's overall frequency times gamma noise of this shape, normalized: small
        means topics that share few words. With ``zipf_exponent=0`` it is exactly Dirichlet.
    zipf_exponent : float
        The r-th most frequent word has overall frequency r ** -zipf_exponent before the noise.
        Ranks are dealt to columns at random, as an alphabetical vocabulary would have them.
    dtype : {float32, float64, int32, int64}
        Type of the counts. The parameters are float64.
    random_state : int, Generator, RandomState or None
        The same seed gives the same bits (with the same version of numpy).

    Returns
    -------
    Bunch
        ``counts`` : csr_array of shape (D, W), sorted and without duplicates; 32-bit indices where they fit.
        ``doc_topic`` : array of shape (D, K), P(z|d); rows sum to one.
        ``word_topic`` : array of shape (W, K), P(w|z); columns sum to one.
        ``document_length`` : int array of shape (D,), the row sums of ``counts``.
        ``target`` : int array of shape (D,), the class of each document; None without classes.
        ``topic_class`` : int array of shape (K,), the class of each topic; None without classes.
        ``DESCR`` : str, what was drawn.

    Raises
    ------
    ValueError
        When a parameter is not as above, or the corpus needs more memory than the machine has.

    Notes
    -----
    Documents are drawn in blocks, each from its own child of the seed. Beyond what is returned, a
    block's tokens, one more (W, K) array and, at the end, a second copy of the indices are held;
    nothing has D x W or nonzeros x K entries.

    Examples
    --------
    >>> from plsa.datasets import planted_corpus
    >>> corpus = planted_corpus(60, 500, 6, n_classes=3, random_state=0)
    >>> corpus.counts.shape, corpus.doc_topic.shape, corpus.word_topic.shape
    ((60, 500), (60, 6), (500, 6))
    >>> corpus.topic_class.tolist()
    [0, 0, 1, 1, 2, 2]
    >>> bool((corpus.counts.sum(axis=1) == corpus.document_length).all())
    True
    """
    n_documents = check_whole(n_documents, "n_documents", 1)
    n_words = check_whole(n_words, "n_words", 1)
    n_components = check_whole(n_components, "n_components", 1)
    proportions = _class_proportions(n_classes, class_proportions, n_components)
    mean_length = check_number(document_length, "document_length", above=0)
    if length_distribution not in ("constant", "poisson", "lognormal"):
        known = "constant, poisson, lognormal"
        raise ValueError(f"length_distribution must be one of {known}; found {length_distribution!r}.")
    if length_distribution == "constant" and mean_length != int(mean_length):
        raise ValueError(f"document_length must be a whole number of tokens here; found {document_length!r}.")
    length_spread = check_number(length_spread, "length_spread", 0)
    if length_spread > 3:
        # One document in a thousand would be 400,000 times the median: memory, not a corpus.
        raise ValueError(f"length_spread must be at most 3; found {length_spread!r}.")
    doc_concentration = check_number(doc_concentration, "doc_concentration", 1e-100)
    word_concentration = check_number(word_concentration, "word_concentration", 1e-100)
    zipf_exponent = check_number(zipf_exponent, "zipf_exponent", 0)
    count_type = np.dtype(dtype)
    if count_type not in map(np.dtype, (np.float32, np.float64, np.int32, np.int64)):
        raise ValueError(f"dtype must be float32, float64, int32 or int64; found {count_type}.")
    _check_memory(n_documents, n_words, n_components, mean_length, count_type.itemsize)

    # Without classes there is one that owns every topic: the same code draws both.
    topics_per_class = n_components // len(proportions)
    block = max(1, min(int(_BLOCK_TOKENS / max(mean_length, 1)), _BLOCK_TOPICS // topics_per_class))
    starts = range(0, n_documents, block)
    model_seed, *block_seeds = _seed_sequence(random_state).spawn(1 + len(starts))

    rng = np.random.default_rng(model_seed)
    rank = 1.0 + rng.permutation(n_words)
    topic_word = _dirichlet(rng, word_concentration, (n_components, n_words), -zipf_exponent * np.log(rank))
    cumulative = np.cumsum(topic_word, axis=1)
    cumulative /= cumulative[:, -1:]  # ends in exactly 1, above every uniform number
    steps = np.arange(_GUIDE) / _GUIDE
    first_words = np.stack([row.searchsorted(steps, side="right") for row in cumulative])
    guide = first_words.astype(_index_type(n_words))
    word_topic = np.ascontiguousarray(topic_word.T)
    del topic_word, first_words

    doc_topic = np.zeros((n_documents, n_components))
    lengths = np.empty(n_documents, dtype=np.int64)
    target = np.empty(n_documents, dtype=np.int64)
    indptr = np.zeros(n_documents + 1, dtype=np.int64)
    indices, data = [], []
    for start, seed in zip(starts, block_seeds, strict=True):
        rng = np.random.default_rng(seed)
        rows = slice(start, min(start + block, n_documents))
        n_rows = rows.stop - rows.start
        target[rows] = rng.choice(len(proportions), size=n_rows, p=proportions)
        rate = np.full(n_rows, mean_length)
        if length_distribution == "lognormal":
            rate *= np.exp(rng.normal(-(length_spread**2) / 2, length_spread, size=n_rows))
        lengths[rows] = rate if length_distribution == "constant" else rng.poisson(rate)
        own_topic = _dirichlet(rng, doc_concentration, (n_rows, topics_per_class))
        topics = target[rows, None] * topics_per_class + np.arange(topics_per_class)
        np.put_along_axis(doc_topic[rows], topics, own_topic, axis=1)
        # Only the class's own topics are drawn from: a multinomial gives what rounding leaves
        # over to its last category, even one of probability zero.
        tokens = rng.multinomial(lengths[rows], own_topic)
        documents, words = _draw_words(rng, tokens, topics, cumulative, guide)
        # Counted in whole numbers: in float32, ones stop adding up at 2 ** 24.
        ones = np.ones(len(words), dtype=np.int64)
        part = sparse.coo_array((ones, (documents, words)), shape=(n_rows, n_words)).tocsr()
        part.sum_duplicates()
        indptr[start + 1 : rows.stop + 1] = np.diff(part.indptr)
        indices.append(part.indices.astype(_index_type(n_words)))
        data.append(part.data.astype(count_type))

    np.cumsum(indptr, out=indptr)
    index_type = _index_type(max(n_words, int(indptr[-1])))
    all_data = np.concatenate(data)
    data.clear()
    all_indices = np.concatenate(indices).astype(index_type, copy=False)
    indices.clear()
    parts = all_data, all_indices, indptr.astype(index_type, copy=False)
    counts = sparse.csr_array(parts, shape=(n_documents, n_words))
    counts.has_canonical_format = True  # true by construction; saves a pass over the nonzeros
    labeled = n_classes is not None
    return Bunch(
        counts=counts,
        doc_topic=doc_topic,
        word_topic=word_topic,
        document_length=lengths,
        target=target if labeled else None,
        topic_class=np.arange(n_components) // topics_per_class if labeled else None,
        DESCR=f"{n_documents} documents of {mean_length:g} tokens ({length_distribution}) drawn "
        f"from a PLSA model with {n_components} topics over {n_words} words"
        + (f", {topics_per_class} topics in each of {n_classes} classes." if labeled else "."),
    )


def _check_memory(n_documents: int, n_words: int, n_components: int, length: float, itemsize: int) -> None:
    """Raises where the corpus would not fit, as far as it can be told before it is drawn."""
    # Parameters: P(z|d), P(w|z) three times at first, the guide.
    size = 8 * n_components * (n_documents + 3 * n_words + _GUIDE)
    # Documents: as a rule a quarter of the tokens or more are distinct words, held twice in the end.
    size += n_documents * (24 + int(min(length, n_words)) * (4 + itemsize) // 2)
    size += 28 * int(length)  # the tokens of one document, as they are drawn
    room = physical_memory()
    if size > room:
        asked = f"n_documents == {n_documents}, n_words == {n_words}, n_components == {n_components}"
        raise ValueError(f"{asked} and document_length == {length:g} {too_large(size, room)}. Take fewer.")


def _class_proportions(n_classes: Any, class_proportions: Any, n_components: int) -> Floats:
    """The probability of each class; a single class when none are asked for."""
    if n_classes is None:
        if class_proportions is not None:
            raise ValueError("class_proportions is given without n_classes; give n_classes too.")
        return np.ones(1)
    n_classes = check_whole(n_classes, "n_classes", 1)
    if n_components % n_classes:
        found = f"n_components={n_components}, n_classes={n_classes}"
        raise ValueError(f"n_components must be a multiple of n_classes; found {found}.")
    if class_proportions is None:
        return np.full(n_classes, 1 / n_classes)
    proportions: Floats = np.asarray(class_proportions, dtype=np.float64)
    if proportions.shape != (n_classes,):
        wanted = f"one number for each of the {n_classes} classes"
        raise ValueError(f"class_proportions must hold {wanted}; found shape {proportions.shape}.")
    wrong = np.flatnonzero(~(np.isfinite(proportions) & (proportions >= 0)))
    if len(wrong):
        found = f"{proportions[wrong[0]]} for class {wrong[0]}"
        raise ValueError(f"class_proportions must be finite and not negative; found {found}.")
    if not proportions.any():
        raise ValueError("class_proportions are all zero; at least one class must be possible.")
    proportions = proportions / proportions.max()  # first, so that the sum cannot overflow
    return proportions / proportions.sum()


def _seed_sequence(random_state: Any) -> np.random.SeedSequence:
    if random_state is None:
        return np.random.SeedSequence()
    if isinstance(random_state, np.random.Generator):
        return np.random.SeedSequence(random_state.integers(2**32, size=4).tolist())
    if isinstance(random_state, np.random.RandomState):
        return np.random.SeedSequence(random_state.randint(2**31, size=4).tolist())
    try:
        return np.random.SeedSequence(check_whole(random_state, "random_state", 0))
    except ValueError as error:
        known = "a whole number >= 0, a numpy Generator, a RandomState or None"
        raise ValueError(f"random_state must be {known}; found {random_state!r}.") from error


def _dirichlet(
    rng: np.random.Generator, concentration: float, shape: tuple[int, int], log_base: Floats | float = 0.0
) -> Floats:
    """Rows of exp(log_base) * Gamma(concentration), each normalized to sum to one.

    In logarithms, by Gamma(a) = Gamma(a + 1) * U ** (1 / a): at small concentrations every gamma
    of a row would underflow to zero.
    """
    draw = rng.standard_gamma(concentration + 1, size=shape)
    np.log(draw, out=draw)
    draw -= rng.standard_exponential(size=shape) / concentration
    draw += log_base
    draw -= draw.max(axis=1, keepdims=True)
    np.exp(draw, out=draw)
    draw /= draw.sum(axis=1, keepdims=True)
    return draw


def _draw_words(
    rng: np.random.Generator, tokens: Whole, topics: Whole, cumulative: Floats, guide: Whole
) -> tuple[Whole, Whole]:
    """The document and the word of each token.

    `tokens[d, j]` tokens of document d have topic `topics[d, j]`. A word inverts the topic's
    cumulative probabilities at a uniform number u: the first word whose cumulative exceeds u.
    Searching is the cost, so `guide` holds the answers for `_GUIDE` equal steps of u: the answer
    for u is never before that for the step it falls in, and mostly is that one.
    """
    row, column = np.nonzero(tokens)
    topic = topics[row, column]
    order = np.argsort(topic, kind="stable")  # one search per topic, over all its tokens
    row, column, topic = row[order], column[order], topic[order]
    repeats = tokens[row, column]
    documents = np.repeat(row.astype(np.int32), repeats)
    uniform = rng.random(len(documents))
    step = (uniform * _GUIDE).astype(np.int32)  # exact: _GUIDE is a power of two
    words = np.empty(len(documents), dtype=guide.dtype)
    ends = np.cumsum(np.bincount(topic, weights=repeats, minlength=len(guide))).astype(np.int64)
    first = 0
    for z, end in enumerate(ends):
        if first < end:
            u = uniform[first:end]
            word = guide[z].take(step[first:end])
            late = np.flatnonzero(cumulative[z].take(word) <= u)
            # side="right" steps over words of probability zero.
            word[late] = cumulative[z].searchsorted(u[late], side="right")
            words[first:end] = word
        first = end
    return documents, words


def _index_type(largest: int) -> type[np.signedinteger[Any]]:
    return np.int32 if largest <= np.iinfo(np.int32).max else np.int64
