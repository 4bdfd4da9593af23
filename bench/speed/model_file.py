"""How long does it take to load a model, and how large is its file?

`text_classifier()` fitted to the raw texts of 20 Newsgroups, a tenth of them labeled: 20 classes and some
170,000 words. The best of some turns, milliseconds of the clock and of the processor, in turn with the
standard library's `pickle` and with `joblib`, which check nothing and run whatever a file says.

    python -m bench.speed.model_file --repeats 15
"""

from __future__ import annotations

import argparse
import pickle
import tempfile
import warnings
from pathlib import Path
from time import perf_counter, process_time

import joblib
import numpy as np
from sklearn.pipeline import Pipeline

import plsa
from bench.shared import corpora
from plsa.files.container import read


def fitted() -> tuple[Pipeline, list[str]]:
    """The pipeline, and some texts."""
    texts, labels = corpora.raw_texts("20newsgroups")
    y = np.full(len(texts), None, dtype=object)
    known = np.random.default_rng(0).permutation(len(texts))[: len(texts) // 10]
    y[known] = np.array(labels)[known]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return plsa.text_classifier(random_state=0).fit(texts, y), texts[:100]


def main() -> None:
    """Prints a table."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--repeats", type=int, default=15)
    repeats = options.parse_args().repeats
    model, texts = fitted()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plsa.save(model, folder / "pipeline")
        plsa.save(model[-1], folder / "model")
        (folder / "pickle").write_bytes(pickle.dumps(model))
        joblib.dump(model, folder / "joblib")
        ways = {
            "pipeline": lambda: plsa.load(folder / "pipeline"),
            "pipeline, mmap=True": lambda: plsa.load(folder / "pipeline", mmap=True),
            "its model alone": lambda: plsa.load(folder / "model"),
            "pipeline by pickle": lambda: pickle.loads((folder / "pickle").read_bytes()),
            "pipeline by joblib": lambda: joblib.load(folder / "joblib"),
        }
        same = (plsa.load(folder / "pipeline").predict_proba(texts) == model.predict_proba(texts)).all()
        words, classes = len(model[0].vocabulary_), len(model.classes_)
        print(f"{words:,} words, {classes} classes; the same probabilities: {same}")
        found: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
        for _ in range(repeats):
            for way, load in ways.items():
                began, worked = perf_counter(), process_time()
                load()
                found[way].append((1000 * (perf_counter() - began), 1000 * (process_time() - worked)))
        for way, times in found.items():
            clock, processor = (min(each) for each in zip(*times, strict=True))
            print(f"{way:20} {clock:7.1f} ms, processor {processor:6.1f} ms")
        for each in ("pipeline", "model", "pickle", "joblib"):
            print(f"{each:20} {(folder / each).stat().st_size:,} bytes")
        arrays = sum(array.nbytes for array in read(folder / "model")[1].values())
        print(f"the file of the model is {(folder / 'model').stat().st_size / arrays:.4f} x its arrays")


if __name__ == "__main__":
    main()
