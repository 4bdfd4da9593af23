"""`plsa demo`: what the library does, on texts that are there already."""

import argparse
import time
import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plsa import datasets
from plsa.app.page import Page
from plsa.estimators.semisupervised import SoftMislabelingPLSA
from plsa.estimators.supervised import PLSAClassifier
from plsa.estimators.topics import PLSA
from plsa.show.words import top_words

_N_TOPICS = 12
_N_STARTS = 5
_N_DRAWS = 3
_SMOOTHING = 0.1  # of P(w|z) where topics are judged by words of documents they have not seen

_EXAMPLE = """\
from plsa import text_classifier, top_words

model = text_classifier().fit(texts, labels)
print(model.predict(new_texts), *top_words(model), sep="\\n")
"""


class _Corpus(NamedTuple):
    """The docstrings, counted and cut in two."""

    words: NDArray[Any]
    X: Any  # counts of the documents to learn from
    y: NDArray[Any]
    X_test: Any
    y_test: NDArray[Any]
    names_test: list[str]


def demo(args: argparse.Namespace) -> int:
    """Learns to label the docstrings of numpy, scipy and scikit-learn, and finds topics in them."""
    begin = time.perf_counter()
    page = Page(color=not args.no_color)
    page.write(
        "plsa learns what texts are about. Give it texts of which some have labels, and\n"
        "it learns to label others; give it texts alone, and it finds their topics.\n"
    )
    corpus = _read_docstrings(page, args.seed)
    model = _learn_classes(page, corpus, args)
    _compare(page, corpus, model, args)
    _show_predictions(page, corpus, model, args.seed)
    _find_topics(page, corpus, args)
    page.heading("Now your own texts")
    page.lines("With texts and labels two lists, None for what has no label, and new_texts:", "")
    page.lines(*_EXAMPLE.splitlines(), "")
    page.lines("plsa.datasets.read_corpus reads texts and labels from CSV, JSON or folders.")
    page.lines(f"All of this took {time.perf_counter() - begin:.1f} s.")
    return 0


def _read_docstrings(page: Page, seed: int) -> _Corpus:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.model_selection import train_test_split

    page.heading("1. A corpus, made of what is installed here")
    with page.stage("Reading the documentation of numpy, scipy and scikit-learn"):
        found = datasets.load_docstrings()
    y = found.target_names[found.target]
    train, test = train_test_split(np.arange(len(y)), test_size=0.25, stratify=y, random_state=seed)
    vectorizer = CountVectorizer(stop_words="english", min_df=2, token_pattern=r"[^\W\d_]{2,}")
    with page.stage("Counting words"):
        X = vectorizer.fit_transform([found.data[i] for i in train])
        X_test = vectorizer.transform([found.data[i] for i in test])
    page.lines(
        f"{len(y):,} documents, each the text about one function or class; {X.shape[1]:,}",
        "different words. The label of a document is the sub-package that it is from:",
        f"{len(found.target_names)} classes. {len(test):,} documents, a quarter, are put aside for testing.",
    )
    names = [found.names[i] for i in test]
    return _Corpus(vectorizer.get_feature_names_out(), X, y[train], X_test, y[test], names)


def _classifier(args: argparse.Namespace) -> PLSAClassifier:
    return PLSAClassifier(random_state=args.seed, n_threads=args.threads)


def _learn_classes(page: Page, corpus: _Corpus, args: argparse.Namespace) -> PLSAClassifier:
    page.heading("2. With labels: learning what the classes are about")
    with page.stage(f"Learning from {len(corpus.y):,} labeled documents (PLSAClassifier)"):
        model = _classifier(args).fit(corpus.X, corpus.y)
    page.lines("The words that set each class apart:", "")
    width = max(len(name) for name in model.classes_)
    for topic in top_words(model, corpus.words):
        page.words(topic.label, width + 1, topic.words)
    return model


