"""What a fitted model has learned, in words."""

import html
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from plsa import inputs
from plsa.engine.parameters import Floats
from plsa.show.tables import aligned

# A word counts as at most so many times as probable in a topic as in the others. Without a limit
# the words that no other topic has would come first however rare they are.
_MAX_RATIO = 1000.0


_WIDTH = 100  # of a table of topics


@dataclass(frozen=True, slots=True, repr=False)
class TopicWords:
    """The words that say most about one topic, the best first; iterates over (word, score)."""

    topic: int  # row of `components_`
    label: Any  # the topic's class; None where it has none
    words: tuple[str, ...]
    scores: tuple[float, ...]
    share: float | None = None  # mean of P(z|d) over the documents of the fit; None where it is not known

    def __iter__(self) -> Iterator[tuple[str, float]]:
        return iter(zip(self.words, self.scores, strict=True))

    def __len__(self) -> int:
        return len(self.words)

    def __str__(self) -> str:
        return f"{self.name}: {' '.join(self.words)}"

    def __repr__(self) -> str:
        return f"{self.name}: {self.scored()}"

    @property
    def name(self) -> str:
        """The topic's class, or its number."""
        return f"topic {self.topic}" if self.label is None else str(self.label)

    def scored(self) -> str:
        """The words, each with its score."""
        return ", ".join(f"{word} {score:.3g}" for word, score in self)


class TopicList(list[TopicWords]):
    """What `top_words` has found: a list that shows itself as a table."""

    def _columns(self) -> list[list[str]]:
        """Number, class and share of each topic, below what they are; what none has is left out."""
        columns = [["topic", *(str(each.topic) for each in self)]]
        if any(each.label is not None for each in self):
            columns.append(["class", *("" if each.label is None else str(each.label) for each in self)])
        if any(each.share is not None for each in self):
            columns.append(["share", *("" if each.share is None else f"{each.share:.3f}" for each in self)])
        return columns

    def __repr__(self) -> str:
        named = aligned([*zip(*self._columns(), strict=True)], names_left=False)
        width = max(map(len, named)) + 2
        lines = [f"{named[0]:{width}}words and scores"]
        for name, each in zip(named[1:], self, strict=True):
            # A word stays with its score: only the blanks after commas are broken at.
            whole = each.scored().replace(" ", "\u00a0").replace(",\u00a0", ", ")
            room = max(_WIDTH - width, 40)
            first, *more = textwrap.wrap(whole, room, break_long_words=False, break_on_hyphens=False) or [""]
            lines += [f"{name:{width}}{first}", *(" " * width + line for line in more)]
        return "\n".join(line.replace("\u00a0", " ").rstrip() for line in lines)

    def _repr_html_(self) -> str:
        rows = zip(*self._columns(), ["words and scores", *(each.scored() for each in self)], strict=True)
        cells = ["".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in rows]
        return "<table>" + "".join(f"<tr>{row}</tr>" for row in cells) + "</table>"


def top_words(model: Any, vocabulary: Any = None, n: int = 10, *, by: str = "ratio") -> TopicList:
    """The `n` words that say most about each topic of a fitted model, in the order of its topics.

    Parameters
    ----------
    model : estimator with `components_` (topics x words), or a Pipeline that ends in one
        Rows are brought to sum one, so that topic models of scikit-learn do as well.
    vocabulary : list of words, mapping from word to column, or fitted vectorizer, default=None
        What the columns are called. None: as the Pipeline's vectorizer has it, else the model's
        `feature_names_in_`, else the number of the column.
    n : int, default=10
        Words per topic. There are fewer where no more speak for it: those of probability zero are
        left out, and by ratio those that are no more probable than in the other topics. Pieces of words that
        the vectorizer of `text_classifier` counts in short texts are left out too.
    by : {"ratio", "probability"}, default="ratio"
        "probability" ranks by P(w|z): what the topic is made of, words that are frequent everywhere
        included. "ratio" ranks by the weighted log-likelihood ratio,
        P(w|z) log(P(w|z) / P(w|other topics)): what sets the topic apart. The other topics are
        mixed in proportion to the model's `topic_prior_`, or equally where it has none; a ratio
        counts as a thousand at most; a lone topic is compared with all words being as probable.

    Returns
    -------
    list of TopicWords
        With `words` and `scores`, descending; `topic`, the row of `components_`; `label`, the class of a
        classifier's topic, None for topics of no class; and `share`, the topic's part of the documents of the
        fit: the mean of their `doc_topic_`, None where the model has none. Equal scores keep the order of
        columns. Printing it shows a table.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from sklearn.pipeline import make_pipeline
    >>> from plsa import PLSAClassifier, top_words
    >>> texts = ["the tea the milk tea", "the tea", "the goal the ball goal", "the ball the team"]
    >>> model = make_pipeline(CountVectorizer(), PLSAClassifier(scaling=None, random_state=0))
    >>> top_words(model.fit(texts, ["food", "food", "sport", "sport"]), n=2)
    topic  class  share  words and scores
        0   food  0.500  tea 2.54, milk 0.696
        1  sport  0.500  ball 1.12, goal 1.12
    >>> for topic in top_words(model, n=2, by="probability"):
    ...     print(topic)
    food: tea the
    sport: the ball
    """
    n = inputs.check_whole(n, "n", 1)
    inputs.check_choice(by, "by", ["ratio", "probability"])
    last = model.steps[-1][1] if hasattr(model, "steps") else model
    word_of_topic = check_topics(last)
    words = check_vocabulary(vocabulary, model, word_of_topic.shape[1])
    score = _ratio(word_of_topic, getattr(last, "topic_prior_", None)) if by == "ratio" else word_of_topic
    counter = model.steps[0][1] if hasattr(model, "steps") else vocabulary
    if hasattr(counter, "is_piece"):
        pieces = set(counter.get_feature_names_out()[counter.is_piece()])
        score[:, [word in pieces for word in words]] = 0  # whole words say the same, and say it better
    labels = [None] * len(score)
    if hasattr(last, "topic_class_"):
        classes = np.asarray(last.classes_).tolist()
        labels = [None if place < 0 else classes[place] for place in last.topic_class_]
    shares = [None] * len(score)
    if hasattr(last, "doc_topic_"):
        shares = np.asarray(last.doc_topic_, dtype=np.float64).mean(axis=0).tolist()
    found = TopicList()
    for topic, row in enumerate(score):
        best = np.argsort(-row, kind="stable")[:n]
        best = best[row[best] > 0]
        shown = tuple(words[column] for column in best)
        found.append(TopicWords(topic, labels[topic], shown, tuple(row[best].tolist()), shares[topic]))
    return found


