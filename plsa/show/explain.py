"""Why a document has its label: what decides, as a sum over its words."""

import warnings
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import normalize
from sklearn.utils.validation import check_is_fitted

from plsa.engine.parameters import Floats, Places
from plsa.estimators.base import CountEstimator
from plsa.estimators.documents import reads_texts, steps_of
from plsa.estimators.others import decision_parts
from plsa.estimators.places import Place, places_of
from plsa.estimators.text import read_texts
from plsa.estimators.validation import check_labels, refuse_texts
from plsa.inputs import check_whole, counted
from plsa.labels.reading import UNLABELED, is_unlabeled
from plsa.learning.parts import Parts
from plsa.learning.scaling import TFIDF, vectors
from plsa.learning.student import LEFT_OUT
from plsa.show.explanation import (
    ClassScore,
    DocumentTopic,
    Explanation,
    SimilarDocument,
    TextShare,
    WordShare,
)
from plsa.show.words import check_vocabulary, top_words

_TOPIC_WORDS = 7  # of a topic
_EXCERPT = 200  # signs of a text
_LEFT_OUT = (
    "The model has learned from this document, under a guess of its own. What that has taught about "
    "the document itself is left out, as it is when the model predicts."
)
_NOTHING_KNOWN = "The model knows no word of the document: nothing in it speaks for one of the classes."
_RAISED = (
    "The probabilities above are these P(class) to the power {:.3g}, brought to sum one again: so labeled "
    "documents have it that were held out."
)
_NO_PLACES = "Where the words stand in the text is not known: it is cut into words in a way of its own."
_ONE_CLASS = "There is one class: nothing has to be decided."


