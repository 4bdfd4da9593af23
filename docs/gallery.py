"""Draws the pictures of gallery.md, of the corpus of `plsa demo`: python docs/gallery.py [FOLDER]."""

import sys
import warnings
from pathlib import Path

import matplotlib
import numpy as np
from PIL import Image
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

import plsa
from plsa import plots
from plsa.datasets import load_docstrings

matplotlib.use("Agg")
WORDS = r"[^\W\d_]{2,}"
SEED = 0


def pictures():
    """(name, axes) of each picture, as it is drawn."""
    corpus = load_docstrings()
    names = corpus.target_names[corpus.target]
    rng = np.random.default_rng(SEED)
    order = rng.permutation(len(names))
    test, train = order[: len(names) // 4], np.sort(order[len(names) // 4 :])
    texts, new = ([corpus.data[i] for i in part] for part in (train, test))
    truth = names[test]
    labels = np.where(rng.random(len(train)) < 0.15, names[train], "")

    counter = CountVectorizer(max_df=0.5, token_pattern=WORDS)
    model = plsa.text_classifier(vectorizer=counter, random_state=SEED).fit(texts, labels)
    yield "top_words", plots.top_words(model, limit=9)
    yield "class_sizes", plots.class_sizes(model, y=labels, limit=15)
    yield "documents", plots.documents(model, texts, labels)
    yield "confusion", plots.confusion(model, new, truth, limit=12)
    yield "calibration", plots.calibration(model, new, truth)
    yield "objective", plots.objective(model)

    counter = model[0]
    counts = counter.transform(texts)
    topics = plsa.PLSA(12, smoothing=0.1, n_init=3, random_state=SEED).fit(counts)
    yield "class_topics", plots.class_topics(topics, y=names[train], limit=12)
    few = np.isin(names, ["scipy.signal", "scipy.sparse", "scipy.stats", "numpy.polynomial", "scipy.linalg"])
    X, y = counter.transform(np.array(corpus.data, dtype=object)[few]), names[few]
    unsure = plsa.SoftMislabelingPLSA(doubt=0.8, random_state=SEED)
    shown = np.where(np.arange(len(y)) % 40 == 0, y, "")
    yield "mislabeling", plots.mislabeling(unsure.fit(X, shown))
    played = plsa.simulate(plsa.SoftMislabelingPLSA(), X, y, n_queries=30, repeats=3, initial=1)
    yield "learning_curves", plots.learning_curves(played)
    learner = plsa.ActiveLearner(plsa.SoftMislabelingPLSA(random_state=SEED), X, random_share=0.4)
    told = []
    for _ in range(10):
        asked = learner.query(10)
        learner.tell(asked, y[asked])
        told.append(learner.status())
    yield "session", plots.session(told)
    shown = np.where(np.arange(len(y)) % 5 == 0, y, "")
    rivals = [plsa.SoftMislabelingPLSA(), plsa.NaiveBayesEM(), LogisticRegression(C=100), "MultinomialNB"]
    yield "accuracies", plots.accuracies(plsa.compare(X, shown, rivals))
    wanted = names[train] == "sklearn.utils"
    shown = np.where(wanted & (np.cumsum(wanted) <= 6), 1, -1)
    yield "positive_curves", plots.positive_curves(plsa.compare_pu(counts, shown, y_true=wanted))
    numbers = plsa.select_topics(plsa.PLSAClassifier(random_state=SEED), X, y, candidates=(1, 2, 3, 4, 6, 8))
    yield "topic_scores", plots.topic_scores(numbers)


def main(folder: Path) -> None:
    """Writes a PNG for each picture."""
    folder.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore", UserWarning)  # of what fits have to say
    for name, ax in pictures():
        path = folder / f"{name}.png"
        ax.figure.savefig(path, dpi=90)
        Image.open(path).convert("RGB").quantize(256, kmeans=2).save(path, optimize=True)
        matplotlib.pyplot.close(ax.figure)
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} KB", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "gallery")
