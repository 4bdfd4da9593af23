"""`plsa demo`: what the library does, on texts that are there already."""

import argparse
import time
import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plsa import datasets
from plsa.app.options import whole
from plsa.app.page import Page
from plsa.estimators.semisupervised import SoftMislabelingPLSA
from plsa.estimators.supervised import PLSAClassifier
from plsa.estimators.topics import PLSA
from plsa.show.words import top_words

_N_TOPICS = 12
_N_STARTS = 5
_N_DRAWS = 3
_NO_SUBJECT = ("numpy", "lib", "ma", "utils")  # sub-packages of all sorts of things
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


def add_options(parser: argparse.ArgumentParser) -> None:
    """What `plsa demo` can be told."""
    few = "most labeled documents of each class in the comparison with few labels (default 5)"
    for name, smallest, largest, default, text in (
        ("seed", 0, 2**32 - 1, 0, "another seed, another choice of documents (default 0)"),
        ("labels", 1, None, 5, few),
        ("threads", 1, None, None, "threads (default: as many as help); the results are the same"),
    ):
        kind = whole(name, smallest, largest)
        parser.add_argument(f"--{name}", type=kind, default=default, metavar="N", help=text)
    parser.add_argument("--no-color", action="store_true", help="plain text; so does NO_COLOR=1")


def run(args: argparse.Namespace) -> int:
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
    # What a text is about: numpy.linalg and scipy.linalg have one subject, and some have none of their own.
    about = np.array([name.rpartition(".")[2] for name in found.target_names])[found.target]
    kept = np.flatnonzero(~np.isin(about, _NO_SUBJECT))
    texts, names, y = [found.data[i] for i in kept], [found.names[i] for i in kept], about[kept]
    train, test = train_test_split(np.arange(len(y)), test_size=0.25, stratify=y, random_state=seed)
    vectorizer = CountVectorizer(stop_words="english", min_df=2, token_pattern=r"[^\W\d_]{2,}")
    with page.stage("Counting words"):
        X = vectorizer.fit_transform([texts[i] for i in train])
        X_test = vectorizer.transform([texts[i] for i in test])
    page.lines(
        f"{len(y):,} documents, each the text about one function or class; {X.shape[1]:,}",
        "different words. The label of a document is its subject, the name of the",
        f"sub-package that it is from: {len(np.unique(y))} classes. {len(test):,} documents, a quarter, are",
        "put aside for testing.",
    )
    names = [names[i] for i in test]
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
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import MultinomialNB

    page.heading("3. Does it work? Labeling the documents put aside")
    X, y, X_test, y_test = corpus.X, corpus.y, corpus.X_test, corpus.y_test
    tfidf = TfidfTransformer(sublinear_tf=True).fit(X)
    vectors, vectors_test = tfidf.transform(X), tfidf.transform(X_test)
    everything = np.arange(len(y))

    def scores(few: NDArray[Any]) -> dict[str, list[float]]:
        """The share of documents put aside that each gets right, having seen the labels of these."""
        known = np.where(np.isin(everything, few), y, "")
        ours = SoftMislabelingPLSA(random_state=args.seed, n_threads=args.threads).fit(X, known)
        alone = model if len(few) == len(y) else _classifier(args).fit(X[few], y[few])
        found = {"SoftMislabelingPLSA": [ours.score(X_test, y_test)]}
        found["PLSAClassifier"] = [alone.score(X_test, y_test)]
        regression = LogisticRegression(C=100, max_iter=300, tol=1e-3).fit(vectors[few], y[few])
        found["logistic regression, TF-IDF"] = [regression.score(vectors_test, y_test)]
        bayes = [MultinomialNB(alpha=alpha).fit(X[few], y[few]) for alpha in (1.0, 0.1, 0.01)]
        found["naive Bayes"] = [each.score(X_test, y_test) for each in bayes]
        return found

    rng = np.random.default_rng(args.seed)
    of_class = [np.flatnonzero(y == name) for name in np.unique(y)]
    columns: dict[str, dict[str, list[float]]] = {}
    with warnings.catch_warnings():
        # What few labels may lead to: taken for a regression, no class of some documents seen.
        warnings.simplefilter("ignore", UserWarning)
        for n_labels in sorted({1, 2, args.labels}):
            per_class = f"{n_labels} label{'s' if n_labels > 1 else ''} per class"
            with page.stage(f"Learning from {per_class}, {_N_DRAWS} times"):
                # So many documents of each class, or all where it has fewer.
                draws = [
                    np.concatenate([rng.permutation(own)[:n_labels] for own in of_class])
                    for _ in range(_N_DRAWS)
                ]
                drawn = [scores(few) for few in draws]
            means = {name: np.mean([each[name] for each in drawn], axis=0).tolist() for name in drawn[0]}
            columns[f"{n_labels} per class"] = means
        with page.stage(f"Learning from all {len(y):,} labels"):
            columns[f"all {len(y):,}"] = scores(everything)
    page.lines("Of 100 documents, so many get the right label:", "")
    page.lines(f"{'labels to learn from':<30}" + "".join(f"{name:>12}" for name in columns))
    names, counts = np.unique(y, return_counts=True)
    frequent = names[counts.argmax()]
    always = {f"always saying {frequent}": [float(np.mean(y_test == frequent))]}
    for name in (*columns[f"all {len(y):,}"], *always):
        best = [max((column | always)[name]) for column in columns.values()]
        page.lines(f"{name:<30}" + "".join(f"{100 * share:>12.1f}" for share in best))
    page.lines(
        "",
        "SoftMislabelingPLSA learns from the other documents too, their labels unseen:",
        "that helps most where labels are few. The next two are scikit-learn's, with",
        "C=100 and with the best of three smoothings on these documents.",
        f"With few labels: the mean of {_N_DRAWS} random choices of what is labeled.",
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
            name = name.rpartition(".")[2]
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