def explain(
    model: Any,
    document: Any,
    *,
    label: Any = None,
    X: Any = None,
    y: Any = None,
    vocabulary: Any = None,
    n_words: int = 10,
    n_classes: int = 3,
    n_topics: int = 3,
    n_documents: int = 3,
) -> Explanation:
    """Why a document has its label: what each of its words adds to what decides, for and against it.

    What is explained is what `predict` goes by: the shares of words and a few constants add up to the score
    s[c] of every class c, and the highest wins. With n(w) for the count of word w:

    - A student (the mislabeling models, `PLSAClassifier(student="linear")`): P(c|d) ~ exp(s[c]), and s[c] =
      k sum_w x(w) B[w, c] + intercepts, of TF-IDF x at unit length; k is the calibration, sharpness /
      height^leveling. Of a document that it was taught by under a guess, what that has taught about the
      document itself is a constant, which is taken away.
    - Topics (other models of topics, or `student=None`): s[c] = P(c|d) = sum_z P(z|d) P(c|z). A word has
      n(w) (P(c|w) - P(c)) / N: what it says by itself, P(z|w) ~ P(z) P(w|z), which is nothing if all topics
      have it alike. That is the first round of folding a document in; what is added by the others, in which
      every word is read in the light of all, is a constant, "all words together".
    - `NaiveBayesEM`: P(c|d) ~ exp(s[c]), s[c] = log P(c) + sum_w n(w) log P(w|c).
    - `TopicSensitivePLSA`, and linear classifiers: s is what `decision_function` says.
    - `PLSA`: topics stand for classes.

    Shown is s[c] less the mean of all classes; of two classes, and with `label`, the one less the other.

    Parameters
    ----------
    model : fitted estimator, or a Pipeline that ends in one
        Any of this package that decides by such a sum, and linear classifiers of scikit-learn. An error says
        of others that they cannot be explained.
    document : str, or a row of counts
        One document, as the model takes it: a text where the model is a pipeline that reads texts; else
        counts, sparse or dense, in one or two dimensions.
    label : class, default=None
        Why not this class? The first class is then compared with it; or with the second, if it is the first.
    X, y : documents as the model takes them, and their labels, default=None
        Labeled documents to find those in that are most like this one, such as those of the fit; documents
        without a label are passed over. Likeness is the cosine of TF-IDF, words being as rare as in X.
    vocabulary : list of words, mapping from word to column, or fitted vectorizer, default=None
        What the columns of counts are called, as for `top_words`.
    n_words : int, default=10
        How many words are shown; the others are summed up. All are in the result.
    n_classes : int, default=3
        How many classes are shown, the predicted one and the next.
    n_topics : int, default=3
        How many of the document's topics.
    n_documents : int, default=3
        How many labeled documents that are like it; of several that are the same, with the same label, one.

    Returns
    -------
    Explanation
        Plain data; `to_dict()` gives what JSON can hold. Printing it shows tables of 80 columns; in a
        notebook words are shaded in their text, blue for and orange against the label. `words` has the share
        of each word of each class of `classes`, `places` where words stand in the text and what they add
        there. Pieces of words, which `text_classifier` counts in short texts, count for their words.

    Notes
    -----
    A document without a known word has no `words`, and the constants say all. Where there is one class,
    nothing is decided. A declared class without an example is never among `classes`; classes that are alike
    keep their order, the predicted one first. What a labeled document of the fit has taught by its label is
    not left out. Where a model computes in float32, the shares of words bear
    the rounding of its sum, which is less than a part in ten thousand.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from plsa import explain, text_classifier
    >>> texts = ["tea and milk", "a cup of tea", "cup and milk", "goal and ball", "a ball team", "team goal"]
    >>> labels = ["food", "food", None, "sport", "sport", None]
    >>> model = text_classifier(vectorizer=CountVectorizer(), random_state=0).fit(texts, labels)
    >>> found = explain(model, "The team had a cup of tea.", n_topics=0)
    >>> print(found)
    food 98.7%, sport 1.3%
    <BLANKLINE>
    Decided by a linear student on TF-IDF; words add to log P(food)/P(sport):
    tea         +2.65 ++++++++++++++++++++++
    of          +1.93 ++++++++++++++++
    cup         +1.74 ++++++++++++++
    team        -2.02 -----------------
    intercepts  +0.05
    sum         +4.34
    >>> [(found.text[place.start : place.end], round(place.share, 2)) for place in found.places]
    [('team', -2.02), ('cup', 1.74), ('of', 1.93), ('tea', 2.65)]
    """
    for value, name in ((n_words, "n_words"), (n_topics, "n_topics"), (n_documents, "n_documents")):
        check_whole(value, name, 0)
    check_whole(n_classes, "n_classes", 1)
    model = getattr(model, "best_estimator_", model)
    last = steps_of(model)[-1]
    check_is_fitted(last)
    with warnings.catch_warnings():
        # The result says so itself.
        warnings.filterwarnings("ignore", r"\d+ of \d+ documents? ha(s|ve) no word")
        row, text = _read(model, document)
        parts = decision_parts(last, row)
        names, chance = _names(last, parts), _chances(last, row)
        order = _order(last, row, parts, names)
        rival = _rival(label, names, order, last)
        shown = order[: 1 if rival is not None else n_classes]
        beside = _beside(parts, shown, rival)
        called = check_vocabulary(vocabulary, model, last.n_features_in_)
        words, places, notes = _words(steps_of(model)[0], row, text, beside, called)
        topics = _topics(model, row, called, n_topics)
        similar = _similar(model, row, X, y, n_documents)
    if parts.power != 1 and len(names) > 1:
        notes.append(_RAISED.format(parts.power))
    if LEFT_OUT in parts.constants:
        notes.append(_LEFT_OUT)
    if not words:
        notes.append(_ONE_CLASS if len(names) == 1 else _NOTHING_KNOWN)
    scores = zip(shown.tolist(), beside.scores.tolist(), strict=True)
    return Explanation(
        label=names[order[0]],
        by=parts.by,
        of=parts.of if hasattr(last, "classes_") else "P(topic)",
        n_classes=len(names),
        classes=tuple(
            ClassScore(
                names[place],
                None if rival is None else names[rival],
                None if chance is None else chance[names[place]],
                None if chance is None or rival is None else chance[names[rival]],
                score,
                {name: float(each[at]) for name, each in beside.constants.items() if each.any()},
            )
            for at, (place, score) in enumerate(scores)
        ),
        words=words,
        topics=topics,
        similar=similar,
        text=text,
        places=places,
        notes=tuple(notes),
        n_words=int(n_words),
    )


# --- the document --------------------------------------------------------------------------------


