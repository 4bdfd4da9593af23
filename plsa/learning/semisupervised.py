"""Learning from labeled and unlabeled documents together.

All models start from the labels, take documents without a label in at a small weight, and stop early: more
passes raise the likelihood and lower the accuracy. The likelihood of left-out words does not show it (it
rises along); that a pass gains little does. What tells the models apart is their gates.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from plsa.engine.counts import Counts
from plsa.engine.parameters import Codes, Fit, Floats, Places, Real, Rng, StopReason, padded
from plsa.engine.progress import SILENT
from plsa.engine.runs import finished, last_of
from plsa.inputs import warn
from plsa.labels.corpus import Corpus, check_some_words
from plsa.labels.gates import LabelGate, MissingLabel
from plsa.labels.layout import Layout
from plsa.learning import supervised
from plsa.learning.aspects import Aspects, Folding, Predictor, Settings, fit_gated, with_aspects
from plsa.learning.doubts import Doubts, doubt, turns
from plsa.learning.evidence import HeldOut, Probabilities, is_telling, judge, parts
from plsa.learning.guesses import Guesser, Guesses, usual
from plsa.learning.linear import TEACHINGS, Teaching, usual_leveling
from plsa.learning.scaling import fit_scaling, is_large, shared_words
from plsa.learning.student import USUAL_OF_GUESSES, usual_sharpness
from plsa.learning.supervised import Blended, Choice, Learned, Plan, blend_of, choose_teaching

_CHEAP = 2e7  # nonzeros x topics x scalings: up to so many, evidence comes from three folds, not one, and
# from guesses that are made twice
_FIRST_PASSES, _PASSES_TO_GUESS = 30, 10  # at most, of a first fit: guesses are made anew soon
_STILL = 1e-3  # share of guesses that change: fewer are none
# Held-out documents are judged by a student of fewer labels, whose guesses were made once or twice. The
# margins of the last one are wider, and leveled scores too sharp by this power of that: found on other splits
# of the corpora of bench/wide, where the leveling was about 0.4.
_WIDENED = 0.35
_UNTRIED = 0.3  # power of how frequent the classes are that were held out: of others less is known
# Of documents without a label that evidence is found with: so many words, each counted once in a document, or
# so many documents, whichever is more.
_ENOUGH_WORDS, _ENOUGH_UNLABELED = 700_000, 5_000
_SMALL = 0.01  # no margin counts as less
_ALONE = "labels alone"
_TOGETHER = "all documents"
_TOPICS = "topics"
CLASSIFIERS = ("labels", "guesses", "words", _TOPICS)  # of a student
_RARE = 1e-6  # no probability that topics give a class counts as less beside other classifiers


@dataclass(frozen=True, slots=True)
class Member:
    """The model under one scaling of the counts, as far as it has come."""

    scaling: str
    counts: Counts  # of the corpus, scaled
    fit: Fit  # the last one
    aspects: Aspects
    traces: tuple[list[float], ...]  # one for each stretch
    n_passes: int


@dataclass(frozen=True, slots=True)
class Task:
    """What members learn from, and how."""

    corpus: Corpus
    plan: Plan
    settings: Settings
    rng: Rng

    def first(self, scaling: str) -> Member:
        """The first fit under a scaling."""
        plan, max_iter = self.plan, self.plan.method.loop.max_iter
        scaler, counts = fit_scaling(plan.scalings[scaling], self.corpus)
        few = _FIRST_PASSES if plan.later_gate is None else _PASSES_TO_GUESS
        passes = min(max_iter, few) if plan.early_stopping else max_iter
        settings = self.settings
        if plan.guessed_by_labels and counts.total(self.corpus.with_unlabeled(0.0).weight) > 0:
            # Documents without a label find their topics and teach nothing.
            settings = replace(settings, unlabeled_weight=0.0)
        fit = self._stretch(counts, plan.gate, passes, f"scaling {scaling}", settings)
        fit, aspects = with_aspects(fit, self.corpus, self.settings, scaler)
        return Member(scaling, counts, fit, aspects, (fit.trace,), fit.n_updates + 1)

    def advanced(self, member: Member, guesses: Guesses) -> Member:
        """A member after one more stretch, under guesses."""
        method, later = self.plan.method, self.plan.later_gate
        assert later is not None
        passes = method.loop.max_iter if self.plan.relabel is None else self.plan.relabel
        # The printed algorithm draws its parameters again. And a fit to the labels alone may have made words
        # impossible that other documents have.
        again = method.init != "labels" or (self.plan.guessed_by_labels and len(member.traces) == 1)
        words = None if again else padded(member.aspects.word_topic, member.counts.dtype)
        guess = guesses.or_doubt(self.plan.doubt, self.corpus.n_classes)
        how = later, passes, f"scaling {member.scaling}", self.settings, guess, words
        fit = self._stretch(member.counts, *how)
        fit, aspects = with_aspects(fit, self.corpus, self.settings, member.aspects.scaler)
        traces, n_passes = (*member.traces, fit.trace), member.n_passes + fit.n_updates
        return replace(member, fit=fit, aspects=aspects, traces=traces, n_passes=n_passes)

    def _stretch(
        self,
        counts: Counts,
        gate: Callable[[Layout], LabelGate],
        passes: int,
        doing: str,
        settings: Settings,
        guess: Codes | None = None,
        words: Real | None = None,
    ) -> Fit:
        """Passes under one gate. To have run out of a few, where more are allowed, is to stop early."""
        loop = self.plan.method.loop
        stretch = replace(loop.doing(doing), max_iter=passes, early=self.plan.early_stopping)
        how = gate(settings.layout), settings, replace(self.plan.method, loop=stretch), self.rng
        fit = fit_gated(counts, self.corpus, *how, guess=guess, words=words)
        if fit.reason is StopReason.ROUNDS and passes < loop.max_iter:
            fit = replace(fit, reason=StopReason.EARLY)
        return fit


def learn(corpus: Corpus, plan: Plan, rng: Rng) -> Learned:
    """Learns from all documents, or from the labels alone where the others do not help.

    Where labels may be wrong, each is first judged by the others, and then worth as much as it is right.
    """
    if not plan.label_noise:
        return _learn_as_labeled(corpus, plan, rng)
    doubts = _doubts(corpus, plan)
    return replace(_learn_as_labeled(doubts.weighted(corpus), plan, rng), doubts=doubts)


def _learn_as_labeled(corpus: Corpus, plan: Plan, rng: Rng) -> Learned:
    """The same where labels are right."""
    if corpus.labels.labeled.all():
        return supervised.learn_from_labels(corpus, plan, rng)
    check_some_words(corpus.counts, corpus.weight)
    n_words = corpus.counts.n_words
    words = np.arange(n_words)
    if plan.student and plan.later_gate is not None and is_large(corpus):
        words = np.flatnonzero(shared_words(corpus))
    if len(words) in (0, n_words):
        return _learn(corpus, plan, rng, corpus.counts)
    # What is not shared tells nothing, and may be most of the vocabulary.
    learned = _learn(corpus.of_words(words), plan, rng, corpus.counts)
    predictor, cut = finished(lambda: learned.predictor.spread(words, n_words))
    return replace(learned, predictor=predictor, fit=learned.fit.cut_short(cut))


def _learn(corpus: Corpus, plan: Plan, rng: Rng, whole: Counts) -> Learned:
    """The same of words that count; documents are known again by all their words, those of `whole`."""
    choice = _weigh_evidence(corpus, plan)
    if choice.unlabeled_used:
        return _learn_together(Task(corpus, plan, choice.settings, rng), choice, whole)
    alone = max(right for name, right in choice.accuracy.items() if name.startswith(_ALONE))
    shared = choice.accuracy[choice.scaling if plan.later_gate is None else _TOGETHER]
    found = f"{alone:.1%} right with the labels alone, {shared:.1%} with all documents"
    helped = f"documents without a label did not help to classify held-out labeled ones ({found})"
    warn(f"{helped}: the model was learned from the labels alone. evidence_ has the details.")
    learned = supervised.learn_from_labels(corpus, plan, rng)
    taken = learned.choice
    settings = replace(taken.settings, unlabeled_weight=choice.settings.unlabeled_weight)
    accuracy = choice.accuracy | taken.accuracy
    return replace(learned, choice=replace(taken, settings=settings, accuracy=accuracy, voters=choice.voters))


def sketch(
    corpus: Corpus, plan: Plan, passes: int, words: Real | None = None, frequencies: Floats | None = None
) -> Fit:
    """A few passes from the labels, or from padded P(w|z) and P(class), under the default settings.

    The counts are scaled already. The gate is that of missing labels, whatever the plan has: nothing is
    chosen by evidence, and guesses are not made.
    """
    settings = plan.settings
    method = replace(plan.method, loop=replace(plan.method.loop.quiet(), max_iter=passes, progress=SILENT))
    gate, rng = MissingLabel(settings.layout), np.random.RandomState(0)
    return fit_gated(corpus.counts, corpus, gate, settings, method, rng, words=words, frequencies=frequencies)


# --- guesses, made anew --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _State:
    """How far the members have come together."""

    members: tuple[Member, ...]
    guesses: Guesses
    reason: StopReason


def _learn_together(task: Task, choice: Choice, whole: Counts) -> Learned:
    """A fit under each scaling, guesses that these make together, a stretch under them, and so on.

    Where nothing is guessed, one fit.
    """
    corpus, plan = task.corpus, task.plan
    taught = plan.student and plan.later_gate is not None
    teaching = choice.teaching if taught else None
    guesser = Guesser.of(corpus, teaching, plan.method.n_threads)
    state, cut = last_of(_states(task, choice, guesser))
    kept, student, sharpness, leveling = state.members[0], None, choice.sharpness, 0.0
    if state.guesses.taught is not None:
        topics = _topics(state.members)
        (student, margin), cut_later = finished(
            lambda: guesser.finished(state.guesses, topics, choice.blend, whole.fingerprints())
        )
        sharpness, leveling = sharpness / max(margin, _SMALL) ** _WIDENED, choice.leveling
        cut = cut or cut_later
    elif guesser.lesson is not None:
        # Stopped before any guess: the student knows the labels alone, the topics all documents.
        sharpness = 1.0
    predictor = Predictor(kept.aspects, corpus.class_frequencies(), student, sharpness, leveling)
    reason = state.reason if state.reason.by_person else kept.fit.reason
    trace = [value for stretch in kept.traces for value in stretch]
    fit = replace(kept.fit, trace=trace, n_passes=kept.n_passes, reason=reason).cut_short(cut)
    return Learned(predictor, fit, choice, tuple(np.cumsum([0, *map(len, kept.traces[:-1])]).tolist()))


def _states(task: Task, choice: Choice, guesser: Guesser) -> Iterator[_State]:
    """Every state that the members come to, from the first fit of the first of them on."""
    plan, progress = task.plan, task.plan.method.loop.progress
    guessing = plan.later_gate is not None
    # The one that is kept goes first: Ctrl-C then finds something to keep.
    scalings = sorted(choice.voters, key=lambda scaling: scaling != choice.scaling) if guessing else []
    scalings = scalings or [choice.scaling]
    progress.begin(f"fits under {len(scalings)} scalings" if len(scalings) > 1 else "fit", len(scalings))
    state = _State((), guesser.first(), StopReason.EARLY)
    for scaling in scalings:
        member = task.first(scaling)
        progress.step()
        state = replace(state, members=(*state.members, member), reason=member.fit.reason)
        yield state
        if state.reason.by_person:
            return
    if guessing:
        yield from _relabelings(state, guesser, task)


def _relabelings(state: _State, guesser: Guesser, task: Task) -> Iterator[_State]:
    """Every state from here on: new guesses, then every member under them, again and again."""
    folding, progress = task.plan.method.folding.roughly(), task.plan.method.loop.progress
    n_times = 1 if task.plan.relabel is None else task.plan.n_relabels
    progress.begin("guesses made anew", n_times * (1 + len(state.members)) + 1)
    for _ in range(n_times):
        state = replace(state, guesses=guesser.next(state.guesses, _say(state.members, folding)))
        progress.step()
        yield state
        if state.guesses.changed < _STILL:
            return
        for place, member in enumerate(state.members):
            member = task.advanced(member, state.guesses)
            progress.step()
            members = (*state.members[:place], member, *state.members[place + 1 :])
            state = replace(state, members=members, reason=member.fit.reason)
            yield state
            if state.reason.by_person:
                return
    state = replace(state, guesses=guesser.next(state.guesses, _say(state.members, folding)))  # the student's
    progress.step()
    yield state


def _topics(members: Sequence[Member]) -> list[Real]:
    """P(w|class), as each member has it."""
    return [member.aspects.words_of_classes() for member in members]


def _said_by(member: Member, documents: Places, folding: Folding) -> Real:
    """P(class|document), as a member has it."""
    aspects = replace(member.aspects, scaler=None)  # the counts are scaled already
    counts, start = member.counts, member.fit.parameters.doc_topic
    if 2 * len(documents) > counts.n_documents:  # to fold in the others too costs less than a copy
        return aspects.classes(counts, folding, start, counts.dtype)[documents]
    return aspects.classes(counts.of_documents(documents), folding, start[documents], counts.dtype)


def _say(members: Sequence[Member], folding: Folding) -> Callable[[Places], Real]:
    """What members together say of documents of their corpus: without a gate, from where these were."""

    def said(documents: Places) -> Real:
        each = [_said_by(member, documents, folding) for member in members]
        total = sum(each[1:], start=each[0])
        total /= len(members)
        return total

    return said


# --- what labeled documents that are held out say ------------------------------------------------


def _doubts(corpus: Corpus, plan: Plan) -> Doubts:
    """What is believed of the labels, by a quickly taught student, or by linear classifiers and topics."""
    quiet, progress = plan.quiet(), plan.method.loop.progress
    alone = bool(corpus.labels.labeled.all())
    taught = plan.student and not alone
    splits = turns(corpus)
    progress.plan(bool(splits) + 1 + (0 if alone else plan.evidence + (plan.later_gate is not None)))
    if splits:
        progress.begin("labels in doubt", len(splits) * (len(plan.views) + 1 if taught else 2))

    def said(learned: Corpus, judged: Corpus) -> Probabilities:
        if taught:
            return _taught_candidates(_fewer(learned), judged, quiet, TEACHINGS[0], 0)
        found = supervised.taught_by_labels(learned, judged, TEACHINGS[0], plan.method.n_threads)
        progress.step()
        scaling, settings = plan.default_scaling, plan.settings
        if alone:
            topics = supervised.judge_labels(learned, judged, scaling, settings, quiet)
        else:
            _, topics = _judged(learned, judged, scaling, settings, quiet)
        logs = np.log(np.maximum(topics, _RARE))
        return found | {_TOPICS: logs - logs.mean(axis=1, keepdims=True)}

    def chosen(held: HeldOut) -> Floats:
        if taught:
            known = usual(corpus, told=is_telling(held.weights.sum(), corpus.n_classes))
            return blend_of(held, CLASSIFIERS, known).probabilities()
        names = *supervised.OF_LABELS, _TOPICS
        return blend_of(held, names, (*supervised.USUAL, USUAL_OF_GUESSES)).probabilities()

    doubts = doubt(corpus, splits, said, chosen)
    progress.close()
    return doubts


def _weigh_evidence(corpus: Corpus, plan: Plan) -> Choice:
    """What labeled documents support that are held out, the unlabeled ones being learned from."""
    guessing = plan.later_gate is not None
    scalings = plan.views if guessing else tuple(plan.scalings)
    default = scalings[-1] if guessing else plan.default_scaling
    work = len(corpus.counts.word) * plan.settings.layout.n_topics * len(scalings)
    cheap = work < _CHEAP
    splits = plan.splits(corpus, sample=False, folds=3 if cheap else 1)
    enough = supervised.is_enough(sum(corpus.weights()[outside].sum() for _, outside in splits), corpus)
    quiet, progress = plan.quiet(), plan.method.loop.progress
    alternatives = plan.alternatives if enough and not (guessing and plan.student) else ()
    progress.plan(bool(splits) + 1 + guessing)
    teaching = TEACHINGS[0]
    if splits:
        n_candidates = len(scalings) * (1 if guessing else 2) + guessing + len(alternatives)
        progress.begin(supervised.CHOOSING, len(splits) * n_candidates)
        if guessing and plan.student:
            teaching, _ = choose_teaching(corpus, plan.student_splits(corpus), plan.method.n_threads)

    def said(learned: Corpus, judged: Corpus) -> Probabilities:
        if not guessing:
            found = _candidates(learned, judged, quiet)
        elif plan.student:
            found = _taught_candidates(_fewer(learned), judged, quiet, teaching, 1 if cheap else 0)
        else:
            found = _guessing_candidates(learned, judged, quiet)
        for other in alternatives:
            settings = other.of(plan.settings)
            found[other.name] = _judged(learned, judged, default, settings, quiet)[1]
        return found

    held = judge(parts(corpus, splits), said)
    progress.close()
    return replace(_decide(held, corpus, plan), teaching=teaching)


def _fewer(corpus: Corpus) -> Corpus:
    """The corpus with no more documents without a label than evidence needs, chosen by their words alone."""
    counts, weights, unknown = corpus.counts, corpus.weights(), ~corpus.labels.labeled
    n_words = (weights * counts.presence().lengths())[unknown].sum()
    share = max(_ENOUGH_WORDS / max(n_words, 1.0), _ENOUGH_UNLABELED / max(weights[unknown].sum(), 1.0))
    if share >= 1:
        return corpus
    taken = corpus.labels.labeled | (corpus.counts.fingerprints() % np.uint64(1 << 20) < share * (1 << 20))
    return corpus.part(np.flatnonzero(taken))


def _judged(
    learned: Corpus, judged: Corpus, scaling: str, settings: Settings, plan: Plan
) -> tuple[Member, Floats]:
    """A first fit to a part of the corpus, and what it says of documents held out of it."""
    member = Task(learned, plan, settings, np.random.RandomState(0)).first(scaling)
    member.fit.unless_interrupted()
    said = member.aspects.classes(judged.counts, plan.method.folding.roughly())
    plan.method.loop.progress.step()
    return member, said


def _candidates(learned: Corpus, judged: Corpus, plan: Plan) -> Probabilities:
    """Every scaling, with all documents and with the labels alone."""
    found: Probabilities = {}
    for name in plan.scalings:
        _, found[name] = _judged(learned, judged, name, plan.settings, plan)
        found[f"{_ALONE}, {name}"] = supervised.judge_labels(learned, judged, name, plan.settings, plan)
    return found


def _guessing_candidates(learned: Corpus, judged: Corpus, plan: Plan) -> Probabilities:
    """Every scaling, all of them together, and the labels alone."""
    found = {name: _judged(learned, judged, name, plan.settings, plan)[1] for name in plan.views}
    together = np.sum([found[name] for name in plan.views], axis=0)
    default = plan.views[-1]
    found[_ALONE] = supervised.judge_labels(learned, judged, default, plan.settings, plan)
    found[_TOGETHER] = together / together.sum(axis=1, keepdims=True)
    return found


def _taught_candidates(
    learned: Corpus, judged: Corpus, plan: Plan, teaching: Teaching, n_rounds: int
) -> Probabilities:
    """Every scaling, and the scores of the classifiers that a student is a blend of.

    Guesses are made, and then `n_rounds` times anew.
    """
    found: Probabilities = {}
    members = []
    for name in plan.views:
        member, found[name] = _judged(learned, judged, name, plan.settings, plan)
        members.append(member)
    guesser = Guesser.of(learned, teaching, plan.method.n_threads)
    folding = plan.method.folding.roughly()
    guesses = guesser.next(guesser.first(), _say(members, folding))
    for _ in range(n_rounds):
        task = Task(learned, plan, plan.settings, np.random.RandomState(0))
        members = [task.advanced(member, guesses) for member in members]
        for member in members:
            member.fit.unless_interrupted()
        guesses = guesser.next(guesses, _say(members, folding))
    assert guesser.lesson is not None
    for name, weights in zip(CLASSIFIERS, guesser.classifiers(guesses, _topics(members)), strict=True):
        found[name] = guesser.lesson.judged(weights, judged.counts)
    found[supervised.FREQUENCIES] = supervised.frequency_scores(learned, judged)
    plan.method.loop.progress.step()
    return found


def _decide(held: HeldOut | None, corpus: Corpus, plan: Plan) -> Choice:
    """What the evidence supports; the defaults where there is none."""
    guessing = plan.later_gate is not None
    scalings = plan.views if guessing else tuple(plan.scalings)
    default, voters = (scalings[-1], scalings) if guessing else (plan.default_scaling, ())
    if held is None:
        n = corpus.n_classes
        sharpness, leveling = (usual_sharpness(1.0, n), usual_leveling(n)) if plan.student else (1.0, 0.0)
        return Choice(plan.settings, default, sharpness, {}, {}, voters, True, leveling=leveling)
    blended: Blended | None = None
    if plan.student and guessing:
        told = is_telling(held.weights.sum(), corpus.n_classes)
        blended = blend_of(held, CLASSIFIERS, usual(corpus, told=told))
        said = {name: held.probability[name] for name in scalings}
        labels = blend_of(held, CLASSIFIERS[:1], supervised.USUAL[:1])
        said[_ALONE], said[_TOGETHER] = labels.probabilities(), blended.probabilities()
        held = replace(held, probability=said)
    accuracy = {name: held.accuracy(name) for name in held.probability}
    best = held.best(scalings)
    alone, together = _ALONE, _TOGETHER
    if not guessing:
        alone, together = max((f"{_ALONE}, {s}" for s in scalings), key=accuracy.__getitem__), best
    settings, used, like = plan.settings, True, best
    if supervised.is_enough(held.weights.sum(), corpus):
        used = not held.better(alone, than=together)
        if blended is None:
            settings, nearest = supervised.better_settings(settings, held, default, plan.alternatives)
            like = best if nearest == default else nearest
        voters = tuple(scaling for scaling in voters if not held.better(best, than=scaling))
    if blended is not None:
        tried = float(corpus.class_frequencies()[np.unique(held.code)].sum())
        sharpness, leveling, shares = blended.sharpness * tried**_UNTRIED, blended.leveling, blended.shares
        return Choice(settings, best, sharpness, accuracy, {}, voters, used, blend=shares, leveling=leveling)
    # One of the models predicts: probabilities are made sharper as those of the candidate most like it need.
    return Choice(settings, best, held.sharpness(like, 1.0), accuracy, {}, voters, used)
