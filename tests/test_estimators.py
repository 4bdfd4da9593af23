"""What scikit-learn asks of every estimator."""

from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

from plsa import (
    PLSA,
    CountScaler,
    FakeLabelPLSA,
    HardMislabelingPLSA,
    MissingLabelPLSA,
    NaiveBayesEM,
    PLSAClassifier,
    SoftMislabelingPLSA,
)

ESTIMATORS = [
    PLSA(n_components=3, max_iter=20),
    PLSA(n_components=3, max_iter=20, smoothing=0.1, prior_strength=1.0, accelerate=True),
    PLSAClassifier(),
    PLSAClassifier(scaling=None),
    PLSAClassifier(unlabeled=None),
    PLSAClassifier(topics_per_class=2, extra_topics=1, scaling=CountScaler()),
    PLSAClassifier(student="linear", unlabeled=None),
    MissingLabelPLSA(),
    FakeLabelPLSA(topics_per_class=2, scaling=None),
    HardMislabelingPLSA(unlabeled=None),
    SoftMislabelingPLSA(),
    SoftMislabelingPLSA(student=None, relabel="never", unlabeled=None),
    NaiveBayesEM(),
    NaiveBayesEM(unlabeled=None),
    NaiveBayesEM(2, alpha=0.1, n_init=2, random_state=0),
    NaiveBayesEM(annealing=[0.2, 0.5, 1.0], correspondence="kl", scaling=CountScaler()),
    CountScaler(),
    CountScaler(tf="binary", idf=True, length=None),
]


def _expected_failures(estimator: Any) -> dict[str, str]:
    if getattr(estimator, "unlabeled", None) == -1:
        return {"check_classifiers_classes": "its classes are -1 and 1, and -1 marks unlabelled"}
    return {}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=_expected_failures)
def test_scikit_learn_accepts(estimator: Any, check: Any) -> None:
    """Every check of scikit-learn's own suite."""
    check(estimator)