def _ratio(word_of_topic: Floats, prior: Any) -> Floats:
    """P(w|z) log(P(w|z) / P(w|other topics)), zero where P(w|z) is."""
    n_topics, n_words = word_of_topic.shape
    share = np.ones(n_topics) if prior is None else np.asarray(prior, dtype=np.float64)
    together = share @ word_of_topic
    score = np.zeros_like(word_of_topic)
    for topic, row in enumerate(word_of_topic):
        others = np.full(n_words, 1 / n_words)
        if n_topics > 1:
            others = (together - share[topic] * row) / (share.sum() - share[topic])
        at = row > 0
        ratio = row[at] / np.maximum(others[at], row[at] / _MAX_RATIO)
        score[topic, at] = row[at] * np.log(ratio)
    return score


def check_topics(model: Any) -> Floats:
    """P(w|z) of a fitted model, topics x words: `components_` with rows that sum to one."""
    if not hasattr(model, "components_"):
        check_is_fitted(model)
        raise ValueError(f"model == {model!r} has no topics; it must have components_ after fit.")
    components = np.array(model.components_, dtype=np.float64)
    if components.ndim != 2 or not np.all((components >= 0) & np.isfinite(components)):
        wanted = "they must be topics x words, finite and >= 0"
        raise ValueError(f"components_ of {model!r} are not word distributions: {wanted}.")
    total = components.sum(axis=1, keepdims=True)
    np.divide(components, total, out=components, where=total > 0)
    return components


def check_vocabulary(vocabulary: Any, model: Any, n_words: int) -> list[str]:
    """What the columns of the counts are called; see `top_words`."""
    if vocabulary is None:
        if len(getattr(model, "steps", ())) > 1:
            try:
                vocabulary = model[:-1].get_feature_names_out()
            except AttributeError:  # of a step that does not know, such as a HashingVectorizer
                vocabulary = None
        else:
            vocabulary = getattr(model, "feature_names_in_", None)
        if vocabulary is None:
            vocabulary = range(n_words)
    elif hasattr(vocabulary, "get_feature_names_out"):
        vocabulary = vocabulary.get_feature_names_out()
    elif isinstance(vocabulary, Mapping):
        if sorted(vocabulary.values()) != list(range(len(vocabulary))):
            wanted = f"from each word to its column: its values must be 0 to {len(vocabulary) - 1}, each once"
            raise ValueError(f"vocabulary is a mapping, but not {wanted}.")
        vocabulary = sorted(vocabulary, key=vocabulary.__getitem__)
    if isinstance(vocabulary, str) or not hasattr(vocabulary, "__len__"):
        known = "a list of words, a mapping from word to column, or a fitted vectorizer"
        raise ValueError(f"vocabulary == {vocabulary!r}, but must be {known}.")
    if len(vocabulary) != n_words:
        fitted = f"the model was fitted on {n_words} columns; pass that of the vectorizer of its counts"
        raise ValueError(f"vocabulary has {len(vocabulary)} words, but {fitted}.")
    return [str(word) for word in vocabulary]