def _read(model: Any, document: Any) -> tuple[Any, str | None]:
    """One document as a row for the last step, and its text, if it is one."""
    *before, last = steps_of(model)
    reader = next((step for step in before if reads_texts(step)), None)
    if reader is None:
        refuse_texts(document, type(last).__name__)
        row = _one_row(document)
        return (model[:-1].transform(row) if before else row), None
    text = document
    if not (isinstance(document, str | bytes) or callable(reader.analyzer)):
        texts = read_texts(document if hasattr(document, "__len__") else [document])
        _check_one(len(texts))
        text = next(iter(texts))
    is_text = isinstance(text, str | bytes) and reader.input == "content"
    return model[:-1].transform([text]), reader.decode(text) if is_text else None


def _one_row(document: Any) -> Any:
    """Counts of one document as a table of one row."""
    if hasattr(document, "to_frame"):  # a row of a table of pandas
        return document.to_frame().T
    if not hasattr(document, "shape"):
        document = np.asarray(document)
    if len(document.shape) < 2:
        document = document.reshape(1, -1)
    _check_one(document.shape[0])
    return document


def _check_one(number: int) -> None:
    if number != 1:
        found = f"document holds {counted(number, 'document')}"
        raise ValueError(f"{found}, but one is explained at a time: pass one of them.")


# --- what decides --------------------------------------------------------------------------------


def _plain(values: Any) -> list[Any]:
    return np.asarray(values).tolist()


def _names(last: Any, parts: Parts) -> list[Any]:
    """What the classes of a score are called."""
    names = _plain(parts.classes)
    return names if hasattr(last, "classes_") else [f"topic {number}" for number in names]


def _chances(last: Any, row: Any) -> dict[Any, float] | None:
    """P(class|document), as the model has it; None where it has none."""
    if not hasattr(last, "classes_"):
        return {f"topic {number}": share for number, share in enumerate(_plain(last.transform(row)[0]))}
    if not hasattr(last, "predict_proba"):
        return None
    return dict(zip(_plain(last.classes_), _plain(last.predict_proba(row)[0]), strict=True))


def _order(last: Any, row: Any, parts: Parts, names: list[Any]) -> Places:
    """The classes, the predicted one first and then by their scores; of equals those that come first."""
    order = np.argsort(-parts.scores, kind="stable")
    if hasattr(last, "classes_"):
        first = names.index(_plain(last.predict(row))[0])
        order = np.array([first, *order[order != first]])
    return order


def _rival(label: Any, names: list[Any], order: Places, last: Any) -> int | None:
    """The class that the first is compared with; None: the mean of all."""
    if label is None or len(names) == 1:
        return int(order[1]) if len(names) == 2 else None
    label = label.item() if isinstance(label, np.generic) else label
    if not hasattr(last, "classes_") and f"topic {label}" in names:
        label = f"topic {label}"
    if label not in names:
        if hasattr(last, "classes_") and label in _plain(last.classes_):
            raise ValueError(f"label == {label!r} has no example: nothing is known for it or against it.")
        raise ValueError(f"label == {label!r}, but must be one of {names}.")
    place = names.index(label)
    return int(order[1]) if place == order[0] else place


def _beside(parts: Parts, shown: Places, rival: int | None) -> Parts:
    """The scores of some classes, less that of another, or less the mean of all."""

    def less(values: Floats) -> Floats:
        other = values.mean(axis=-1) if rival is None else values[..., rival]
        return np.asarray(values[..., shown] - other[..., np.newaxis])

    constants = {name: less(each) for name, each in parts.constants.items()}
    return replace(parts, share=less(parts.share), constants=constants, classes=None)


# --- words ---------------------------------------------------------------------------------------


