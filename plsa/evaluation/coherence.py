"""How good topics are: whether their words go together, how large they are, how far from each other."""

import textwrap
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from plsa import inputs
from plsa.engine import blocks
from plsa.engine.parameters import Array, Floats, Places
from plsa.estimators.documents import last_step, plain_counts, reads_texts, steps_of, without_steps
from plsa.estimators.text import read_texts
from plsa.show.tables import aligned
from plsa.show.words import best_of, check_topics, classes_of_topics, scores_of_words

_EPSILON = 1e-12  # added to the share of documents that two words share, as others do
_WIDTH = 100  # of a table
_KEY = "own: words that are no other topic's; {:.0%} of the words of all topics are different."


def topic_coherence(
    model: Any,
    X: Any,
    measure: str = "npmi",
    n_words: int = 10,
    *,
    vocabulary: Any = None,
    by: str = "ratio",
    window: int | None = None,
) -> Floats:
    """Whether the words of each topic go together: how often they stand in the same documents of X.

    With p(v) the share of documents that word v stands in, and p(v, w) that of documents that have both,

        npmi(v, w) = log((p(v, w) + e) / (p(v) p(w))) / -log(p(v, w) + e),   e = 1e-12

    is near 1 where two words are always together, 0 where they have nothing to do with each other, and well
    below 0, down to -1, where they never meet, which depends on how frequent they are. "npmi" is its mean
    over all pairs of the topic's words (Bouma 2009; Aletras and Stevenson 2013). "c_v" compares words by
    their company: each has the vector of its npmi with all words of the topic, itself among them, and the
    mean of the cosines between these vectors and their sum is the coherence, from -1 to 1 (Roeder, Both and
    Hinneburg 2015).

    Parameters
    ----------
    model : fitted estimator with topics, or a Pipeline that ends in one
    X : documents: counts, or the texts that a pipeline takes
        Counts have no order of words, so that words meet in documents. Documents without words are left out.
    measure : {"npmi", "c_v"}, default="npmi"
    n_words : int, default=10
        Words per topic; fewer where fewer speak for it.
    vocabulary : fitted vectorizer, list of words or mapping, default=None
        As for `top_words`: that of `text_classifier` knows which of its columns are pieces of words.
    by : {"ratio", "probability"}, default="ratio"
        Which words are those of a topic: the ones that `top_words` shows, or the most probable ones, as is
        usual elsewhere; these may be words that are frequent everywhere.
    window : int, default=None
        Words meet within so many words of a text, rather than in all of it: what is a document above is then
        a stretch of so many words, one for each place where it may begin, or all of a shorter text. X must be
        texts and model a pipeline. The authors of "c_v" take 110 for it, and 10 for "npmi".

    Returns
    -------
    (n_topics,) array
        Its mean is the coherence of the model. 0 where nothing is known, of a topic with fewer than two
        words; and a pair has 0 of which a word stands in no document, or of which both stand in all.

    Notes
    -----
    Time is O(nonzeros of the topics' words * n_words); of words x words there is only a topic's own. With the
    same words and documents it is what gensim's `CoherenceModel` finds ("c_npmi", "c_v"), but for documents
    that are empty, and pairs that stand in all documents, which have -1 there.

    Examples
    --------
    >>> from plsa import PLSA, topic_coherence
    >>> from plsa.datasets import planted_corpus
    >>> corpus = planted_corpus(300, 100, 3, word_concentration=0.05, random_state=0)
    >>> found = topic_coherence(PLSA(3, random_state=0).fit(corpus.counts), corpus.counts)
    >>> found.shape, bool(found.mean() > 0.1)
    ((3,), True)
    """
    _check(measure, n_words, by, window)
    scores, _ = scores_of_words(model, vocabulary, by)
    return _coherence(model, X, [best_of(row, n_words) for row in scores], measure, window)


def _check(measure: Any, n_words: Any, by: Any, window: Any) -> None:
    """What is asked of topics."""
    inputs.check_choice(measure, "measure", ["npmi", "c_v"])
    inputs.check_whole(n_words, "n_words", 2)
    inputs.check_choice(by, "by", ["ratio", "probability"])
    if window is not None:
        inputs.check_whole(window, "window", 2)


