"""Mixtures of multinomials as values: fitting by EM, annealed or not, and choosing by held-out labels."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.special import log_softmax, logsumexp, softmax

from plsa.engine import em
from plsa.engine.counts import Counts
from plsa.engine.mixture_steps import MixtureSteps, joint, log_words
from plsa.engine.parameters import (
    Codes,
    Fit,
    Floats,
    Mask,
    Parameters,
    Places,
    Real,
    Rng,
    StopReason,
    padded,
    unpadded,
)
from plsa.engine.runs import Loop, finished, last_of
from plsa.inputs import warn
from plsa.labels.corpus import Corpus, check_some_words
from plsa.labels.gates import OneComponent
from plsa.labels.layout import Layout, lay_out
from plsa.learning.collapse import lost_classes
from plsa.learning.evidence import HeldOut, Probabilities, Splits, hold_out, judge
from plsa.learning.scaling import Scaler, Scaling, fit_scaling, scaled_by

_NUMBERS = (1, 2, 3, 5, 10, 20, 40)  # of components per class that "auto" tries
_PATIENCE = 2  # numbers in a row that are no better, after which larger ones are not tried
_MAX_ALONE = 50  # labeled documents up to which each is held out by itself
_FOLDS = 10  # where there are more


@dataclass(frozen=True, slots=True)
class MixturePlan:
    """How a mixture is fitted."""

    loop: Loop
    alpha: Floats  # (W,): pseudo-counts of words
    class_alpha: float = 0.0
    component_alpha: float = 1.0
    powers: Floats | None = None  # of annealing, the last of them 1; None: plain EM
    correspondence: str | None = "kl"
    n_threads: int | None = None
    scalings: Mapping[str, Scaling | None] = field(default_factory=lambda: {"None": None})  # to choose from
    default_scaling: str = "None"


@dataclass(frozen=True, slots=True)
class Mixture:
    """Components, and all that classifying documents by them needs."""

    word_topic: Real  # (W, K): P(w|z)
    topic_prior: Floats  # (K,): P(z)
    layout: Layout  # whose the components are
    scaler: Scaler | None = None

    def joint(self, counts: Counts, n_threads: int | None) -> Floats:
        """(D, K): log P(d, z)."""
        words = padded(self.word_topic, counts.dtype)
        return joint(scaled_by(self.scaler, counts), words, self.topic_prior, n_threads)

    def joint_classes(self, counts: Counts, n_threads: int | None) -> Floats:
        """(D, C): log P(d, class)."""
        rows = self.joint(counts, n_threads)
        joined = np.full((len(rows), self.layout.n_classes), -np.inf)
        for place in np.unique(self.layout.topic_class):
            joined[:, place] = logsumexp(rows[:, self.layout.topic_class == place], axis=1)
        return joined

    def topics(self, counts: Counts, n_threads: int | None) -> Floats:
        """(D, K): P(z|d)."""
        return softmax(self.joint(counts, n_threads), axis=1)

    def probabilities(self, counts: Counts, n_threads: int | None) -> Floats:
        """(D, C): P(class|d)."""
        return self.topics(counts, n_threads) @ self.layout.allowed().T

    def log_probabilities(self, counts: Counts, n_threads: int | None) -> Floats:
        """(D, C): log P(class|d), found in log space."""
        return log_softmax(self.joint_classes(counts, n_threads), axis=1)


@dataclass(frozen=True, slots=True)
class LearnedMixture:
    """A fit, all that predicting needs, and how it was chosen."""

    mixture: Mixture
    fit: Fit
    scaling: str
    scaling_scores: dict[str, float]
    component_scores: dict[int, float]


def learn(corpus: Corpus, numbers: Places, are_open: Mask, plan: MixturePlan, rng: Rng) -> LearnedMixture:
    """Learns a mixture with so many components of each class; labels choose what is open, and a scaling.

    P(z|d) of the fit are those that follow from the parameters, each document under its label.
    """
    check_some_words(corpus.counts, corpus.weight)
    progress, n_last = plan.loop.progress, int(are_open.any()) + 1
    progress.plan((len(plan.scalings) > 1) + n_last)
    scaling, scores = _choose_scaling(corpus, numbers, plan)
    progress.plan(n_last)  # with too few labels a scaling was not chosen
    scaler, scaled = fit_scaling(plan.scalings[scaling], corpus)
    corpus = replace(corpus, counts=scaled)
    numbers, tried = _choose_numbers(corpus, numbers, are_open, plan)
    progress.begin("EM")
    fit, steps = _best(corpus, numbers, plan, rng)
    parameters, cut = finished(lambda: steps.explained(fit.parameters))
    fit = replace(fit, parameters=parameters).cut_short(cut)
    mixture, cut = finished(lambda: _mixture_of(fit))
    fit = fit.cut_short(cut)
    _, cut = finished(lambda: _warn_of_collapse(corpus, mixture, fit, plan))
    return LearnedMixture(replace(mixture, scaler=scaler), fit.cut_short(cut), scaling, scores, tried)


def _warn_of_collapse(corpus: Corpus, mixture: Mixture, fit: Fit, plan: MixturePlan) -> None:
    """Warns where a mixture has taken nearly all documents of a corpus for a few of the classes."""
    of_labeled = mixture.probabilities(corpus.labeled().counts, plan.n_threads)
    topics = unpadded(fit.parameters.doc_topic, mixture.layout.n_topics)[~corpus.labels.labeled]
    lost = lost_classes(of_labeled, topics @ mixture.layout.allowed().T, corpus)
    if lost is not None:
        way = 'a smaller alpha (0.01), scaling="auto", or SoftMislabelingPLSA'
        warn(f"{lost}: EM has collapsed. Try {way}.")


def _best(corpus: Corpus, numbers: Places, plan: MixturePlan, rng: Rng) -> tuple[Fit, MixtureSteps]:
    """The best fit of several starts.

    Several components of a class start from its labeled documents dealt out to them at random.
    """
    layout = lay_out(numbers, 0)
    gate = OneComponent.even(layout, plan.class_alpha, plan.component_alpha)
    steps = MixtureSteps(
        corpus.counts,
        layout.n_topics,
        state=gate.states(corpus.labels.code, None),
        n_states=layout.n_classes + 1,
        alpha=plan.alpha,
        weight=corpus.weight,
        n_threads=plan.n_threads,
    )
    several = layout.n_topics > layout.n_classes  # else nothing is dealt out at random

    def run(loop: Loop) -> Fit:
        share = dealt_out(corpus, layout, rng)
        climbs = _climbs(steps, corpus, lambda: steps.primed(share, gate), replace(plan, loop=loop))
        fit, cut = last_of(climbs)
        return fit.cut_short(cut)

    fit = plan.loop.best_of([run] * (plan.loop.n_init if several else 1))
    steps.free_buffers()
    return fit, steps


def _mixture_of(fit: Fit) -> Mixture:
    """What a fit has learned."""
    layout = fit.parameters.gate.layout
    words = np.array(unpadded(fit.parameters.word_topic, layout.n_topics), order="C")
    return Mixture(words, _topic_prior(fit.parameters), layout)


def _climbs(
    steps: MixtureSteps, corpus: Corpus, begin: Callable[[], Parameters], plan: MixturePlan
) -> Iterator[Fit]:
    """The fit from where labeled documents lead; where annealing is asked for, plain EM and it come first."""
    certain = corpus.labels.labeled.all() and steps.n_topics == corpus.n_classes
    if plan.powers is None or len(plan.powers) == 1 or certain:
        yield plan.loop.run(steps, begin)
        return
    powers, loop = plan.powers, plan.loop
    plain: Fit | None = None
    if plan.correspondence == "kl":
        plain = loop.doing("plain EM", part=0, of=3).run(steps, begin)
        yield plain
        if plain.reason.by_person:
            return
    annealed = loop.doing("annealing", part=1, of=3).watched(
        lambda callback: em.follow(steps, begin(), powers.tolist(), callback), steps, len(powers) - 1
    )
    if not annealed.trace:
        raise KeyboardInterrupt
    trace = np.column_stack([powers[: len(annealed.trace)], annealed.trace])
    parameters, reason = annealed.parameters, annealed.reason
    ended: Fit | None = None
    try:
        if not reason.by_person:
            order = _order(corpus, parameters, plain, plan)
            gate = parameters.gate.with_topic_prior(_topic_prior(parameters)[order])
            last = loop.doing("", loop.more_follows, part=2, of=3)
            ended = last.run(steps, lambda: steps.reordered(parameters, order, gate))
    except KeyboardInterrupt:
        reason = StopReason.INTERRUPTED
    if ended is None or not ended.trace:
        # Where annealing stands at power 1; nobody is asked again. Ctrl-C may have come when the very arrays
        # of the parameters were taken for spare ones.
        steps.free_buffers()
        ended = em.run(steps, parameters, em.Stop(0, 0.0, 0.0))
        ended = replace(ended, reason=reason).cut_short(not reason.by_person)
    yield replace(ended, annealed=trace)


def _topic_prior(parameters: Parameters) -> Floats:
    """P(z), as exact as the parameters are."""
    prior: Floats = parameters.gate.topic_prior().astype(parameters.word_topic.dtype).astype(np.float64)
    return prior


def _order(corpus: Corpus, parameters: Parameters, plain: Fit | None, plan: MixturePlan) -> Places:
    """The component of annealing that is to stand in each place."""
    n_topics = parameters.gate.layout.n_topics
    if plain is not None:
        before = unpadded(plain.parameters.word_topic, n_topics)
        return by_divergence(before, unpadded(parameters.word_topic, n_topics))
    if plan.correspondence is None:
        return np.arange(n_topics)
    known = corpus.labeled()
    rows = joint(known.counts, parameters.word_topic, _topic_prior(parameters), plan.n_threads)
    return by_labels(softmax(rows, axis=1), known.labels.code, known.weights(), parameters.gate.layout)


def by_divergence(from_words: Real, to_words: Real) -> Places:
    """The column of `to_words` for each of `from_words`, each once, with the least KL divergence in all.

    KL(p || q) = sum_w p(w) log(p(w) / q(w)), p being a column of `from_words`, q of `to_words`.
    """
    n_topics = from_words.shape[1]
    p, log_q = from_words.astype(np.float64), log_words(to_words, n_topics).astype(np.float64)
    own = np.einsum("wz,wz->z", p, log_words(from_words, n_topics))
    return np.asarray(linear_sum_assignment(own[:, np.newaxis] - p.T @ log_q)[1])


def by_labels(topics: Floats, code: Codes, weights: Floats, layout: Layout) -> Places:
    """The component for each place of the layout, each once, that most labeled documents agree with.

    `topics` are P(z|d) of labeled documents, found without their labels.
    """
    of_class = np.zeros((layout.n_classes, layout.n_topics))
    np.add.at(of_class, code, weights[:, np.newaxis] * topics)
    order = np.asarray(linear_sum_assignment(-of_class[layout.topic_class])[1])
    for place in range(layout.n_classes):  # within a class all orders are as good: they stay as they were
        own = layout.topic_class == place
        order[own] = np.sort(order[own])
    return order


def dealt_out(corpus: Corpus, layout: Layout, rng: Rng) -> Floats:
    """(D, K): components for the labeled documents, dealt out at random within the class; others have none.

    Copies of a document go together, so that a weight is a repetition.
    """
    share = np.zeros((corpus.counts.n_documents, layout.n_topics))
    counted, length = corpus.weights() > 0, corpus.counts.lengths()
    for place in range(layout.n_classes):
        own = np.flatnonzero(layout.topic_class == place)
        documents = np.flatnonzero((corpus.labels.code == place) & counted)
        share[np.ix_(documents, own)] = 1 / len(own)
        documents = documents[length[documents] > 0]  # empty ones have nothing to tell components apart by
        if len(own) == 1 or not len(documents):
            continue
        different, which = np.unique(corpus.counts.checksums(documents), return_inverse=True)
        order = rng.permutation(len(different))
        rows = np.zeros((len(different), len(own)))
        rows[order, np.arange(len(different)) % len(own)] = 1
        left = len(own) - len(different)
        if left > 0:
            rows[:, len(different) :] = rng.standard_exponential((len(different), left))
            rows /= rows.sum(axis=1, keepdims=True)
        share[np.ix_(documents, own)] = rows[which]
    return share


# --- choosing by labeled documents that are held out ---------------------------------------------


def _choose_scaling(corpus: Corpus, numbers: Places, plan: MixturePlan) -> tuple[str, dict[str, float]]:
    """The scaling that labeled documents held out in turn speak for, and the accuracy of each.

    The default where there is no choice, or too few documents can be held out.
    """
    splits = hold_out(corpus, sample=False) if len(plan.scalings) > 1 else []
    if not splits:
        return plan.default_scaling, {}
    said: Probabilities = {}
    plan.loop.progress.begin("scalings on held-out labels", len(plan.scalings) * len(splits))
    for name, scaling in plan.scalings.items():
        scaled = replace(corpus, counts=fit_scaling(scaling, corpus)[1])
        found = _plain_em(scaled, splits, numbers, plan, name)
        said |= found.probability
    found = replace(found, probability=said)
    return found.best(plan.scalings), {name: found.accuracy(name) for name in plan.scalings}


def _choose_numbers(
    corpus: Corpus, numbers: Places, are_open: Mask, plan: MixturePlan
) -> tuple[Places, dict[int, float]]:
    """Components of each class; where that is open, as many as classify held-out documents best.

    Of equals the fewest. And the accuracy of each number that was tried.
    """
    scores: dict[int, float] = {}
    if not are_open.any():
        return numbers, scores
    splits = hold_out(corpus, sample=False, folds=_FOLDS, parts=_FOLDS, alone=_MAX_ALONE)
    best, since = 1, 0
    plan.loop.progress.begin("numbers of components", len(_NUMBERS) * len(splits))
    for number in _NUMBERS if splits else ():
        tried = np.where(are_open, number, numbers)
        doing = replace(plan, loop=plan.loop.doing(f"{number} per class"))
        scores[number] = _plain_em(corpus, splits, tried, doing).accuracy("")
        since = 0 if scores[number] > scores[best] else since + (number > 1)
        best = number if scores[number] > scores[best] else best
        if since >= _PATIENCE:
            break
    return np.where(are_open, best, numbers), scores


def _plain_em(corpus: Corpus, splits: Splits, numbers: Places, plan: MixturePlan, name: str = "") -> HeldOut:
    """What plain EM says of labeled documents that it neither knows the label of nor learns from."""
    plain = replace(plan, loop=plan.loop.quiet(), powers=None)

    def said(learned: Corpus, judged: Corpus) -> Probabilities:
        fit, _ = _best(learned, numbers, plain, np.random.RandomState(0))
        mixture = _mixture_of(fit.unless_interrupted())
        found = {name: mixture.probabilities(judged.counts, plan.n_threads)}
        plan.loop.progress.step()
        return found

    found = judge(((corpus.without(held), corpus.part(held)) for _, held in splits), said)
    assert found is not None
    return found