def _words(
    reader: Any, row: Any, text: str | None, parts: Parts, names: Sequence[str]
) -> tuple[tuple[WordShare, ...], tuple[TextShare, ...], list[str]]:
    """The words by their shares, where they stand in the text, and what is to be said of that."""
    row = sparse.csr_array(np.asarray(row) if hasattr(row, "iloc") else row, copy=True)
    row.sum_duplicates()
    number = dict(zip(row.indices.tolist(), row.data.tolist(), strict=True))
    said = {int(word): share for word, share in zip(parts.word, parts.share, strict=True) if share.any()}
    places = None if text is None else _placed(reader, text, names, said)
    if places is None:
        found = [WordShare(names[w], float(number[w]), tuple(each.tolist())) for w, each in said.items()]
        return _by_size(found), (), [] if text is None or not said else [_NO_PLACES]
    of_word: dict[str, list[Floats]] = defaultdict(list)
    for place, share in places:
        of_word[place.word].append(share)
    total = {word: np.sum(each, axis=0).tolist() for word, each in of_word.items()}
    found = [WordShare(word, float(len(each)), tuple(total[word])) for word, each in of_word.items()]
    stands = [TextShare(place.start, place.end, place.word, float(share[0])) for place, share in places]
    return _by_size(found), tuple(sorted(stands, key=lambda each: (each.start, each.end))), []


def _by_size(words: list[WordShare]) -> tuple[WordShare, ...]:
    return tuple(sorted(words, key=lambda each: -abs(each.shares[0])))


def _placed(
    vectorizer: Any, text: str, names: Sequence[str], said: dict[int, Floats]
) -> list[tuple[Place, Floats]] | None:
    """What says something, where it stands; None where something that does is not found."""
    # What changes texts before they are cut into words may put these anywhere.
    places = places_of(vectorizer, text) if reads_texts(vectorizer) else None
    if places is None:
        return None
    share_of = {names[word]: share for word, share in said.items()}
    times = Counter(each for place in places for each in place.counted)
    if not share_of.keys() <= times.keys():
        return None
    found = []
    for place in places:
        shares = [share_of[each] / times[each] for each in place.counted if each in share_of]
        if shares:
            found.append((place, np.sum(shares, axis=0)))
    return found


# --- what is like it -----------------------------------------------------------------------------


def _topics(model: Any, row: Any, names: Sequence[str], number: int) -> tuple[DocumentTopic, ...]:
    """The document's topics, the largest first."""
    last = steps_of(model)[-1]
    if not number or not (hasattr(last, "components_") and hasattr(last, "transform")):
        return ()
    share, words = last.transform(row)[0], top_words(model, names, n=_TOPIC_WORDS)
    largest = np.argsort(-share, kind="stable")[:number].tolist()
    return tuple(DocumentTopic(z, words[z].label, float(share[z]), words[z].words) for z in largest)


def _similar(model: Any, row: Any, X: Any, y: Any, number: int) -> tuple[SimilarDocument, ...]:
    """The labeled documents most like one, the first of those that are the same."""
    if X is None and y is None:
        return ()
    if X is None or y is None:
        missing, given = ("X", "y") if X is None else ("y", "X")
        raise ValueError(f"{given} is given without {missing}: both are needed to find labeled documents.")
    steps = steps_of(model)
    rows = model[:-1].transform(X) if len(steps) > 1 else X
    own, others = _directions(steps[-1], row, rows)
    labels = check_labels(y, others.shape[0])
    known = np.flatnonzero(~is_unlabeled(labels, getattr(steps[-1], "unlabeled", UNLABELED)))
    cosine = np.round((others[known] @ own.T).toarray().ravel().astype(np.float64), 6)
    texts = list(X) if any(map(reads_texts, steps)) else None
    found: list[SimilarDocument] = []
    seen = set()
    for place in np.argsort(-cosine, kind="stable").tolist():
        if len(found) == number or cosine[place] <= 0:
            break
        at = int(known[place])
        label, same = _plain(labels[at : at + 1])[0], others[[at]]
        mark = (label, same.indices.tobytes(), same.data.tobytes())
        if mark not in seen:
            seen.add(mark)
            text = None if texts is None else str(texts[at])[:_EXCERPT]
            found.append(SimilarDocument(at, label, float(cosine[place]), text))
    return tuple(found)


def _directions(last: Any, row: Any, rows: Any) -> tuple[sparse.csr_array, sparse.csr_array]:
    """A document and others as TF-IDF at unit length; of what is not ours, as they are but for the length."""
    if not isinstance(last, CountEstimator):
        return tuple(sparse.csr_array(normalize(sparse.csr_array(each))) for each in (row, rows))
    one, others = last.checked_counts(row), last.checked_counts(rows)
    scaler = TFIDF.fit(others)
    return vectors(scaler, one), vectors(scaler, others)