def _coherence(model: Any, X: Any, columns: Sequence[Places], measure: str, window: int | None) -> Floats:
    """That of topics whose words are in these columns."""
    used = np.unique(np.concatenate(columns))
    own = [np.searchsorted(used, each) for each in columns]
    both = [np.zeros((len(each), len(each))) for each in columns]  # documents that have two words
    n_documents = 0
    for part in _documents(model, X, used) if window is None else _stretches(model, X, used, window):
        n_documents += part.shape[0]
        for places, number in zip(own, both, strict=True):
            mine = part[:, places]
            number += (mine.T @ mine).toarray()
    of_pairs = {"npmi": _mean_of_pairs, "c_v": _company}[measure]
    return np.array([of_pairs(_npmi(number / max(n_documents, 1))) for number in both])


def _documents(model: Any, X: Any, used: Places) -> Iterator[sparse.csc_array]:
    """(documents with words, these words): which words stand in which documents."""
    last, inside = without_steps(model, X)
    counts = plain_counts(last, inside)
    full = counts.lengths() > 0
    found = counts.presence().of_words(used).matrix()[full]
    found.eliminate_zeros()
    yield sparse.csc_array(found, dtype=np.float64)


def _stretches(model: Any, X: Any, used: Places, window: int) -> Iterator[sparse.csc_array]:
    """(stretches, these words): which words stand in which stretches of texts, some texts at a time."""
    counter = steps_of(model)[0]
    if not reads_texts(counter):
        found = f"counts have no order of words, and {type(last_step(model)).__name__} is given counts"
        raise ValueError(f"window == {window}, but {found}. Pass a pipeline and texts, or window=None.")
    try:
        names = model[:-1].get_feature_names_out()
    except AttributeError:
        found = f"{type(counter).__name__} does not know which words its columns are"
        raise ValueError(f"window == {window}, but {found}. Pass window=None.") from None
    if hasattr(counter, "short_"):  # pieces of words are no words of a text
        counter = copy(counter)
        counter.short_ = False
    analyze = counter.build_analyzer()
    place = {word: row for row, word in enumerate(names[used].tolist())}
    rows: list[Array] = []
    words: list[Array] = []
    n_stretches = size = 0

    def together() -> sparse.csc_array:
        at = np.concatenate([*rows, empty]), np.concatenate([*words, empty])
        found = sparse.csc_array((np.ones(size), at), shape=(n_stretches, len(used)))
        found.data[:] = 1  # of a word that stands in a stretch twice
        return found

    empty = np.empty(0, dtype=np.intp)
    for text in read_texts(X):
        tokens = analyze(text)
        if not tokens:
            continue
        n_here = max(len(tokens) - window + 1, 1)
        known = [(where, place[token]) for where, token in enumerate(tokens) if token in place]
        if known:
            where, word = np.array(known).T
            first = np.maximum(where - window + 1, 0)
            number = np.minimum(where, n_here - 1) - first + 1  # stretches that the word stands in
            begin = np.repeat(first - np.cumsum(number) + number, number)
            rows.append(n_stretches + begin + np.arange(number.sum()))
            words.append(np.repeat(word, number))
            size += len(rows[-1])
        n_stretches += n_here
        if size >= blocks.NONZEROS:
            yield together()
            rows, words, n_stretches, size = [], [], 0, 0
    yield together()


def _npmi(both: Floats) -> Floats:
    """The npmi of all pairs of words, of the share of documents that have both."""
    alone = np.diag(both)
    expected = np.outer(alone, alone)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.log((both + _EPSILON) / expected) / -np.log(both + _EPSILON)
    return np.where((expected > 0) & (both < 1), found, 0.0)


def _mean_of_pairs(npmi: Floats) -> float:
    """Over pairs of two words; 0 where there are none."""
    n = len(npmi)
    return float((npmi.sum() - np.trace(npmi)) / (n * (n - 1))) if n > 1 else 0.0


def _company(npmi: Floats) -> float:
    """The mean cosine of each word's vector and the sum of all; 0 of one that is zero."""
    if len(npmi) < 2:
        return 0.0
    whole = npmi.sum(axis=0)
    length = np.linalg.norm(npmi, axis=1) * np.linalg.norm(whole)
    cosine = np.divide(npmi @ whole, length, out=np.zeros(len(npmi)), where=length > 0)
    return float(cosine.mean())


