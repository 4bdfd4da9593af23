"""What held-out labeled documents decide: by more than noise, and only where there are enough of them."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import reference
from cases import corpus as planted
from helpers import partly_labeled

from plsa import MissingLabelPLSA, SoftMislabelingPLSA
from plsa.estimators.validation import check_counts
from plsa.labels.corpus import Corpus
from plsa.labels.reading import Labels
from plsa.learning import semisupervised, supervised
from plsa.learning.evidence import HeldOut
from plsa.learning.guesses import usual
from plsa.learning.linear import blend
from plsa.learning.student import margins
from plsa.learning.supervised import blend_of, is_enough

N_HELD = 40  # of four classes: enough from twenty on


def corpus():
    """Documents of four classes."""
    X, code, _ = planted("float64")
    counts = check_counts(SoftMislabelingPLSA(), X, reset=True)
    return Corpus(counts, Labels(np.arange(4), code.astype(np.int32)))


def held_out(n_wrong, weight=1.0):
    """Candidates that have so many documents wrong: the first ones, or some in the middle where negative."""
    code = (np.arange(N_HELD) % 4).astype(np.int32)
    probability = {}
    for name, number in n_wrong.items():
        said = code.copy()
        wrong = slice(0, number) if number >= 0 else slice(20, 20 - number)
        said[wrong] = (said[wrong] + 1) % 4
        probability[name] = 0.1 + 0.6 * np.eye(4)[said]
    return HeldOut(code, np.full(N_HELD, weight), probability)


def decided(model, n_wrong, weight=1.0):
    """What is chosen; all that is not named has half of the documents wrong."""
    plan = model.plan(np.arange(4))
    names = [*plan.scalings, *(f"labels alone, {name}" for name in plan.scalings)]
    names += [other.name for other in plan.alternatives] + ["labels alone", "all documents"]
    if plan.student:
        names += [*semisupervised.CLASSIFIERS, "classes"]
    held = held_out(dict.fromkeys(names, 20) | n_wrong, weight)
    return semisupervised._decide(held, corpus(), plan), list(plan.views)


@pytest.mark.parametrize("student", [None, "linear"])
def test_scalings_that_are_worse_by_more_than_noise_have_no_vote(student):
    """The best has one, and what is nearly as good."""
    model = SoftMislabelingPLSA(student=student)
    first, second = model.plan(np.arange(4)).views
    found, _ = decided(model, {first: 2, second: 30, "all documents": 1, "guesses": 1})
    assert (found.scaling, found.voters) == (first, (first,))
    assert found.unlabeled_used
    near, _ = decided(model, {first: -3, second: 2, "all documents": 1})
    assert (near.scaling, near.voters) == (second, (first, second))
    few, views = decided(model, {first: 2, second: 30}, weight=0.45)
    assert few.scaling == first
    assert few.voters == tuple(views), "eighteen documents are too few to rule anything out"


@pytest.mark.parametrize("model", [partial(SoftMislabelingPLSA, student=None), MissingLabelPLSA])
@pytest.mark.parametrize(
    ("alone", "together", "weight", "used"),
    [(0, 12, 1.0, False), (12, 0, 1.0, True), (0, -1, 1.0, True), (0, 12, 0.45, True), (5, 5, 1.0, True)],
)
def test_documents_without_a_label_are_left_out_only_where_labels_alone_are_better(
    model, alone, together, weight, used
):
    """By more than noise, and on at least five documents per class."""
    first = next(iter(model().plan(np.arange(4)).scalings))
    n_wrong = {
        f"labels alone, {first}": alone,
        "labels alone": alone,
        first: together,
        "all documents": together,
    }
    assert decided(model(), n_wrong, weight)[0].unlabeled_used is used


@pytest.mark.parametrize(
    ("n_wrong", "weight", "chosen"), [(5, 1.0, 1.0), (25, 1.0, 0.3), (5, 0.45, 0.3), (-20, 1.0, 0.3)]
)
def test_settings_are_overruled_by_what_is_better(n_wrong, weight, chosen):
    """Than the default scaling under the default settings."""
    model = SoftMislabelingPLSA(student=None)
    others = {model.plan(np.arange(4)).views[-1]: 20, "unlabeled_weight=1": n_wrong}
    found, _ = decided(model, others, weight)
    assert found.settings.unlabeled_weight == chosen


def test_a_student_is_blended_as_held_out_documents_have_it():
    """Who has them right has the say, and the blend is at a mean margin of one; settings are not tried."""
    n_wrong = {"labels": 30, "guesses": 2, "words": 30, "topics": 30, "unlabeled_weight=1": 0}
    found, _ = decided(SoftMislabelingPLSA(), n_wrong)
    labels, guesses, words, topics, _ = found.blend
    assert guesses > 3 * max(labels, words, topics)
    assert found.settings.unlabeled_weight == 0.3
    assert found.unlabeled_used
    names = (*semisupervised.CLASSIFIERS, "classes")
    held = held_out(dict.fromkeys(names, 20) | n_wrong)
    scores = sum(share * held.probability[name] for share, name in zip(found.blend, names, strict=True))
    np.testing.assert_allclose(held.mean(margins(scores)), 1)
    other, _ = decided(SoftMislabelingPLSA(), {"labels": 0, "guesses": 20, "words": 20, "topics": 20})
    assert other.blend[0] > labels
    assert other.unlabeled_used, "labels have their say in a blend: it is not worse than they are"


def test_enough_is_five_documents_a_class():
    """Counting what each counts."""
    assert is_enough(20.0, corpus())
    assert not is_enough(19.9, corpus())


@pytest.mark.parametrize(("still", "n_stretches"), [(0.0, 4), (2.0, 1)])
def test_guesses_that_hardly_change_are_not_made_again(still, n_stretches, monkeypatch):
    """Each making of guesses is followed by a stretch, until too few of them are new."""
    monkeypatch.setattr(semisupervised, "_STILL", still)
    X, y, _ = partly_labeled(150, 100, every=4, seed=1, document_length=30, word_concentration=0.3)
    found = SoftMislabelingPLSA(scaling=None, evidence=False, n_relabels=3, random_state=0).fit(X, y)
    assert len(found.stretches_) == n_stretches


@pytest.mark.parametrize(("cheap", "n_folds"), [(np.inf, 3), (0, 1)])
def test_evidence_that_would_take_long_comes_from_one_fold(cheap, n_folds, monkeypatch):
    """Else from three."""
    monkeypatch.setattr(semisupervised, "_CHEAP", cheap)
    seen = []

    def judged(pairs, candidates):
        seen.append(len(list(pairs)))

    monkeypatch.setattr(semisupervised, "judge", judged)
    some, plan = corpus(), MissingLabelPLSA().plan(np.arange(4))
    assert semisupervised._weigh_evidence(some, plan).unlabeled_used, "nothing was said against it"
    assert seen == [n_folds]


def test_models_together_say_the_mean():
    """Of what each says under its own scaling; documents in the order that is asked for.

    Folding in begins where documents were in the fit, and ends where it would have from elsewhere.
    """
    some, plan = corpus(), SoftMislabelingPLSA().plan(np.arange(4))
    task = semisupervised.Task(some, plan, plan.settings, np.random.RandomState(0))
    members = [task.first(name) for name in list(plan.scalings)[:3]]
    folding, documents = plan.method.folding, np.array([7, 3, 100])
    said = semisupervised._say(members, folding)(documents)
    each = [
        member.aspects.classes(some.counts, folding, member.fit.parameters.doc_topic)[documents]
        for member in members
    ]
    np.testing.assert_allclose(said, np.mean(each, axis=0), rtol=1e-5)
    anew = [member.aspects.classes(some.counts, folding)[documents] for member in members]
    np.testing.assert_allclose(said, np.mean(anew, axis=0), atol=1e-3)
    assert np.ptp(each, axis=0).max() > 0.01, "else there is nothing to be seen"


@pytest.mark.parametrize("weighted", [False, True])
def test_documents_that_are_held_out_in_place_say_nothing(weighted):
    """Neither by a label nor by their words; all else stays."""
    some = corpus()
    if weighted:
        some = replace(some, weight=1.0 + np.arange(150) % 3)
    known = np.flatnonzero(some.labels.labeled)
    held = known[[0, 3]]
    found = some.without(held)
    others = np.setdiff1d(np.arange(150), held)
    assert not found.weights()[held].any()
    assert not found.labels.labeled[held].any()
    np.testing.assert_array_equal(found.weights()[others], some.weights()[others])
    np.testing.assert_array_equal(found.labels.code[others], some.labels.code[others])
    assert some.labels.labeled[held].all(), "what it is made of stays"


def judged(n=40, seed=0):
    """Held-out documents, scores that tell something of them, and how frequent classes are."""
    rng = np.random.default_rng(seed)
    code = rng.integers(0, 4, n).astype(np.int32)
    scores = {name: 2 * np.eye(4)[code] + rng.normal(size=(n, 4)) for name in semisupervised.CLASSIFIERS}
    scores["classes"] = np.tile(np.log([0.7, 0.1, 0.1, 0.1]), (n, 1))
    return HeldOut(code, np.ones(n), scores)


def test_a_blend_says_what_its_weights_come_to(monkeypatch):
    """softmax(s / h^leveling) of the sum s before it is brought to a mean margin of one."""
    held, blended = judged(), []

    def listening(*given):
        blended.append(blend(*given))
        return blended[-1]

    monkeypatch.setattr(supervised, "blend", listening)
    found = blend_of(held, semisupervised.CLASSIFIERS, (0.1, 1.4, 0.3, 0.4))
    names = (*semisupervised.CLASSIFIERS, "classes")
    total = sum(w * held.probability[name] for w, name in zip(blended[0].weights, names, strict=True))
    assert found.leveling == blended[0].leveling > 0
    assert abs(np.log(held.mean(margins(total)))) > 0.1, "else nothing is shown"
    wanted = np.exp(reference.log_softmax(total, found.leveling))
    np.testing.assert_allclose(found.probabilities(), wanted, rtol=1e-8)
    np.testing.assert_allclose(held.mean(margins(found.scores)), 1)


@pytest.mark.parametrize(("n", "usual"), [(8, 0.3), (7, 1.0)])
def test_few_held_out_documents_begin_at_what_is_usual_without_any(n, usual, monkeypatch):
    """Fewer than two of each class: how frequent classes are counts in full."""
    around = []

    def listening(scores, code, weights, given):
        around.append(given[-1])
        return blend(scores, code, weights, given)

    monkeypatch.setattr(supervised, "blend", listening)
    blend_of(judged(n), semisupervised.CLASSIFIERS, (0.1, 1.4, 0.3, 0.4))
    assert around == [usual]


def test_of_classes_that_were_not_held_out_less_is_known():
    """Sharpness is what the blend has, times a root of how frequent the others are."""
    plan, held, some = SoftMislabelingPLSA().plan(np.arange(4)), judged(), corpus()
    held = replace(held, probability=held.probability | dict.fromkeys(plan.scalings, np.full((40, 4), 0.25)))
    tried = np.flatnonzero(held.code != 3)
    part = HeldOut(held.code[tried], held.weights[tried], {n: p[tried] for n, p in held.probability.items()})
    shares = some.class_frequencies()
    assert shares[3] > 0.1
    for each, known in ((held, 1.0), (part, 1 - shares[3])):
        blended = blend_of(each, semisupervised.CLASSIFIERS, usual(some, told=True))
        found = semisupervised._decide(each, some, plan)
        np.testing.assert_allclose(found.sharpness, blended.sharpness * known**0.3)
        assert found.leveling == blended.leveling
