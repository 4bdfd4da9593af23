"""The command `plsa`: each sub-command is one function and one entry of `_COMMANDS`."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import plsa
from plsa import datasets, inputs
from plsa._kernels import OPENMP, current_level
from plsa.engine.threads import available_threads
from plsa.estimators.semisupervised import SoftMislabelingPLSA
from plsa.estimators.supervised import PLSAClassifier
from plsa.estimators.topics import PLSA
from plsa.show.words import top_words

_WIDTH = 80
_INTERRUPTED = 128 + 2  # what a shell reports of a program that SIGINT ended
_CLOSED_PIPE = 128 + 13  # and SIGPIPE


class _Page:
    """Lines for a terminal: headings stand out where it has colours, stages say how long they took.

    What the stream's encoding lacks is written as "?".
    """

    def __init__(self, colour: bool = True) -> None:
        self._stream = sys.stdout
        self._encoding = getattr(self._stream, "encoding", None) or "utf-8"
        self._colour = (
            colour
            and self._stream.isatty()
            and not os.environ.get("NO_COLOR")
            and os.environ.get("TERM") != "dumb"
        )

    def write(self, text: str) -> None:
        """Writes at once, so that a reader sees what is under way."""
        self._stream.write(text.encode(self._encoding, "replace").decode(self._encoding))
        self._stream.flush()

    def line(self, text: str = "") -> None:
        """Writes a line, indented."""
        self.write(f"  {text}\n" if text else "\n")

    def heading(self, text: str) -> None:
        """Begins a part."""
        self.write(f"\n\033[1m{text}\033[0m\n" if self._colour else f"\n{text}\n")

    def words(self, name: str, width: int, words: Iterable[str]) -> None:
        """Writes a name and as many words as the line has room for."""
        text = name.ljust(width)
        for word in words:
            if len(text) + 3 + len(word) > _WIDTH:
                break
            text += f" {word}"
        self.line(text)

    @contextlib.contextmanager
    def stage(self, doing: str) -> Generator[None]:
        """Says what is under way and, when it is done, how long it took."""
        self.write(f"  {doing} ... ")
        begin = time.perf_counter()
        try:
            yield
        except KeyboardInterrupt:
            self.write("\n")
            raise
        taken = time.perf_counter() - begin
        self.write(f"{taken:.{1 if taken >= 1 else 2}f} s\n")


# --- plsa demo -----------------------------------------------------------------------------------

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


def _demo(args: argparse.Namespace) -> int:
    """Learns to label the docstrings of numpy, scipy and scikit-learn, and finds topics in them."""
    begin = time.perf_counter()
    page = _Page(colour=not args.no_color)
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
    page.line("With texts and labels two lists, None for what has no label, and new_texts:")
    page.line()
    for line in _EXAMPLE.splitlines():
        page.line(line)
    page.line()
    page.line("plsa.datasets.read_corpus reads texts and labels from CSV, JSON or folders.")
    page.line(f"All of this took {time.perf_counter() - begin:.1f} s.")
    return 0


def _read_docstrings(page: _Page, seed: int) -> _Corpus:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.model_selection import train_test_split

    page.heading("1. A corpus, made of what is installed here")
    with page.stage("Reading the documentation of numpy, scipy and scikit-learn"):
        found = datasets.load_docstrings()
    y = found.target_names[found.target]
    train, test = train_test_split(np.arange(len(y)), test_size=0.25, stratify=y, random_state=seed)
    vectoriser = CountVectorizer(stop_words="english", min_df=2, token_pattern=r"[^\W\d_]{2,}")
    with page.stage("Counting words"):
        X = vectoriser.fit_transform([found.data[i] for i in train])
        X_test = vectoriser.transform([found.data[i] for i in test])
    page.line(f"{len(y):,} documents, each the text about one function or class; {X.shape[1]:,}")
    page.line("different words. The label of a document is the sub-package that it is from:")
    page.line(
        f"{len(found.target_names)} classes. {len(test):,} documents, a quarter, are put aside for testing."
    )
    names = [found.names[i] for i in test]
    return _Corpus(vectoriser.get_feature_names_out(), X, y[train], X_test, y[test], names)


def _classifier(args: argparse.Namespace) -> PLSAClassifier:
    return PLSAClassifier(random_state=args.seed, n_threads=args.threads)


def _semi_supervised(args: argparse.Namespace) -> SoftMislabelingPLSA:
    return SoftMislabelingPLSA(random_state=args.seed, n_threads=args.threads)


def _learn_classes(page: _Page, corpus: _Corpus, args: argparse.Namespace) -> PLSAClassifier:
    page.heading("2. With labels: learning what the classes are about")
    with page.stage(f"Learning from {len(corpus.y):,} labelled documents (PLSAClassifier)"):
        model = _classifier(args).fit(corpus.X, corpus.y)
    page.line("The words that set each class apart:")
    page.line()
    width = max(len(name) for name in model.classes_)
    for topic in top_words(model, corpus.words):
        page.words(topic.label, width + 1, topic.words)
    return model


def _compare(page: _Page, corpus: _Corpus, model: PLSAClassifier, args: argparse.Namespace) -> None:
    from sklearn.naive_bayes import MultinomialNB

    page.heading("3. Does it work? Labelling the documents put aside")
    X, y, X_test, y_test = corpus.X, corpus.y, corpus.X_test, corpus.y_test
    with page.stage(f"Labelling {len(y_test):,} documents"):
        ours = model.score(X_test, y_test)
    with page.stage("The same with SoftMislabelingPLSA, which is made for few labels"):
        best = _semi_supervised(args).fit(X, y).score(X_test, y_test)
    smoothings = (1.0, 0.1, 0.01)
    theirs = [MultinomialNB(alpha=a).fit(X, y).score(X_test, y_test) for a in smoothings]
    rng = np.random.default_rng(args.seed)
    ours_few, theirs_few, best_few, n_few = [], [], [], 0
    each = f"{args.labels} label{'s' if args.labels > 1 else ''} a class"
    with page.stage(f"Learning again, from {each}, {_N_DRAWS} times"):
        for _ in range(_N_DRAWS):
            few = _few_of_each(y, args.labels, rng)
            n_few = len(few)
            some = X[few], y[few]
            ours_few.append(_classifier(args).fit(*some).score(X_test, y_test))
            theirs_few.append([MultinomialNB(alpha=a).fit(*some).score(X_test, y_test) for a in smoothings])
            known = np.where(np.isin(np.arange(len(y)), few), y, "-1")
            best_few.append(_semi_supervised(args).fit(X, known).score(X_test, y_test))
    names, counts = np.unique(y, return_counts=True)
    frequent = names[counts.argmax()]
    always = float(np.mean(y_test == frequent))
    page.line("Of 100 documents, so many get the right label:")
    page.line()
    few_labels = f"{n_few:,} ({args.labels} a class)"
    page.line(f"{'labels to learn from':<30}{f'all {len(y):,}':>14}{few_labels:>20}")
    for name, with_all, with_few in (
        ("SoftMislabelingPLSA", best, float(np.mean(best_few))),
        ("PLSAClassifier", ours, float(np.mean(ours_few))),
        ("naive Bayes (scikit-learn)", max(theirs), float(np.mean(theirs_few, axis=0).max())),
        (f"always saying {frequent}", always, always),
    ):
        page.line(f"{name:<30}{100 * with_all:>14.1f}{100 * with_few:>20.1f}")
    page.line()
    page.line("SoftMislabelingPLSA learns from the other documents too, their labels unseen.")
    page.line("Naive Bayes has that smoothing, of three, which does best on these documents.")
    page.line(f"With {n_few:,} labels: the mean of {_N_DRAWS} random choices of what is labelled.")


def _few_of_each(y: NDArray[Any], n: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """The places of `n` documents of each class, or of all where it has fewer."""
    return np.concatenate([rng.permutation(np.flatnonzero(y == name))[:n] for name in np.unique(y)])


def _show_predictions(page: _Page, corpus: _Corpus, model: PLSAClassifier, seed: int) -> None:
    probability = model.predict_proba(corpus.X_test)
    predicted = model.classes_[probability.argmax(axis=1)]
    right = predicted == corpus.y_test
    rng = np.random.default_rng(seed)
    page.heading("4. Some that it got right and some that it got wrong, drawn at random")
    width = max(len(name) for name in model.classes_) + 1
    page.line(f"{'':<7}{'document':<18}{'from':<{width}}{'label given':<{width - 4}}how sure")
    for of, verdict, n in ((right, "right", 4), (~right, "WRONG", 3)):
        for at in rng.permutation(np.flatnonzero(of))[:n]:
            name, true = corpus.names_test[at], corpus.y_test[at]
            page.line(
                f"{verdict:<7}{_clipped(name.removeprefix(f'{true}.'), 17):<18}{true:<{width}}"
                f"{predicted[at]:<{width}}{100 * probability[at].max():3.0f}%"
            )


def _clipped(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."


def _find_topics(page: _Page, corpus: _Corpus, args: argparse.Namespace) -> None:
    page.heading("5. Without labels: finding topics")
    model = PLSA(
        _N_TOPICS,
        smoothing=_SMOOTHING,
        n_init=_N_STARTS,
        random_state=args.seed,
        n_threads=args.threads,
    )
    with page.stage(f"Finding {_N_TOPICS} topics in the same documents, labels unseen (PLSA)"):
        model.fit(corpus.X)
    page.line("Their words, and the class that, as it turns out, has most to do with each:")
    page.line()
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
    page.line()
    with page.stage("Guessing one half of each document put aside from the other half"):
        perplexity = model.perplexity(corpus.X_test, completion=True)
    page.line(f"A word is then as hard to guess as one of {perplexity:,.0f} equally likely words;")
    page.line(f"knowing only how frequent words are, of {plain:,.0f} (this is called perplexity).")


def _demo_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--seed",
        type=_whole("seed", 0, 2**32 - 1),
        default=0,
        metavar="N",
        help="another seed, another choice of documents (default 0)",
    )
    parser.add_argument(
        "--labels",
        type=_whole("labels", 1),
        default=5,
        metavar="N",
        help="labelled documents of each class in the comparison with few labels (default 5)",
    )
    parser.add_argument(
        "--threads",
        type=_whole("threads", 1),
        default=None,
        metavar="N",
        help="threads (default: as many as help); the results are the same",
    )
    parser.add_argument("--no-color", action="store_true", help="plain text; so does NO_COLOR=1")


# --- the command ---------------------------------------------------------------------------------


class _Command(NamedTuple):
    name: str
    summary: str
    options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


_COMMANDS = (
    _Command(
        "demo",
        "see what plsa does, on texts that are here already: nothing is downloaded",
        _demo_options,
        _demo,
    ),
)


def _whole(name: str, smallest: int, largest: int | None = None) -> Callable[[str], int]:
    """What reads an option's whole number."""

    def read(text: str) -> int:
        value = int(text) if text.lstrip("-").isdecimal() else text
        try:
            whole = inputs.check_whole(value, name, smallest)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None
        if largest is not None and whole > largest:
            raise argparse.ArgumentTypeError(f"{name} == {whole}, but must be <= {largest}.")
        return whole

    return read