def _compare(page: Page, corpus: _Corpus, model: PLSAClassifier, args: argparse.Namespace) -> None:
    from sklearn.naive_bayes import MultinomialNB

    page.heading("3. Does it work? Labeling the documents put aside")
    X, y, X_test, y_test = corpus.X, corpus.y, corpus.X_test, corpus.y_test
    semi_supervised = SoftMislabelingPLSA(random_state=args.seed, n_threads=args.threads)
    naive_bayes = [MultinomialNB(alpha=smoothing) for smoothing in (1.0, 0.1, 0.01)]
    with page.stage(f"Labeling {len(y_test):,} documents"):
        ours = model.score(X_test, y_test)
    with page.stage("The same with SoftMislabelingPLSA, which is made for few labels"):
        best = semi_supervised.fit(X, y).score(X_test, y_test)
    theirs = [each.fit(X, y).score(X_test, y_test) for each in naive_bayes]
    rng = np.random.default_rng(args.seed)
    ours_few, theirs_few, best_few, n_few = [], [], [], 0
    per_class = f"{args.labels} label{'s' if args.labels > 1 else ''} per class"
    with warnings.catch_warnings(), page.stage(f"Learning again, from {per_class}, {_N_DRAWS} times"):
        # Older versions of scikit-learn take few labels for the sign of a regression.
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        for _ in range(_N_DRAWS):
            # So many documents of each class, or all where it has fewer.
            of_class = [np.flatnonzero(y == name) for name in np.unique(y)]
            few = np.concatenate([rng.permutation(own)[: args.labels] for own in of_class])
            n_few = len(few)
            ours_few.append(_classifier(args).fit(X[few], y[few]).score(X_test, y_test))
            theirs_few.append([each.fit(X[few], y[few]).score(X_test, y_test) for each in naive_bayes])
            known = np.where(np.isin(np.arange(len(y)), few), y, "-1")
            best_few.append(semi_supervised.fit(X, known).score(X_test, y_test))
    names, counts = np.unique(y, return_counts=True)
    frequent = names[counts.argmax()]
    always = float(np.mean(y_test == frequent))
    few_labels = f"{n_few:,} ({args.labels} per class)"
    page.lines("Of 100 documents, so many get the right label:", "")
    page.lines(f"{'labels to learn from':<30}{f'all {len(y):,}':>14}{few_labels:>20}")
    for name, with_all, with_few in (
        ("SoftMislabelingPLSA", best, float(np.mean(best_few))),
        ("PLSAClassifier", ours, float(np.mean(ours_few))),
        ("naive Bayes (scikit-learn)", max(theirs), float(np.mean(theirs_few, axis=0).max())),
        (f"always saying {frequent}", always, always),
    ):
        page.lines(f"{name:<30}{100 * with_all:>14.1f}{100 * with_few:>20.1f}")
    page.lines(
        "",
        "SoftMislabelingPLSA learns from the other documents too, their labels unseen.",
        "Naive Bayes has that smoothing, of three, which does best on these documents.",
        f"With {n_few:,} labels: the mean of {_N_DRAWS} random choices of what is labeled.",
    )


def _show_predictions(page: Page, corpus: _Corpus, model: PLSAClassifier, seed: int) -> None:
    probability = model.predict_proba(corpus.X_test)
    predicted = model.classes_[probability.argmax(axis=1)]
    right = predicted == corpus.y_test
    rng = np.random.default_rng(seed)
    page.heading("4. Some that it got right and some that it got wrong, drawn at random")
    width = max(len(name) for name in model.classes_) + 1
    page.lines(f"{'':<7}{'document':<18}{'from':<{width}}{'label given':<{width - 4}}how sure")
    for of, verdict, n in ((right, "right", 4), (~right, "WRONG", 3)):
        for at in rng.permutation(np.flatnonzero(of))[:n]:
            name, true = corpus.names_test[at], corpus.y_test[at]
            name = name.removeprefix(f"{true}.")
            shown = name if len(name) <= 17 else name[:14] + "..."
            guess = f"{predicted[at]:<{width}}{100 * probability[at].max():3.0f}%"
            page.lines(f"{verdict:<7}{shown:<18}{true:<{width}}{guess}")


def _find_topics(page: Page, corpus: _Corpus, args: argparse.Namespace) -> None:
    page.heading("5. Without labels: finding topics")
    model = PLSA(
        _N_TOPICS, smoothing=_SMOOTHING, n_init=_N_STARTS, random_state=args.seed, n_threads=args.threads
    )
    with page.stage(f"Finding {_N_TOPICS} topics in the same documents, labels unseen (PLSA)"):
        model.fit(corpus.X)
    page.lines("Their words, and the class that, as it turns out, has most to do with each:", "")
    # How many words of each class speak of each topic.
    use = np.asarray(corpus.X.sum(axis=1)).reshape(-1, 1) * model.doc_topic_
    names = np.unique(corpus.y)
    of_class = np.array([use[corpus.y == name].sum(axis=0) for name in names])
    width = max(len(name) for name in names)
    for topic in top_words(model, corpus.words):
        page.words(names[of_class[:, topic.topic].argmax()], width + 1, topic.words)
    frequency = np.asarray(corpus.X.sum(axis=0), dtype=float).ravel() + _SMOOTHING
    log_frequency = np.log(frequency / frequency.sum())
    plain = float(np.exp(-(corpus.X_test @ log_frequency).sum() / corpus.X_test.sum()))
    page.lines("")
    with page.stage("Guessing one half of each document put aside from the other half"):
        perplexity = model.perplexity(corpus.X_test, completion=True)
    page.lines(f"A word is then as hard to guess as one of {perplexity:,.0f} equally likely words;")
    page.lines(f"knowing only how frequent words are, of {plain:,.0f} (this is called perplexity).")