@dataclass(frozen=True, slots=True, repr=False)
class TopicTable:
    """What `topic_table` has found: arrays with an entry for each topic; shows itself as a table."""

    label: tuple[Any, ...]  # the class of each topic; None where it has none
    words: tuple[tuple[str, ...], ...]
    share_of_documents: Floats  # the mean of P(z|d)
    share_of_words: Floats  # the same, each document counting as many words as it has
    coherence: Floats
    distance: Floats  # to the nearest other topic, from 0 to 1
    own_words: Floats  # the share of a topic's words that are no other topic's
    diversity: float  # of the words of all topics, the share that is different
    measure: str

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        with_classes = any(label is not None for label in self.label)
        names = [
            "topic",
            *(["class"] if with_classes else []),
            "documents",
            "words",
            self.measure,
            "distance",
            "own",
        ]
        rows = [names]
        for topic, label in enumerate(self.label):
            row = [str(topic), *(["" if label is None else str(label)] if with_classes else [])]
            row += [f"{self.share_of_documents[topic]:.1%}", f"{self.share_of_words[topic]:.1%}"]
            row += [f"{each[topic]:.3f}" for each in (self.coherence, self.distance)]
            rows.append([*row, f"{self.own_words[topic]:.0%}"])
        means = [f"{each.mean():.3f}" for each in (self.coherence, self.distance)]
        rows.append(["mean", *([""] if with_classes else []), "", "", *means, f"{self.own_words.mean():.0%}"])
        head, *lines = aligned(rows, names_left=False)
        width = max(map(len, [head, *lines])) + 2
        shown = [f"{head:{width}}words of the topic"]
        room = max(_WIDTH - width, 30)
        for line, own in zip(lines, [*self.words, ()], strict=True):
            first = textwrap.shorten(" ".join(own), room, placeholder=" ...")
            shown.append(f"{line:{width}}{first}".rstrip())
        return "\n".join([*shown, _KEY.format(self.diversity)])


def topic_table(
    model: Any,
    X: Any,
    vocabulary: Any = None,
    n_words: int = 10,
    *,
    measure: str = "npmi",
    by: str = "ratio",
    window: int | None = None,
) -> TopicTable:
    """Topics at a glance: class, size, coherence, how far they are from each other, words.

    Parameters
    ----------
    model : fitted estimator with topics, or a Pipeline that ends in one
    X : documents: counts, or the texts that a pipeline takes
    vocabulary : list of words, mapping from word to column, or fitted vectorizer, default=None
        What the columns are called; as for `top_words`.
    n_words : int, default=10
        Words per topic; fewer where fewer speak for it.
    measure, by, window
        As for `topic_coherence`.

    Returns
    -------
    TopicTable
        Printing it shows a table. It has, with an entry for each topic,

        - `label`, its class, and `words`, as `top_words` has them;
        - `share_of_documents`, the mean of P(z|d) over X, and `share_of_words`, where a document counts as
          often as it has words; both sum to one;
        - `coherence`, of `topic_coherence`;
        - `distance`, Hellinger's to the nearest other topic, sqrt(1 - sum_w sqrt(P(w|z) P(w|z'))): 0 where
          another topic has the same words as often, 1 where it shares no word with any, or is the only one;
        - `own_words`, the share of its words that are no other topic's (1 where it has none);

        and `diversity`, the share of different words among those of all topics (Dieng, Ruiz and Blei 2020).

    Examples
    --------
    >>> from plsa import PLSA, topic_table
    >>> from plsa.datasets import planted_corpus
    >>> corpus = planted_corpus(300, 100, 3, word_concentration=0.05, random_state=0)
    >>> found = topic_table(PLSA(3, random_state=0).fit(corpus.counts), corpus.counts, n_words=5)
    >>> print(str(found).splitlines()[0])
    topic  documents  words   npmi  distance   own  words of the topic
    >>> float(found.share_of_words.sum().round(6)), len(found)
    (1.0, 3)
    """
    _check(measure, n_words, by, window)
    scores, names = scores_of_words(model, vocabulary, by)
    columns = [best_of(row, n_words) for row in scores]
    coherence = _coherence(model, X, columns, measure, window)
    last, inside = without_steps(model, X)
    topics = np.asarray(last.transform(inside), dtype=np.float64)
    topics /= np.maximum(topics.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    length = plain_counts(last, inside).lengths()
    number = np.bincount(np.concatenate(columns))
    return TopicTable(
        tuple(classes_of_topics(last)),
        tuple(tuple(names[column] for column in own) for own in columns),
        topics.mean(axis=0),
        length @ topics / max(length.sum(), 1),
        coherence,
        _distance(check_topics(last)),
        np.array([np.mean(number[own] == 1) if len(own) else 1.0 for own in columns]),
        np.count_nonzero(number) / max(number.sum(), 1),
        measure,
    )


def _distance(word_of_topic: Floats) -> Floats:
    """Hellinger's, of each topic to the nearest other one; 1 where there is none."""
    root = np.sqrt(word_of_topic)
    shared = root @ root.T
    np.fill_diagonal(shared, 0)
    return np.sqrt(np.clip(1 - shared.max(axis=1), 0, 1))