def _version() -> str:
    openmp = f"OpenMP, {available_threads()} threads" if OPENMP else "no OpenMP, 1 thread"
    return f"plsa {plsa.__version__} (instruction set {current_level()}, {openmp})"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="plsa",
        description="Learns what texts are about: classes from labelled texts, topics from any. "
        "Begin with: plsa demo",
    )
    parser.add_argument("--version", action="version", version=_version())
    parser.set_defaults(run=None)
    commands = parser.add_subparsers(title="commands", metavar="<command>")
    for command in _COMMANDS:
        of_command = commands.add_parser(
            command.name, help=command.summary, description=command.summary.capitalize() + "."
        )
        command.options(of_command)
        of_command.set_defaults(run=command.run)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit code.

    0: done. 1: it could not be done; standard error says why. 130: stopped by Ctrl-C. 141: the
    reader of the output has gone. Wrong options end in SystemExit(2), as argparse has it.
    """
    try:
        try:
            parser = _parser()
            args = parser.parse_args(argv)
            if args.run is None:
                parser.print_help()
                return 0
            return int(args.run(args))
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt:
        print("plsa: stopped.", file=sys.stderr)
        return _INTERRUPTED
    except BrokenPipeError:
        # What is left in the buffer goes nowhere: Python would complain of it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _CLOSED_PIPE
    except (ImportError, OSError, ValueError) as error:
        print(f"plsa: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
