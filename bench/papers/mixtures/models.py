"""Fitting `plsa.NaiveBayesEM` as the chapter has it, and the probability of a fitted model."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse
from scipy.special import logsumexp

import plsa
from bench.papers.splits import UNLABELLED

# One pseudo-count a class and a component, as in equations 3.6 and 3.11.
PSEUDO_COUNT = 1.0


def estimator(**options: Any) -> Any:
    """`plsa.NaiveBayesEM` with the chapter's prior of the classes, on one thread."""
    return plsa.NaiveBayesEM(class_alpha=PSEUDO_COUNT, component_alpha=PSEUDO_COUNT, n_threads=1, **options)


def fitted(model: Any, labelled: Any, y: np.ndarray, unlabelled: Any = None) -> tuple[Any, dict[str, Any]]:
    """The model after its fit, and what there is to say of the fit."""
    X = labelled
    if unlabelled is not None:
        X = scipy.sparse.vstack([labelled, unlabelled], format="csr")
        y = np.concatenate([y, np.full(unlabelled.shape[0], UNLABELLED)])
    began = perf_counter()
    model.fit(X, y)
    facts = {
        "fit_seconds": round(perf_counter() - began, 3),
        "n_iter": int(model.n_iter_),
        "objective": float(model.objective_trace_[-1]),
    }
    return model, facts


def probability(model: Any, unlabelled: Any, alpha: Any) -> float:
    """log P(model) + log P(unlabelled documents | model), a document; multinomial coefficients are left out.

    It is equation 3.8 without the labelled documents: those differ from trial to trial, and with them what a
    model can reach. `alpha` is the model's.
    """
    log_words = np.log(model.components_)
    total = logsumexp(model.joint_log_likelihood(unlabelled), axis=1).sum() + (alpha * log_words).sum()
    of_class = np.bincount(model.topic_class_, model.topic_prior_)
    total += PSEUDO_COUNT * np.log(of_class).sum()
    total += PSEUDO_COUNT * np.log(model.topic_prior_ / of_class[model.topic_class_]).sum()
    return float(total / unlabelled.shape[0])
