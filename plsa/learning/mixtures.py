"""Mixtures of multinomials as values: fitting by EM, annealed or not, and choosing by held-out labels."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.special import log_softmax, logsumexp, softmax

from plsa.engine import em, starts
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
from plsa.learning.parts import LOG_CHANCE, Parts
from plsa.learning.scaling import Scaler, Scaling, fit_scaling, scaled_by

_MEMBER_PASSES = 2  # of a member of a committee
_NUMBERS = (1, 2, 3, 5, 10, 20, 40)  # of components per class that "auto" tries
_PATIENCE = 2  # numbers in a row that are no better, after which larger ones are not tried
_MAX_ALONE = 50  # labeled documents up to which each is held out by itself
_FOLDS = 10  # where there are more
# A weight of unlabeled documents, set on four corpora and five binary tasks of Reuters:
_FEW_LABELS = (
    150  # up to so many, a tenth of them is held out at a time, ten times; else a third, three times
)
_GAIN, _LOSS = 0.5, 1.0  # standard errors that a gain must exceed to be one, and a loss
_KEPT = 0.8  # of the labeled documents, at least, that the usual weight must leave in their class
_ALONE = "labels alone"  # a candidate, as `evidence_` has it


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
    weights: tuple[float, ...] = (1.0,)  # of documents without a label, to choose from; the usual one last
    evidence: bool = True  # whether labeled documents may be held out

    def quiet(self) -> Self:
        """The same from one start and without a callback."""
        return replace(self, loop=self.loop.quiet())

    def plain(self) -> Self:
        """The same without annealing."""
        return replace(self, powers=None)


@dataclass(frozen=True, slots=True)
class Way:
    """What is learned under: what a user has set, and what was chosen."""

    weight: float  # of documents without a label
    scaling: str
    numbers: Places  # components of each class
    scaling_scores: dict[str, float]
    component_scores: dict[int, float]


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

    def parts(self, counts: Counts, n_threads: int | None) -> Parts:
        """log P(d, class) of one document, taken apart; of the classes that have components, by their places.

        With r = P(z|class, d), a word has n(w) sum_z r[z] log P(w|z), and the class sum_z r[z] log(P(z) /
        r[z]). That adds up to log P(d, class), whichever components it has.
        """
        scaled, n_topics = scaled_by(self.scaler, counts), self.layout.n_topics
        rows, classes = self.joint(counts, n_threads)[0], np.unique(self.layout.topic_class)
        logs = unpadded(log_words(padded(self.word_topic[scaled.word], scaled.dtype), n_topics), n_topics)
        of_words = scaled.count[:, np.newaxis].astype(np.float64) * logs
        share, constant = np.empty((len(of_words), len(classes))), np.empty(len(classes))
        whole = np.empty(len(classes))
        for place, code in enumerate(classes):
            own = self.layout.topic_class == code
            chance = softmax(rows[own])
            met = chance > 0
            share[:, place] = of_words[:, own] @ chance
            whole[place] = logsumexp(rows[own])
            constant[place] = chance[met] @ np.log(self.topic_prior[own][met] / chance[met])
        constants, words_of = {"P(class)": constant}, scaled.word.astype(np.intp)
        return Parts(LOG_CHANCE, "naive Bayes", words_of, share, constants, classes).rounded_to(whole)

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
    way: Way
    accuracy: dict[str, float]  # of every weight on held-out documents
    unlabeled_used: bool


def learn(corpus: Corpus, numbers: Places, are_open: Mask, plan: MixturePlan, rng: Rng) -> LearnedMixture:
    """Learns a mixture with so many components of each class; labels choose what is open.

    P(z|d) of the fit are those that follow from the parameters, each document under its label.
    """
    usual = plan.weights[-1]
    check_some_words(corpus.counts, corpus.with_unlabeled(usual).weight)
    weights = plan.weights if plan.evidence and _has_both(corpus) else (usual,)
    progress = plan.loop.progress
    n_before = (plan.evidence and len(plan.scalings) > 1) + int(are_open.any())
    progress.plan(len(weights) * n_before + (len(weights) > 1) + 1)
    ways = {weight: _way(corpus, weight, numbers, are_open, plan) for weight in weights}
    progress.plan((len(weights) > 1) + 1)
    weight, accuracy = _choose_weight(corpus, ways, plan)
    way = ways[weight]
    corpus, scaler = _under(corpus, way, plan)
    progress.begin("EM")
    fit, steps = _best(corpus, way.numbers, plan, rng)
    parameters, cut = finished(lambda: steps.explained(fit.parameters))
    fit = replace(fit, parameters=parameters).cut_short(cut)
    mixture, cut = finished(lambda: _mixture_of(fit))
    fit = fit.cut_short(cut)
    _, cut = finished(lambda: _warn_of_collapse(corpus, mixture, fit, plan))
    used = bool((corpus.weights()[~corpus.labels.labeled] > 0).any())
    return LearnedMixture(replace(mixture, scaler=scaler), fit.cut_short(cut), way, accuracy, used)


def _has_both(corpus: Corpus) -> bool:
    """Whether there are words with a label and words without one."""
    words, known = corpus.counts.lengths() * corpus.weights(), corpus.labels.labeled
    return bool((words[known] > 0).any() and (words[~known] > 0).any())


def _under(corpus: Corpus, way: Way, plan: MixturePlan) -> tuple[Corpus, Scaler | None]:
    """A corpus with documents of the weight, and counts of the scaling, that a way asks for."""
    corpus = corpus.with_unlabeled(way.weight)
    scaler, scaled = fit_scaling(plan.scalings[way.scaling], corpus)
    return replace(corpus, counts=scaled), scaler


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
    steps = _steps(corpus, gate, plan)
    several = layout.n_topics > layout.n_classes  # else nothing is dealt out at random

    def run(loop: Loop) -> Fit:
        share = dealt_out(corpus, layout, rng)
        climbs = _climbs(steps, corpus, lambda: steps.primed(share, gate), replace(plan, loop=loop))
        fit, cut = last_of(climbs)
        return fit.cut_short(cut)

    fit = plan.loop.best_of([run] * (plan.loop.n_init if several else 1))
    steps.free_buffers()
    return fit, steps


def _steps(corpus: Corpus, gate: OneComponent, plan: MixturePlan) -> MixtureSteps:
    """Those of EM, documents having the components that their labels allow."""
    return MixtureSteps(
        corpus.counts,
        gate.layout.n_topics,
        state=gate.states(corpus.labels.code, None),
        n_states=gate.layout.n_classes + 1,
        alpha=plan.alpha,
        weight=corpus.weight,
        n_threads=plan.n_threads,
    )


def members(
    corpus: Corpus, mixture: Mixture, way: Way, plan: MixturePlan, n_members: int, rng: Rng
) -> Iterator[Floats]:
    """(D, C): what models say of documents that start at draws from the posterior of a mixture of them.

    P(w|z) is drawn from the Dirichlet distribution of the words that the mixture expects in a component, P(c)
    from that of the labels; each member goes on by two steps of EM. See `QuickModel.committee`.
    """
    n_labels, layout = corpus.class_counts(), mixture.layout
    corpus, _ = _under(corpus, way, plan)
    even = OneComponent.even(layout, plan.class_alpha, plan.component_alpha)
    steps = _steps(corpus, even, plan)
    words = padded(mixture.word_topic, corpus.counts.dtype)
    before = Parameters(steps.buffers()[0], words, even.with_topic_prior(mixture.topic_prior))
    expected = unpadded(steps.expect(before).word, layout.n_topics) + plan.alpha[:, np.newaxis]
    for _ in range(n_members):
        gate = replace(before.gate, class_prior=rng.dirichlet(n_labels + 1))
        begin = Parameters(
            steps.buffers()[0], starts.words_expected(expected, corpus.counts.dtype, rng), gate
        )
        fit = em.run(steps, begin, em.Stop(_MEMBER_PASSES, 0.0, 0.0)).unless_interrupted()
        yield _mixture_of(fit).probabilities(corpus.counts, plan.n_threads)


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


def _way(corpus: Corpus, weight: float, numbers: Places, are_open: Mask, plan: MixturePlan) -> Way:
    """What labeled documents that are held out speak for where documents without a label have this weight."""
    scaling, scores = _choose_scaling(corpus.with_unlabeled(weight), numbers, plan)
    way = Way(weight, scaling, numbers, scores, {})
    numbers, tried = _choose_numbers(_under(corpus, way, plan)[0], numbers, are_open, plan)
    return replace(way, numbers=numbers, component_scores=tried)


def _choose_weight(
    corpus: Corpus, ways: Mapping[float, Way], plan: MixturePlan
) -> tuple[float, dict[str, float]]:
    """The weight of documents without a label, and the accuracy on held-out documents of each that was tried.

    It is the one that gains most over the labels alone. Where none is shown to gain, it is the usual one if
    that is not shown to lose, and leaves the labeled documents in their classes; else 0, with a warning.
    """
    *_, usual = ways
    if len(ways) == 1:
        return usual, {}
    held = _judge_weights(corpus, ways, plan)
    accuracy = {} if held is None else {name: held.accuracy(name) for name in held.probability}
    open_question, found = True, "too few labels to hold any out"
    if held is not None:
        gains = {weight: held.gain(_named(weight), over=_ALONE) for weight in ways if weight > 0}
        best = max(gains, key=lambda weight: gains[weight][0] - _GAIN * gains[weight][1])
        mean, error = gains[best]
        if mean > _GAIN * error:
            return best, accuracy
        mean, error = gains[usual]
        open_question = mean + _LOSS * error >= 0
        right = f"{accuracy[_ALONE]:.1%} right with the labels alone, {accuracy[_named(usual)]:.1%} with all"
        found = f"of those held out, {right} documents; log-probability {mean:+.2f} +- {error:.2f}"
    if open_question:
        kept = _kept_labels(corpus, ways[usual], plan)
        if kept >= _KEPT:
            return usual, accuracy
        found += f"; EM would take {1 - kept:.0%} of the labeled documents for another class than theirs"
    helped = f"documents without a label did not help to classify labeled ones ({found})"
    warn(
        f"{helped}: the model was learned from the labels alone. unlabeled_weight=1 takes them all the same."
    )
    return 0.0, accuracy


def _named(weight: float) -> str:
    """A weight of documents without a label, as `evidence_` has it."""
    return f"unlabeled_weight={weight:g}" if weight > 0 else _ALONE


def _judge_weights(corpus: Corpus, ways: Mapping[float, Way], plan: MixturePlan) -> HeldOut | None:
    """What each way says of labeled documents held out in turn; None where there are too few."""
    few = corpus.weights()[corpus.labels.labeled].sum() <= _FEW_LABELS
    number = _FOLDS if few else 3
    splits = hold_out(corpus, sample=False, folds=number, parts=number)
    plan.loop.progress.begin("documents without a label", max(len(ways) * len(splits), 1))
    said: Probabilities = {}
    found: HeldOut | None = None
    for weight, way in ways.items() if splits else ():
        doing = replace(plan, loop=plan.loop.doing(f"weight {weight:g}"))
        found = _judged(_under(corpus, way, plan)[0], splits, way.numbers, doing, _named(weight))
        said |= found.probability
    return None if found is None else replace(found, probability=said)


def _kept_labels(corpus: Corpus, way: Way, plan: MixturePlan) -> float:
    """The share of the labeled documents that stay in their class where the fit is not told their labels.

    It was told them before: where many documents outvote a few labels all the same, EM has found other
    classes than those meant. Documents without words say nothing.
    """
    corpus = _under(corpus, way, plan)[0]
    fit, _ = _best(corpus, way.numbers, plan.quiet(), np.random.RandomState(0))
    known = corpus.part(np.flatnonzero(corpus.labels.labeled & (corpus.counts.lengths() > 0)))
    said = _mixture_of(fit.unless_interrupted()).probabilities(known.counts, plan.n_threads)
    return HeldOut(known.labels.code, known.weights(), {"": said}).accuracy("")


def _choose_scaling(corpus: Corpus, numbers: Places, plan: MixturePlan) -> tuple[str, dict[str, float]]:
    """The scaling that labeled documents held out in turn speak for, and the accuracy of each.

    The default where there is no choice, or too few documents can be held out.
    """
    splits = hold_out(corpus, sample=False) if plan.evidence and len(plan.scalings) > 1 else []
    if not splits:
        return plan.default_scaling, {}
    said: Probabilities = {}
    plan.loop.progress.begin("scalings on held-out labels", len(plan.scalings) * len(splits))
    for name, scaling in plan.scalings.items():
        scaled = replace(corpus, counts=fit_scaling(scaling, corpus)[1])
        found = _judged(scaled, splits, numbers, plan.plain(), name)
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
    splits: Splits = []
    if plan.evidence:
        splits = hold_out(corpus, sample=False, folds=_FOLDS, parts=_FOLDS, alone=_MAX_ALONE)
    best, since = 1, 0
    plan.loop.progress.begin("numbers of components", len(_NUMBERS) * len(splits))
    for number in _NUMBERS if splits else ():
        tried = np.where(are_open, number, numbers)
        doing = replace(plan, loop=plan.loop.doing(f"{number} per class"))
        scores[number] = _judged(corpus, splits, tried, doing.plain()).accuracy("")
        since = 0 if scores[number] > scores[best] else since + (number > 1)
        best = number if scores[number] > scores[best] else best
        if since >= _PATIENCE:
            break
    return np.where(are_open, best, numbers), scores


def _judged(corpus: Corpus, splits: Splits, numbers: Places, plan: MixturePlan, name: str = "") -> HeldOut:
    """What EM says of labeled documents that it neither knows the label of nor learns from."""

    def said(learned: Corpus, judged: Corpus) -> Probabilities:
        fit, _ = _best(learned, numbers, plan.quiet(), np.random.RandomState(0))
        mixture = _mixture_of(fit.unless_interrupted())
        found = {name: mixture.probabilities(judged.counts, plan.n_threads)}
        plan.loop.progress.step()
        return found

    found = judge(((corpus.without(held), corpus.part(held)) for _, held in splits), said)
    assert found is not None
    return found
