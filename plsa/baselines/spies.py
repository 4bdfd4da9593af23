"""Spies among the unlabeled documents, after Liu et al. (2002)."""

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit
from sklearn.utils import check_random_state

from plsa.baselines.vectors import LinearClassifier, Matrix
from plsa.engine.counts import Counts
from plsa.engine.mixture_steps import MixtureSteps
from plsa.engine.parameters import Floats, Mask, unpadded
from plsa.estimators.base import Fitted
from plsa.estimators.parameters import estimator
from plsa.estimators.positives import Rule
from plsa.estimators.scaling import CountScaler
from plsa.inputs import check_share
from plsa.labels.gates import OneComponent
from plsa.labels.layout import lay_out
from plsa.labels.reading import Known


@estimator
class SpyEM(LinearClassifier):
    """Naive Bayes by EM, with positive documents as spies among the unlabeled ones.

    First, some of the positives are hidden among the unlabeled documents, which all start as negative, and
    EM goes on from there; what scores below almost all of the spies is reliably negative. Then EM begins
    anew, at all positives and the reliable negatives, and changes its mind about all but the positives and
    the negatives that are known. It stops at the classifier after which the probability of error would rise:

        P(f != Y) = P(f = 1) - P(Y = 1) + 2 P(f = 0 | Y = 1) P(Y = 1),

    from the share of unlabeled documents that are taken for positive, the share of positives that are not,
    and P(Y = 1) as the classifier before has it.

    References
    ----------
    B. Liu, W. S. Lee, P. S. Yu and X. Li, "Partially Supervised Classification of Text Documents", ICML 2002.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from plsa import SpyEM
    >>> texts = ["tea milk", "milk cup", "cup tea", "tea cup milk", "goal ball", "ball team", "team goal"]
    >>> counts = CountVectorizer().fit_transform(texts)
    >>> model = SpyEM(random_state=0).fit(counts, [1, 1, 1, 0, 0, 0, 0])
    >>> model.predict(counts)
    array([1, 1, 1, 1, 0, 0, 0])
    """

    _parameters: ClassVar[str] = """
    spies : float between 0 and 1
        Share of the positives to hide, at least one document. With one positive there is none: what naive
        Bayes takes for negative is.
    noise : float between 0 and 1
        Share of the spies that may score below the threshold, as outliers. Liu et al. have 0.05 to 0.2; with
        few spies that is the lowest one or the next.
    alpha : float > 0
        Pseudo-count of every word.
    constant_length : bool
        Whether documents are scaled to the same number of words: posteriors are less extreme.
    max_iter : int >= 0
        Most steps of EM, in both parts.
    tol : float >= 0
        EM has settled when a step gains no more than this much log-probability per word of the corpus.
    random_state : int, RandomState or None
        Seed of the choice of spies.
    """
    _attributes: ClassVar[str] = """
    spies_ : array of int
        The positives that were spies.
    threshold_ : float
        log P(1|d) / P(0|d) below which a document is a reliable negative.
    reliable_negatives_ : array of int
        None of the unlabeled documents where none scored below the threshold: then all start as negative.
    error_changes_ : array
        How the probability of error changed from step to step, up to where it rose.
    n_iter_ : int
        Classifiers looked at, one after each step of EM.
    chosen_ : int
        The number of the one that is used, which is the last or the last but one.
    coef_ : (n_features,) array
        log P(w|1) / P(w|0).
    intercept_ : float
        log P(1) / P(0); scores are log P(1|d) / P(0|d).
    """
    _checks: ClassVar[dict[str, Any]] = {"spies": check_share, "noise": check_share}
    unit_length: ClassVar[bool] = False

    spies: float = 0.15
    noise: float = 0.05
    alpha: float = 0.1
    _: KW_ONLY
    constant_length: bool = True
    max_iter: int = 50
    tol: float = 1e-5
    random_state: Any = None
    n_threads: int | None = None

    def _scaling(self) -> CountScaler:
        return CountScaler(tf="raw", length="constant" if self.constant_length else None)

    def _learn_rule(self, counts: Counts, matrix: Matrix, known: Known) -> tuple[Rule, Fitted]:
        scaled, positive = counts.with_counts(matrix.data), known.positive
        among = _chosen_spies(positive, self.spies, check_random_state(self.random_state))
        *_, settled = self._rules(scaled, replace(known, positive=positive & ~among), ~positive | among)
        scores = settled.scores(matrix)
        threshold = spy_threshold(scores[among], self.noise)
        reliable = known.unlabeled & (scores < threshold)
        rules = self._rules(scaled, known, reliable | known.negative if reliable.any() else ~positive)
        told = ~known.negative  # of these alone the error is not known
        rule, changes = best_rule(rules, matrix[told], positive[told])
        return rule, {
            "spies_": np.flatnonzero(among),
            "threshold_": threshold,
            "reliable_negatives_": np.flatnonzero(reliable),
            "error_changes_": changes,
            "n_iter_": len(changes) + 1,
            "chosen_": int((changes <= 0).sum()),
        }

    def _rules(self, counts: Counts, known: Known, negative: Mask) -> Iterator[Rule]:
        """The classifiers of EM, step by step: what is known stays, these are negative at the start only."""
        gate = OneComponent.even(lay_out(np.array([1, 1]), 0), class_alpha=1.0, component_alpha=0.0)
        state = gate.states(known.code, None)
        alpha = np.full(counts.n_words, float(self.alpha))
        steps = MixtureSteps(counts, 2, state=state, n_states=3, alpha=alpha, n_threads=self.n_threads)
        parameters = steps.primed(np.column_stack([negative, known.positive]).astype(np.float64), gate)
        before = -np.inf
        for _ in range(self.max_iter + 1):
            words = np.log(unpadded(parameters.word_topic, 2))
            chance = np.log(parameters.gate.topic_prior())
            yield Rule(words[:, 1] - words[:, 0], float(chance[1] - chance[0]))
            statistics = steps.expect(parameters)
            if statistics.objective - before <= self.tol * counts.total():
                return
            before = statistics.objective
            parameters = steps.maximize(parameters, statistics)


