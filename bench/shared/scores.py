"""A fit, and what it makes of documents that it has not seen: accuracy, F-score, log-loss, calibration."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np
from sklearn.metrics import f1_score

BINS = 15
_MIN_PROBABILITY = 1e-15


def fitted(
    estimator: Any, X: Any, y: np.ndarray, new: Any, true: np.ndarray, macro_f1: bool = False
) -> dict[str, Any]:
    """The scores of an estimator, fitted here, on new documents; those of probabilities where it has them."""
    began = perf_counter()
    estimator.fit(X, y)
    seconds = perf_counter() - began
    predicted = np.asarray(estimator.predict(new))
    result = {"fit_seconds": round(seconds, 3), "accuracy": float(np.mean(predicted == true))}
    if macro_f1:
        result["macro_f1"] = float(f1_score(true, predicted, average="macro", zero_division=0.0))
    if hasattr(estimator, "predict_proba"):
        probabilities = estimator.predict_proba(new)
        column = np.searchsorted(estimator.classes_, true)
        result["log_loss"] = log_loss(probabilities, column)
        result["calibration_error"] = calibration_error(probabilities, column)
    return result


def log_loss(probabilities: np.ndarray, true: np.ndarray) -> float:
    """Mean of -log P(true class), in nats; no probability counts as less than 1e-15."""
    given = probabilities[np.arange(len(true)), true]
    return float(-np.log(np.maximum(given, _MIN_PROBABILITY)).mean())


def calibration_error(probabilities: np.ndarray, true: np.ndarray) -> float:
    """Expected calibration error: |accuracy - mean top probability| over 15 bins of equal width."""
    top = probabilities.max(axis=1)
    right = probabilities.argmax(axis=1) == true
    place = np.clip(np.ceil(top * BINS).astype(int) - 1, 0, BINS - 1)
    gap = np.bincount(place, right, BINS) - np.bincount(place, top, BINS)
    return float(np.abs(gap).sum() / len(top))
