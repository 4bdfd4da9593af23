"""Fitting `plsa.NaiveBayesEM` as the chapter has it, and the probability of a fitted model."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from scipy.special import logsumexp

import plsa
from bench.shared.splits import UNLABELED

# One pseudo-count a class and a component, as in equations 3.6 and 3.11.
PSEUDO_COUNT = 1.0


def estimator(unlabeled_weight: Any = 1.0, **options: Any) -> Any:
    """`plsa.NaiveBayesEM` with the chapter's prior of the classes, on one thread.

    Unlabeled documents count as much as labeled ones, as in the chapter, unless said otherwise.
    """
    return plsa.NaiveBayesEM(
        unlabeled_weight=unlabeled_weight,
        class_alpha=PSEUDO_COUNT,
        component_alpha=PSEUDO_COUNT,
        n_threads=1,
        **options,
    )


def fitted(model: Any, labeled: Any, y: np.ndarray, unlabeled: Any = None) -> Any:
    """The model after its fit to labeled documents and, where there are, unlabeled ones."""
    if unlabeled is None:
        return model.fit(labeled, y)
    X = scipy.sparse.vstack([labeled, unlabeled], format="csr")
    return model.fit(X, np.concatenate([y, np.full(unlabeled.shape[0], UNLABELED)]))


def probability(model: Any, unlabeled: Any, alpha: Any) -> float:
    """log P(model) + log P(unlabeled documents | model), a document; multinomial coefficients are left out.

    It is equation 3.8 without the labeled documents: those differ from trial to trial, and with them what a
    model can reach. `alpha` is the model's.
    """
    log_words = np.log(model.components_)
    total = logsumexp(model.joint_log_likelihood(unlabeled), axis=1).sum() + (alpha * log_words).sum()
    of_class = np.bincount(model.topic_class_, model.topic_prior_)
    total += PSEUDO_COUNT * np.log(of_class).sum()
    total += PSEUDO_COUNT * np.log(model.topic_prior_ / of_class[model.topic_class_]).sum()
    return float(total / unlabeled.shape[0])
