"""How long does one EM step of a mixture of multinomials take beside ways that NumPy and SciPy have for it?

On the word counts of 20 Newsgroups, 300 documents labeled, one component per class, one thread: ours
(`MixtureSteps.expect` and `maximize`, the objective included) and the same update written

* in NumPy a document at a time, as MALLET's trainer goes: the joint probabilities of its components, its
  posterior, and its counts added to every component by it;
* in NumPy over all nonzeros at once, some documents at a time;
* in NumPy on the counts as a dense documents x words matrix, some documents at a time, by BLAS;
* in SciPy: two products of a sparse matrix with a dense one.

All take turns in one process, start at the same parameters, and must agree in what they find.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from scipy.special import logsumexp
from threadpoolctl import threadpool_limits

from bench.shared import corpora, report
from bench.speed import passes, record

NAME = "mixture_pass"
OURS = "ours, float64"
RIVAL = "NumPy, a document at a time"
TARGET = 2.0
KERNEL_TARGET = 1.3  # a kernel that is less than this much faster than SciPy is not worth having
PRODUCTS = ("X @ logs", "X.T @ posteriors")
PRODUCT_COMPONENTS = (2, 4, 20, 40)
ALPHA = 1.0
N_LABELED = 300
_ROWS = 1024  # documents that the dense ways take at a time
Update = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def maximized(word: np.ndarray, documents: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """log P(w|z) and log P(z) from expected counts."""
    word = word + ALPHA
    return np.log(word / word.sum(axis=0)), np.log(documents / documents.sum())


def posterior(joint: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """P(z|d) from log P(d, z), components that the label rules out left out."""
    joint = np.where(mask, joint, -np.inf)
    return np.exp(joint - logsumexp(joint, axis=1, keepdims=True))


def rivals(counts: scipy.sparse.csr_matrix, mask: np.ndarray) -> dict[str, Update]:
    """The update log P(w|z), log P(z) -> the next ones, in several ways."""
    offset, word, count = counts.indptr, counts.indices, counts.data
    n_documents = counts.shape[0]

    def by_document(log_word: np.ndarray, log_prior: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        word_sum = np.zeros_like(log_word)
        share = np.empty((n_documents, len(log_prior)))
        for d in range(n_documents):
            inside = slice(offset[d], offset[d + 1])
            its_words, its_counts = word[inside], count[inside]
            joint = its_counts @ log_word[its_words] + log_prior
            joint[~mask[d]] = -np.inf
            joint -= joint.max()
            chance = np.exp(joint)
            chance /= chance.sum()
            share[d] = chance
            word_sum[its_words] += its_counts[:, np.newaxis] * chance
        return maximized(word_sum, share.sum(axis=0))

    def by_nonzero(log_word: np.ndarray, log_prior: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        word_sum = np.zeros_like(log_word)
        documents = np.zeros(len(log_prior))
        for begin in range(0, n_documents, _ROWS):
            end = min(begin + _ROWS, n_documents)
            inside = slice(offset[begin], offset[end])
            terms = count[inside, np.newaxis] * log_word[word[inside]]
            joint = np.add.reduceat(terms, offset[begin:end] - offset[begin], axis=0) + log_prior
            share = posterior(joint, mask[begin:end])
            each = np.repeat(share, np.diff(offset[begin : end + 1]), axis=0) * count[inside, np.newaxis]
            np.add.at(word_sum, word[inside], each)
            documents += share.sum(axis=0)
        return maximized(word_sum, documents)

    def dense(log_word: np.ndarray, log_prior: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        word_sum = np.zeros_like(log_word)
        documents = np.zeros(len(log_prior))
        for begin in range(0, n_documents, _ROWS):
            block = counts[begin : begin + _ROWS].toarray()
            share = posterior(block @ log_word + log_prior, mask[begin : begin + _ROWS])
            word_sum += block.T @ share
            documents += share.sum(axis=0)
        return maximized(word_sum, documents)

    def by_scipy(log_word: np.ndarray, log_prior: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        share = posterior(counts @ log_word + log_prior, mask)
        return maximized(counts.T @ share, share.sum(axis=0))

    return {
        RIVAL: by_document,
        "NumPy, all nonzeros": by_nonzero,
        "NumPy, dense documents x words": dense,
        "SciPy, two sparse products": by_scipy,
    }


def time_steps(counts: scipy.sparse.csr_matrix, code: np.ndarray, turns: int, each: int) -> dict[str, Any]:
    """Seconds of every step of every way, in turns."""
    counts = counts.astype(np.float64)
    n_topics = int(code.max()) + 1
    mask = (code[:, np.newaxis] == np.arange(n_topics)) | (code == -1)[:, np.newaxis]
    running = {
        OURS: passes.mixture(counts, code, ALPHA, 1),
        "ours, float32": passes.mixture(counts.astype(np.float32), code, ALPHA, 1),
        "ours, float64, two threads": passes.mixture(counts, code, ALPHA, 2),
    }
    begun = running[OURS].parameters
    begin = np.log(begun.word_topic[:, :n_topics]), np.log(begun.gate[-1, :n_topics])
    others = {name: partial(update, *begin) for name, update in rivals(counts, mask).items()}
    ways = {name: ours.advance for name, ours in running.items()} | others
    first = {name: way() for name, way in ways.items()}  # untimed; the rivals begin anew every time
    mine = np.log(first[OURS].word_topic[:, :n_topics])
    for name in others:
        apart = float(np.abs(first[name][0] - mine).max())
        if apart > 1e-9:
            raise SystemExit(f"{NAME}: {name} finds other parameters than {OURS}, by {apart:.1e}")
    once = tuple(name for name in ways if name.startswith("NumPy"))
    return {name: passes.flat(found) for name, found in passes.in_turns(ways, turns, each, once).items()}


def time_products(counts: scipy.sparse.csr_matrix, turns: int, each: int) -> dict[str, Any]:
    """Seconds of the two products alone, by the kernels and by SciPy, one thread: type, components -> all."""
    seconds: dict[str, dict[str, list[float]]] = {}
    rng = np.random.default_rng(0)
    for dtype in (np.float32, np.float64):
        typed = counts.astype(dtype)
        for n_topics in PRODUCT_COMPONENTS:
            rows = rng.random((counts.shape[1], n_topics)).astype(dtype)
            shares = rng.random((counts.shape[0], n_topics)).astype(dtype)
            of_words, of_documents = passes.products(typed, rows, shares)
            ways = {
                "X @ logs, kernel": of_words,
                "X @ logs, SciPy": partial(typed.__matmul__, rows),
                "X.T @ posteriors, kernel": of_documents,
                "X.T @ posteriors, SciPy": partial(typed.T.__matmul__, shares),
            }
            found = passes.in_turns(ways, turns, each)
            seconds[f"{np.dtype(dtype).name}, {n_topics}"] = {
                name: passes.flat(times) for name, times in found.items()
            }
    return seconds


def step_table(seconds: dict[str, list[float]]) -> str:
    """Every way beside ours."""
    mine = min(seconds[OURS])
    rows = [
        [name, report.best_and_worst(each, 1e3), f"{min(each) / mine:.1f}x"] for name, each in seconds.items()
    ]
    return report.table(["one EM step", "ms: best (worst)", "against ours"], rows)


def _times(found: dict[str, list[float]], product: str) -> float:
    """How many times as long SciPy takes."""
    return min(found[f"{product}, SciPy"]) / min(found[f"{product}, kernel"])


def products_table(seconds: dict[str, dict[str, list[float]]]) -> str:
    """The two products alone."""
    rows = [
        [key, *(report.best_and_worst(each, 1e3) for each in found.values())]
        + [f"{_times(found, product):.2f}x" for product in PRODUCTS]
        for key, found in seconds.items()
    ]
    header = ["type, components", *next(iter(seconds.values())), *(f"{name}, ratio" for name in PRODUCTS)]
    return report.table(header, rows)


def targets_table(steps: dict[str, list[float]], products: dict[str, dict[str, list[float]]]) -> str:
    """What was to be reached."""
    rows = []
    for name in steps:
        if name.startswith(("NumPy", "SciPy")):
            faster = min(steps[name]) / min(steps[OURS])
            rows.append([name, f"{faster:.1f}x", f"{TARGET:g}x", report.verdict(faster >= TARGET)])
    for product in PRODUCTS:
        ratios = [_times(found, product) for found in products.values()]
        enough = sum(ratio >= KERNEL_TARGET for ratio in ratios)
        rows.append(
            [
                f"SciPy against the kernel, {product}",
                f"{min(ratios):.2f}x to {max(ratios):.2f}x",
                f"{KERNEL_TARGET:g}x, else SciPy",
                f"{enough} of {len(ratios)}",
            ]
        )
    return report.table(["target", "seen", "to reach", ""], rows)


def measure(options: argparse.Namespace) -> record.Record:
    """All of it."""
    prepared = corpora.prepared("20news")
    frequency = np.bincount(prepared.counts.indices, minlength=prepared.counts.shape[1])
    counts = prepared.counts[:, frequency >= 5].tocsr()
    counts = counts[np.diff(counts.indptr) > 0]  # reduceat knows no empty rows
    classes = np.unique(prepared.labels, return_inverse=True)[1][np.diff(prepared.counts.indptr) > 0]
    code = np.full(counts.shape[0], -1, dtype=np.int32)
    told = np.random.default_rng(0).permutation(counts.shape[0])[:N_LABELED]
    code[told] = classes[told]
    turns = options.repeats or (2 if options.quick else 5)
    each = 3 if options.quick else 10
    settings = {
        "corpus": "20 Newsgroups",
        "documents": counts.shape[0],
        "words": counts.shape[1],
        "nonzeros": counts.nnz,
        "components": int(code.max()) + 1,
        "labeled": N_LABELED,
        "turns": turns,
        "steps a turn": f"{each} (NumPy: 1)",
    }
    kept = record.Record(NAME, options, settings)
    with threadpool_limits(1):
        kept.measured("steps", lambda: time_steps(counts, code, turns, each))
        kept.measured("products", lambda: time_products(counts, turns, each))
    return kept


def tell(facts: dict[str, Any], folder: Path) -> list[str]:
    """The report."""
    steps, products = facts["measured"]["steps"], facts["measured"]["products"]
    whole = facts["settings"]["documents"] * facts["settings"]["words"] * 8 / 1e9
    return [
        record.heading(
            "One EM step of a mixture of multinomials",
            "How long does one step take beside the ways that NumPy and SciPy have for it? One "
            "thread unless said otherwise; all begin at the estimates of the labeled documents and "
            "find the same parameters. The best step of all turns, the worst in brackets.",
            facts,
        ),
        step_table(steps),
        "The dense way makes a documents x words matrix of 1,024 documents at a time; whole it would "
        f"take {whole:.1f} GB. Ours makes none.",
        "## The products alone",
        products_table(products),
        "## The targets",
        targets_table(steps, products),
    ]


if __name__ == "__main__":
    record.main(
        NAME, record.parser_of(NAME, __doc__, "turns that each way takes (5; quick: 2)"), measure, tell
    )
