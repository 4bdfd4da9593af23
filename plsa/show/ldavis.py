"""A model as pyLDAvis takes it."""

from typing import Any

import numpy as np

from plsa.estimators.documents import last_step, scaled_counts, without_steps
from plsa.show.words import check_topics, check_vocabulary

_UNUSED = 1e-12  # P(z|d) of a topic that no document uses


def to_pyldavis(model: Any, X: Any, vocabulary: Any = None) -> dict[str, Any]:
    """What `pyLDAvis.prepare` takes, of a fitted topic model and documents.

    `pyLDAvis.display(pyLDAvis.prepare(**plsa.to_pyldavis(model, X)))` shows it in a notebook, and
    `pyLDAvis.save_html` writes a page. Topics keep their order: number 1 there is topic 0 of the model (pass
    `start_index=0` to `prepare` beside the rest, and it is 0 there too).

    Parameters
    ----------
    model : fitted estimator with topics, or a Pipeline that ends in one
    X : documents, such as those of the fit
    vocabulary : list of words, mapping from word to column, or fitted vectorizer, default=None
        What the columns are called; as for `top_words`.

    Returns
    -------
    dict
        - "topic_term_dists": (topics, words), P(w|z); rows sum to one;
        - "doc_topic_dists": (documents, topics), P(z|d); rows sum to one;
        - "doc_lengths" and "term_frequency": how many words a document has, and how often a word stands in
          all of them, counted as the model counts: where it scales counts (`scaling`), they are scaled;
        - "vocab": list of words;
        - "sort_topics": False.

        pyLDAvis takes logarithms: documents without words are left out, and so are words that stand in none
        of the documents or that no topic has; where P(w|z) is zero, it is the smallest number above zero, and
        P(z|d) is 1e-12 of a topic that no document uses.

    Examples
    --------
    >>> from plsa import PLSA, to_pyldavis
    >>> from plsa.datasets import planted_corpus
    >>> corpus = planted_corpus(50, 30, 3, random_state=0)
    >>> found = to_pyldavis(PLSA(3, random_state=0).fit(corpus.counts), corpus.counts)
    >>> found["topic_term_dists"].shape, found["doc_topic_dists"].shape, len(found["vocab"])
    ((3, 28), (50, 3), 28)
    >>> import pyLDAvis  # doctest: +SKIP
    >>> pyLDAvis.display(pyLDAvis.prepare(**found))  # doctest: +SKIP
    """
    word_of_topic = check_topics(last_step(model))
    if len(word_of_topic) < 2:
        raise ValueError(
            "pyLDAvis places topics by their distances: it needs two at least, and there is one."
        )
    vocab = check_vocabulary(vocabulary, model, word_of_topic.shape[1])
    last, inside = without_steps(model, X)
    counts = scaled_counts(last, inside)
    lengths, frequency = counts.lengths(), counts.word_totals()
    full = lengths > 0
    known = (frequency > 0) & word_of_topic.any(axis=0)
    if not known.any():
        raise ValueError("X holds no word that the model knows: there is nothing to show.")
    topics = np.asarray(last.transform(inside), dtype=np.float64)[full]
    topics[:, ~topics.any(axis=0)] = _UNUSED
    word_of_topic = np.maximum(word_of_topic[:, known], np.finfo(np.float64).tiny)
    return {
        "topic_term_dists": word_of_topic / word_of_topic.sum(axis=1, keepdims=True),
        "doc_topic_dists": topics / topics.sum(axis=1, keepdims=True),
        "doc_lengths": lengths[full],
        "vocab": [word for word, kept in zip(vocab, known.tolist(), strict=True) if kept],
        "term_frequency": frequency[known],
        "sort_topics": False,
    }