def best_rule(rules: Iterator[Rule], matrix: Matrix, positive: Mask) -> tuple[Rule, Floats]:
    """The classifier before the first that makes the probability of error rise, or the last; the changes."""
    kept = next(rules)
    parts = ErrorParts.of(kept.scores(matrix), positive)
    changes: list[float] = []
    for rule in rules:
        now = ErrorParts.of(rule.scores(matrix), positive)
        changes.append(parts.change_to(now))
        if changes[-1] > 0:
            break
        kept, parts = rule, now
    return kept, np.array(changes)


def _chosen_spies(positive: Mask, share: float, rng: np.random.RandomState) -> Mask:
    """Which positives are to be spies: a share of them, at least one, but never all."""
    documents = np.flatnonzero(positive)
    n_spies = min(max(1, round(share * len(documents))), len(documents) - 1)
    among = np.zeros(len(positive), dtype=bool)
    among[rng.permutation(documents)[:n_spies]] = True
    return among


def spy_threshold(scores: Floats, noise: float) -> float:
    """The score that no more than a share `noise` of the spies are below; 0 where there is no spy."""
    if not len(scores):
        return 0.0
    return float(np.sort(scores)[int(noise * len(scores))])


@dataclass(frozen=True, slots=True)
class ErrorParts:
    """What the probability of error is made of, as far as positives and unlabeled documents tell."""

    flagged: float  # share of the unlabeled documents that are taken for positive
    missed: float  # share of the positives that are not
    prior: float  # mean probability that an unlabeled document is positive

    @classmethod
    def of(cls, scores: Floats, positive: Mask) -> "ErrorParts":
        """The parts of log-odds of these documents."""
        others = scores[~positive]
        missed = float(np.mean(scores[positive] <= 0))
        return cls(float(np.mean(others > 0)), missed, float(np.mean(expit(others))))

    def change_to(self, other: "ErrorParts") -> float:
        """By how much the probability of error changes: P(Y = 1) is that of this one for both."""
        return other.flagged - self.flagged + 2 * self.prior * (other.missed - self.missed)
