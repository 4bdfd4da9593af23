"""Semi-supervised PLSA: the four models as estimators."""

from functools import partial

import numpy as np
import pytest
import reference
from helpers import assert_usable, interrupting, misleading, partly_labeled
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import plsa
from plsa import (
    CountScaler,
    FakeLabelPLSA,
    HardMislabelingPLSA,
    MissingLabelPLSA,
    PLSAClassifier,
    SoftMislabelingPLSA,
    _kernels,
)
from plsa.datasets import planted_corpus
from plsa.engine import em
from plsa.learning import evidence, semisupervised, supervised
from plsa.learning.aspects import Aspects

GUESSING = (HardMislabelingPLSA, SoftMislabelingPLSA)
CLASSIFIERS = ("labels", "guesses", "words", "topics", "classes")  # of a student
ALL = (MissingLabelPLSA, FakeLabelPLSA, *GUESSING)
KIND = dict(zip(ALL, ("missing", "fake", "hard", "soft"), strict=True))
models = pytest.mark.parametrize("model", ALL, ids=lambda model: model.__name__)
guessing = pytest.mark.parametrize("model", GUESSING, ids=lambda model: model.__name__)
with_students = pytest.mark.parametrize(
    ("model", "student"),
    [*((model, None) for model in ALL), *((model, "linear") for model in GUESSING)],
    ids=lambda each: str(getattr(each, "__name__", each)),
)

# Nothing is chosen: every parameter is set by hand.
PLAIN = {
    "topics_per_class": 1,
    "scaling": None,
    "prior_strength": 5.0,
    "unlabeled_weight": 0.5,
    "evidence": False,
    "early_stopping": 0,
    "max_iter": 10,
    "random_state": 0,
}
# In a small corpus labels alone may win, and say so: no matter here.
RIGHT_ALONE = r"\(\d+\.\d% right with the labels alone, \d+\.\d% with all.*learned from the labels alone"
either_way = pytest.mark.filterwarnings("ignore:documents without a label did not help")


def planted(dtype="float32", seed=1):
    """Documents of four classes of two topics each, labels for some of them, and the truth."""
    return partly_labeled(300, 200, seed=seed, document_length=30, word_concentration=0.3, dtype=dtype)


def no_student(model):
    """What makes a model predict by its topics."""
    return {"student": None} if model in GUESSING else {}


# --- against the reference, from the labels to the predictions -----------------------------------


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("weighted", [False, True])
@models
def test_learning_is_the_reference(model, weighted, seed):
    """Start, prior, weights, passes, guesses, gates, fold-in: all of it in dense NumPy gives the same."""
    rng = np.random.default_rng(seed)
    n_classes = 2 + seed % 3
    words = rng.dirichlet(np.full(20, 0.3), n_classes)
    target = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, 40)])
    X = np.array([rng.multinomial(rng.poisson(12), words[c]) for c in target], dtype=float)
    X[-1] = 0
    code = np.where(np.arange(len(X)) < n_classes + 4, target, -1)
    weight = rng.choice([0.5, 1.0, 2.0], len(X)) if weighted else None
    settings = {"prior_strength": [5.0, 0.0, 1.0, 5.0][seed], "smoothing": [0.01, 0.5][seed % 2]}
    more = {"relabel": [2, "never"][seed % 2], "n_relabels": 2} if model in GUESSING else {}
    found = model(
        **PLAIN | settings | more | no_student(model) | {"max_iter": 3},
        tol=0,
        fold_iter=12,
        fold_tol=1e-12,
        dtype="float64",
    ).fit(X, code, sample_weight=weight)
    lengths = np.diff([*found.stretches_, len(found.objective_trace_)])
    wanted = reference.learn_partly_labeled(
        KIND[model],
        X,
        weight,
        code,
        n_classes,
        lengths - 1,
        strength=settings["prior_strength"],
        unlabeled_weight=0.5,
        smoothing=settings["smoothing"],
    )
    if model in GUESSING:
        assert len(lengths) > 1
        assert lengths[1] == (4 if seed % 2 else 3)
        assert_allclose(found.mislabeling_, wanted.model.beta, rtol=1e-8)
        assert_allclose(found.unlabeled_label_topic_, wanted.model.class_topic, rtol=1e-8)
    assert_allclose(found.objective_trace_, np.concatenate(wanted.traces), rtol=1e-10)
    assert_allclose(found.components_.T, wanted.fitted.word_topic, rtol=1e-8, atol=1e-14)
    assert_allclose(found.doc_topic_, wanted.fitted.doc_topic, rtol=1e-8, atol=1e-14)
    spoken = np.eye(n_classes)
    if model is FakeLabelPLSA:
        table = wanted.fitted.gate
        assert_allclose(found.label_topic_, table[:-1], rtol=1e-8)
        assert_allclose(found.fake_topic_, table[-1], rtol=1e-8)
        spoken = table[:-1] + 0.01 * table[-1]
    start = np.tile(wanted.prior, (len(X), 1))
    topics = reference.guess_by_folding_in(
        X, wanted.fitted.word_topic, wanted.prior, settings["prior_strength"], start, 12, 1e-12
    )
    assert_allclose(found.transform(X), topics, rtol=1e-7, atol=1e-12)
    assert_allclose(found.predict_proba(X), reference.by_class(topics, spoken), rtol=1e-7, atol=1e-12)


# --- the objective -------------------------------------------------------------------------------


# --- identities ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "parameters",
    [
        {"topics_per_class": 1, "scaling": None},
        {"topics_per_class": 2, "extra_topics": 1, "scaling": CountScaler(idf=True)},
        {"topics_per_class": "auto", "scaling": "auto"},
        {"topics_per_class": 1, "scaling": "auto", "init": "random", "n_init": 2, "accelerate": True},
    ],
    ids=["plain", "topics", "auto", "random"],
)
@with_students
def test_with_every_label_it_is_the_supervised_model(model, student, parameters):
    """Bit for bit: components, topics, probabilities; nothing is said of guesses."""
    X, _, target = planted()
    if model in GUESSING:
        parameters = parameters | {"student": student}
    shared = parameters | {"prior_strength": 3.0, "smoothing": 0.05, "max_iter": 7, "random_state": 4}
    weight = np.random.default_rng(0).choice([0.5, 1.0, 2.0], len(target))
    wanted = PLSAClassifier(**shared).fit(X, target, sample_weight=weight)
    found = model(**shared, unlabeled_weight=0.2).fit(X, target, sample_weight=weight)
    assert_array_equal(found.components_, wanted.components_)
    assert_array_equal(found.doc_topic_, wanted.doc_topic_)
    assert_array_equal(found.label_topic_, wanted.label_topic_)
    assert_array_equal(found.predict_proba(X), wanted.predict_proba(X))
    assert_array_equal(found.transform(X), wanted.transform(X))
    assert_array_equal(found.objective_trace_, wanted.objective_trace_)
    assert not found.unlabeled_used_
    assert_array_equal(found.transduction_, np.eye(4)[target])
    assert_array_equal(found.guesses_, target)
    if model in GUESSING:
        assert_array_equal(found.mislabeling_, np.eye(4))
    if model is FakeLabelPLSA:
        assert_array_equal(found.fake_topic_, np.zeros(len(found.components_)))


@either_way
@models
@pytest.mark.parametrize("topics_per_class", [1, 2])
def test_probabilities_follow_from_topics(model, topics_per_class):
    """P(y|d) ~ sum_z P(z|d) P(y|z), documents folded in with the gate off, raised to the sharpness."""
    X, y, _ = planted("float64")
    parameters = PLAIN | {"topics_per_class": topics_per_class, "extra_topics": 1, "evidence": True}
    found = model(**parameters | no_student(model)).fit(X, y)
    speaks = found.label_topic_
    if model is FakeLabelPLSA:
        speaks = speaks + 0.01 * found.fake_topic_
    wanted = reference.by_class(found.transform(X), speaks) ** found.sharpness_
    assert_allclose(found.predict_proba(X), wanted / wanted.sum(axis=1, keepdims=True), rtol=1e-9)
    assert_array_equal(found.predict(X), found.classes_[wanted.argmax(axis=1)])
    folded = reference.fold(
        X.toarray()[:5],
        None,
        np.ones((1, len(found.components_))),
        5 * found.topic_prior_[np.newaxis],
        found.components_.T,
        np.tile(found.topic_prior_, (5, 1)),
        100,
        1e-4,
    )
    assert_allclose(found.transform(X[:5]), folded.doc_topic, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("extra_topics", [0, 1])
def test_the_fake_label_may_weigh_nothing(extra_topics):
    """fake_weight=0: P(y|d) ~ sum_z P(z|d) P(y|z); the fit is the same whatever the weight."""
    X, y, _ = planted("float64")
    parameters = PLAIN | {"extra_topics": extra_topics}
    free = FakeLabelPLSA(fake_weight=0, **parameters).fit(X, y)
    assert_allclose(
        free.predict_proba(X), reference.by_class(free.transform(X), free.label_topic_), rtol=1e-10
    )
    full = FakeLabelPLSA(fake_weight=0.25, **parameters).fit(X, y)
    assert_array_equal(full.components_, free.components_)
    # A quarter of the fake label's probability for each of four classes: all of it is shared out.
    wanted = full.transform(X) @ (full.label_topic_ + full.fake_topic_ / 4).T
    assert_allclose(wanted.sum(axis=1), 1, rtol=1e-9)
    assert_allclose(full.predict_proba(X), wanted, rtol=1e-9)
    assert full.predict_proba(X).max() < free.predict_proba(X).max()


def test_the_fake_label_of_a_topic_is_the_share_of_unlabeled_words():
    """Without a prior, P(fake|z) is what unlabeled documents have of the words of z, as they count."""
    X, y, _ = planted("float64")
    found = FakeLabelPLSA(**PLAIN | {"prior_strength": 0.0, "topics_per_class": 2, "extra_topics": 1})
    found.fit(X, y)
    length = np.asarray(X.sum(axis=1)).ravel() * np.where(y < 0, 0.5, 1)
    words = length[:, np.newaxis] * found.doc_topic_
    assert_allclose(found.fake_topic_, words[y < 0].sum(axis=0) / words.sum(axis=0), rtol=1e-9)
    assert_allclose(found.label_topic_.sum(axis=0) + found.fake_topic_, 1, rtol=1e-12)
    foreign = np.arange(4)[:, np.newaxis] != found.topic_class_[:-1]
    assert np.all(found.label_topic_[:, :-1][foreign] == 0)
    assert_allclose(found.confidence(X), 1 - found.transform(X) @ found.fake_topic_)
    assert np.all((found.confidence(X) >= 0) & (found.confidence(X) <= 1))


# --- what a fit leaves ---------------------------------------------------------------------------


@models
def test_what_is_learned_of_the_training_documents(model):
    X, y, target = planted()
    found = model(random_state=0).fit(X, y)
    known = y >= 0
    assert found.transduction_.shape == (300, 4)
    assert_allclose(found.transduction_.sum(axis=1), 1, rtol=1e-6)
    assert_array_equal(found.transduction_[known], np.eye(4)[y[known]])
    assert_array_equal(found.transduction_[~known], found.predict_proba(X)[~known])
    assert_array_equal(found.guesses_, found.classes_[found.transduction_.argmax(axis=1)])
    assert_array_equal(found.guesses_[known], y[known])
    assert np.mean(found.guesses_ == target) > 0.9
    n_topics = len(found.components_)
    assert found.label_topic_.shape == (4, n_topics)
    assert found.doc_topic_.shape == (300, n_topics)
    own = found.topic_class_[np.newaxis] == y[known][:, np.newaxis]
    assert not found.doc_topic_[known][~own].any()
    if model in GUESSING:
        assert found.mislabeling_.shape == (4, 4)
        assert found.unlabeled_label_topic_.shape == (4, n_topics)
        assert_allclose(found.mislabeling_.sum(axis=0), 1)
        assert_allclose(found.unlabeled_label_topic_.sum(axis=0), 1)
    if model is not FakeLabelPLSA:
        assert_allclose(found.label_topic_.sum(axis=0), 1)


@models
def test_choices_are_reported_and_settable(model):
    """choices_ set by hand, with nothing left to choose, is the same model."""
    X, y, _ = planted()
    found = model(random_state=0).fit(X, y)
    chosen = dict(found.choices_)
    student = chosen.pop("student", {})
    assert set(student) == ({"idf", "cost", "damping", *CLASSIFIERS} if model in GUESSING else set())
    assert set(chosen) == {
        "scaling",
        "scalings_of_guesses",
        "topics_per_class",
        "prior_strength",
        "unlabeled_weight",
        "unlabeled_used",
        "sharpness",
        "leveling",
    }
    assert chosen["scaling"] is found.scaling_
    voters = [str(scaling) for scaling in chosen["scalings_of_guesses"]]
    assert voters == [] if model not in GUESSING else str(found.scaling_) in voters
    assert chosen["topics_per_class"] == np.bincount(found.topic_class_).tolist()
    assert chosen["prior_strength"] in (1.0, 5.0, 20.0)
    assert chosen["unlabeled_weight"] in (0.3 if model in GUESSING else 0.1, 1.0)
    assert chosen["unlabeled_used"] is found.unlabeled_used_ is True
    assert chosen["sharpness"] == found.sharpness_
    assert all(0 <= accuracy <= 1 for accuracy in found.evidence_.values())
    assert len(found.evidence_) >= 4
    if model not in GUESSING:
        again = model(
            topics_per_class=chosen["topics_per_class"],
            scaling=chosen["scaling"],
            prior_strength=chosen["prior_strength"],
            unlabeled_weight=chosen["unlabeled_weight"],
            evidence=False,
            random_state=0,
        ).fit(X, y)
        assert_array_equal(again.components_, found.components_)
        assert_array_equal(again.predict(X), found.predict(X))


@models
def test_without_evidence_nothing_is_chosen(model):
    """What is "auto" is what is usual."""
    X, y, _ = planted()
    found = model(evidence=False, random_state=0).fit(X, y)
    assert found.evidence_ == {}
    assert found.unlabeled_used_
    assert found.choices_["topics_per_class"] == [1, 1, 1, 1]
    assert found.choices_["prior_strength"] == 5
    assert found.choices_["unlabeled_weight"] == (0.3 if model in GUESSING else 0.1)
    assert str(found.scaling_) == str(CountScaler(idf=model in GUESSING))
    assert model(evidence=False).fit(X, planted()[2]).evidence_ == {}
    if model in GUESSING:
        # 3 at a mean margin of one, over the documents without a label; of a wider one a part is believed.
        scores = np.sort(found.model_.student.scores(found.checked_counts(X)), axis=1)[y < 0]
        assert_allclose(found.sharpness_, 3 * np.mean(scores[:, -1] - scores[:, -2]) ** -0.35, rtol=1e-4)
        assert found.leveling_ == 0.5 * 3 / 4
    else:
        assert (found.sharpness_, found.leveling_) == (1, 0)


@models
def test_a_label_a_class_leaves_nothing_to_hold_out(model):
    X, _, target = planted()
    y = np.full(300, -1)
    first = [np.flatnonzero(target == c)[0] for c in range(4)]
    y[first] = target[first]
    found = model(random_state=0).fit(X, y)
    assert found.evidence_ == {}
    usual = model(evidence=False, random_state=0).fit(X, y)
    assert_array_equal(found.predict_proba(X), usual.predict_proba(X))


@guessing
def test_the_best_of_several_starts_is_kept_with_its_gate(model, monkeypatch):
    """Each start begins with what nothing was learned of, and what is kept is all of the same one."""
    X, y, _ = planted("float64")
    runs = []
    whole = em.run

    def run(steps, parameters, *others):
        first = parameters.gate.table()
        fit = whole(steps, parameters, *others)
        runs.append((fit.trace[-1], first, fit.parameters.gate.table()))
        return fit

    monkeypatch.setattr(em, "run", run)
    parameters = PLAIN | {"init": "random", "topics_per_class": 2, "max_iter": 4, "n_init": 3}
    for seed in range(3):
        runs.clear()
        found = model(**parameters | {"random_state": seed, "relabel": "never", "student": None}).fit(X, y)
        last = runs[-3:]
        best, _, gate = max(last, key=lambda each: each[0])
        assert found.objective_trace_[-1] == best
        for _, first, _ in last:
            assert_array_equal(first, last[0][1], "every start has the same first gate")
        assert_allclose(found.mislabeling_ @ found.unlabeled_label_topic_, gate[4:], rtol=1e-12)


@models
def test_guesses_are_made_no_more_often_than_asked(model):
    X, y, _ = planted()
    if model not in GUESSING:
        assert_array_equal(model(**PLAIN).fit(X, y).stretches_, [0])
        return
    for relabel, n_relabels, most in (("never", 5, 2), (2, 1, 2), (2, 3, 4)):
        asked = {"relabel": relabel, "n_relabels": n_relabels, "max_iter": 4}
        found = model(**PLAIN | asked, tol=0).fit(X, y)
        assert 2 <= len(found.stretches_) <= most
        lengths = np.diff([*found.stretches_, len(found.objective_trace_)])
        assert lengths[0] == 5
        assert set(lengths[1:]) == {5 if relabel == "never" else 3}
        assert found.n_iter_ == (lengths - 1).sum()


@models
def test_a_fit_stops_early_where_a_pass_gains_little(model):
    """Each pass but the last gains more than `early_stopping` a word; without it the climb goes on."""
    X, y, _ = planted("float64")
    more = no_student(model) | ({"relabel": "never", "n_relabels": 1} if model in GUESSING else {})
    early = model(**PLAIN | more | {"early_stopping": 0.02, "max_iter": 30}).fit(X, y)
    late = model(**PLAIN | more | {"early_stopping": 0, "max_iter": 9}).fit(X, y)
    length = np.asarray(X.sum(axis=1)).ravel() @ np.where(y < 0, 0.5, 1)
    first = early.objective_trace_[: [*early.stretches_, len(early.objective_trace_)][1]]
    gains = np.diff(first) / length
    assert np.all(gains[:-1] > 0.02)
    assert gains[-1] <= 0.02
    assert early.stop_reason_ == "early"
    assert late.stop_reason_ != "early"
    assert_array_equal(late.objective_trace_[: len(first)], first)
    assert len(first) < 9


# --- what probabilities are worth ----------------------------------------------------------------


def with_words_of_their_own(seed):
    """Documents to learn from, in four classes that are hard to tell apart, and new ones.

    Each of the former has fifteen words that stand in no other text, as raw texts have names and numbers.
    """
    corpus = planted_corpus(
        1200, 300, 4, n_classes=4, word_concentration=1.5, document_length=20, random_state=seed
    )
    own = sparse.csr_array(np.kron(np.eye(900), np.ones((1, 15))))
    X = sparse.csr_array(sparse.hstack([corpus.counts[:900], own]))
    new = sparse.csr_array(sparse.hstack([corpus.counts[900:], sparse.csr_array((300, 900 * 15))]))
    return X, np.where(np.arange(900) % 10 == 0, corpus.target[:900], -1), new, corpus.target


def test_what_is_stated_is_right_of_documents_of_the_fit_and_of_new_ones():
    """The mean of the highest probability is the share that is right, in the mean of three corpora."""
    gaps = []
    for seed in range(3):
        X, y, new, target = with_words_of_their_own(seed)
        found = SoftMislabelingPLSA(random_state=0).fit(X, y)
        others = y < 0
        for probability, truth in (
            (found.transduction_[others], target[:900][others]),
            (found.predict_proba(new), target[900:]),
        ):
            right = probability.argmax(axis=1) == truth
            gaps.append(probability.max(axis=1).mean() - right.mean())
    of_fit, of_new = np.mean(np.reshape(gaps, (3, 2)), axis=0)
    assert abs(of_fit) < 0.04
    assert abs(of_new) < 0.04


def test_a_document_is_judged_without_what_it_taught_in_any_company_and_precision():
    """predict_proba of texts of the fit is transduction_, whatever the counts are held in."""
    X, y, new, _ = with_words_of_their_own(0)
    found = SoftMislabelingPLSA(random_state=0, dtype="float64").fit(X, y)
    some = np.flatnonzero(y < 0)[:20]
    together = sparse.csr_array(sparse.vstack([new[:5], X[some]]))
    assert_allclose(found.predict_proba(together)[5:], found.transduction_[some], rtol=1e-9)
    assert_allclose(
        found.predict_proba(together.astype(np.float32))[5:], found.transduction_[some], rtol=1e-9
    )
    assert_array_equal(found.guesses_[some], found.predict(X[some]))


@guessing
def test_what_says_nothing_to_a_student_has_the_frequency_of_the_classes(model):
    """A document of words that no other has, and new ones of words that none has."""
    X, y, _ = planted()
    alone, unmet = sparse.csr_array(([2.0, 1.0], ([0, 0], [200, 201])), (1, 204)), [[0.0] * 202 + [1, 3]]
    wider = sparse.hstack([X, sparse.csr_array((300, 4))])
    found = model(random_state=0).fit(sparse.csr_array(sparse.vstack([wider, alone])), np.append(y, -1))
    assert_allclose(found.transduction_[-1], found.class_prior_, rtol=1e-6)
    assert_allclose(found.predict_proba(unmet), [found.class_prior_], rtol=1e-6)


@pytest.mark.parametrize(
    "model", [MissingLabelPLSA, FakeLabelPLSA, partial(SoftMislabelingPLSA, student=None)]
)
def test_sharpness_is_that_of_the_settings_that_are_taken(model, monkeypatch):
    """A stronger prior makes flatter probabilities: what was judged with it says how sharp they must be."""
    judged = []

    def judge(pairs, candidates):
        held = evidence.judge(pairs, candidates)
        # Held-out documents that a stronger prior gets all right, and is not sure of; others miss half.
        truth = np.eye(4)[held.code]
        for probability in held.probability.values():
            probability[:] = 0.05 + 0.8 * truth
            probability[::2] = np.roll(probability[::2], 1, axis=1)
        held.probability["prior_strength=20"][:] = 0.15 + 0.4 * truth
        judged.append(held)
        return held

    monkeypatch.setattr(semisupervised, "judge", judge)
    X, y, _ = planted()
    found = model(random_state=0).fit(X, y)
    assert found.choices_["prior_strength"] == 20
    assert found.unlabeled_used_
    assert_allclose(found.sharpness_, judged[0].sharpness("prior_strength=20", 1.0))


@guessing
def test_sharpness_follows_the_margins(model, monkeypatch):
    """That of the blend on held-out documents, but for a part of how much wider margins became."""
    blended = []

    def blend_of(*given):
        blended.append(supervised.blend_of(*given))
        return blended[-1]

    monkeypatch.setattr(semisupervised, "blend_of", blend_of)
    X, y, _, _ = with_words_of_their_own(1)
    found = model(random_state=0).fit(X, y)
    scores = np.sort(found.model_.student.scores(found.checked_counts(X)), axis=1)[y < 0]
    last = np.mean(scores[:, -1] - scores[:, -2])
    assert abs(np.log(last)) > 0.02, "else there is nothing to be seen"
    assert_allclose(found.sharpness_, blended[0].sharpness * last**-0.35, rtol=1e-4)
    assert found.leveling_ == blended[0].leveling > 0


@pytest.mark.parametrize("student", [None, "linear"])
def test_a_collapse_is_said(student):
    """A prior and a weight beyond reason: nearly all documents go to a few classes."""
    corpus = planted_corpus(
        800, 400, 8, n_classes=8, document_length=30, word_concentration=3.0, random_state=0
    )
    y = np.where(np.arange(800) < 80, corpus.target, -1)
    beyond = {"prior_strength": 100, "unlabeled_weight": 10, "early_stopping": 0, "max_iter": 200}
    model = SoftMislabelingPLSA(evidence=False, scaling=None, student=None, random_state=0, **beyond)
    with pytest.warns(
        UserWarning, match="classes, which have .* the model has collapsed. Leave prior_strength"
    ):
        found = model.fit(corpus.counts, y)
    shares = np.sort(np.bincount(found.guesses_[y < 0], minlength=8)) / 720
    assert shares[-3:].sum() > 0.9
    usual = SoftMislabelingPLSA(evidence=False, student=student, random_state=0).fit(corpus.counts, y)
    assert np.mean(usual.guesses_ == corpus.target) > np.mean(found.guesses_ == corpus.target) + 0.1


# --- whether unlabeled documents help -----------------------------------------------------------


@models
def test_where_unlabeled_documents_mislead_the_labels_alone_are_used(model):
    """It is said, the evidence is told, and the model is the supervised one of the same parameters."""
    X, y = misleading()
    parameters = {
        "topics_per_class": 1,
        "scaling": None,
        "prior_strength": 5.0,
        "max_iter": 10,
        "random_state": 0,
    }
    if model in GUESSING:
        parameters["student"] = None
    all_of_them = {"unlabeled_weight": 1.0, "early_stopping": 0}
    with pytest.warns(UserWarning, match=RIGHT_ALONE) as said:
        found = model(**parameters, **all_of_them).fit(X, y)
    assert [each.filename for each in said] == [__file__], "the warning points at the call of fit"
    assert not found.unlabeled_used_
    assert found.choices_["unlabeled_used"] is False
    both = found.evidence_
    alone = next(name for name in both if "labels alone" in name)
    assert both[alone] > both["all documents" if model in GUESSING else "None"]
    wanted = PLSAClassifier(**parameters).fit(X, y)
    assert_array_equal(found.components_, wanted.components_)
    assert_array_equal(found.predict_proba(X), wanted.predict_proba(X))
    assert found.transduction_.shape == (1560, 2)
    if model in GUESSING:
        assert_array_equal(found.mislabeling_, np.eye(2))
    # Asked not to look, it uses them.
    assert model(**parameters, **all_of_them, evidence=False).fit(X, y).unlabeled_used_


@guessing
@pytest.mark.filterwarnings("ignore:documents without a label did not help")
def test_where_unlabeled_documents_mislead_a_student_listens_to_the_labels(model):
    """It is not worse than that of the labels alone."""
    X, y = misleading()
    truth = np.asarray(X[:, :3].sum(axis=1) < X[:, 3:6].sum(axis=1)).ravel()[y < 0]
    found = model(scaling=None, random_state=0).fit(X, y)
    labels = PLSAClassifier(scaling=None, student="linear", random_state=0).fit(X, y)
    assert np.mean(found.guesses_[y < 0] == truth) > np.mean(labels.predict(X[y < 0]) == truth) - 0.02


# --- stopping ------------------------------------------------------------------------------------


@pytest.mark.parametrize("at", [1, 2])
def test_ctrl_c_while_guesses_are_made(at):
    """Between two stretches: what the stretches before have learned is kept."""
    X, y, _ = planted()
    found = SoftMislabelingPLSA(**PLAIN, student=None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_kernels, "fold", interrupting(_kernels.fold, at))
        with pytest.raises(KeyboardInterrupt):
            found.fit(X, y)
    assert_allclose(found.components_.sum(axis=1), 1, rtol=1e-4)
    assert found.predict(X).shape == (300,)


# --- living with scikit-learn --------------------------------------------------------------------


# --- bad input -----------------------------------------------------------------------------------


# --- odd corpora ---------------------------------------------------------------------------------


@models
def test_copies_with_other_labels_are_learned_from(model):
    """The same words under two labels: whatever order they are held out in, the fit goes through."""
    one, two, three = [2.0, 1, 0, 0, 1], [0, 2.0, 1, 0, 0], [1.0, 0, 0, 3, 1]
    for a, b, c in ((one, two, three), (one, three, two), (two, one, three), (three, one, two)):
        X = np.array([a, b, c, b, c, [1, 1, 1, 1, 1]])
        found = model(random_state=0).fit(X, ["x", "x", "x", "y", "y", None])
        assert np.isfinite(found.predict_proba(X)).all()


def test_a_fake_label_that_takes_all_leaves_probabilities():
    """fake_weight=0 and no labeled word at all: no topic speaks for a class, yet there is an answer."""
    X = np.array([[0.0, 0, 0], [0, 0, 0], [1, 2, 0], [0, 2, 1], [3, 0, 0]])
    found = FakeLabelPLSA(fake_weight=0, random_state=0).fit(X, ["a", "b", None, None, None])
    assert np.isfinite(found.predict_proba(X)).all()


@models
def test_unlabeled_documents_that_say_nothing(model):
    """They are empty, or weigh nothing: nothing breaks, and they are given the prior."""
    X, y, _ = planted()
    emptied = X.toarray()
    emptied[y < 0] = 0
    found = model(random_state=0, evidence=False).fit(emptied, y)
    assert_usable(found, emptied)
    weight = np.where(y < 0, 0.0, 1.0)
    found = model(**PLAIN | no_student(model)).fit(X, y, sample_weight=weight)
    assert_usable(found, X)
    alone = PLSAClassifier(topics_per_class=1, scaling=None, random_state=0, max_iter=10).fit(X, y)
    assert_allclose(found.components_, alone.components_, rtol=1e-3, atol=1e-6)


def test_guesses_are_folded_in_no_longer_than_a_guess_needs(monkeypatch):
    """Ten rounds, or until no topic moves by a hundredth: they are made again and again."""
    seen, whole = [], Aspects.classes

    def classes(aspects, counts, how, *more):
        seen.append((how.max_iter, how.tol))
        return whole(aspects, counts, how, *more)

    monkeypatch.setattr(Aspects, "classes", classes)
    corpus = planted_corpus(60, 40, 4, n_classes=2, document_length=20, random_state=0)
    y = np.where(np.arange(60) < 10, corpus.target, -1)
    plsa.SoftMislabelingPLSA(scaling=None, evidence=False, random_state=0).fit(corpus.counts, y)
    assert set(seen) == {(10, 1e-2)}


# --- as printed, and what it takes ---------------------------------------------------------------


@guessing
def test_first_guesses_may_be_those_of_the_labels_alone(model):
    """The first fit is then supervised PLSA: its guesses are what that says of the other documents."""
    X, y, _ = planted("float64")
    parameters = PLAIN | {"topics_per_class": 2, "init": "labels"}
    known = y >= 0
    told = PLSAClassifier(2, scaling=None, prior_strength=5.0, max_iter=10, random_state=0).fit(X, y)
    seen = []

    def looked(guesses, least, n_classes):
        seen.append(guesses)
        return guesses.code

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(semisupervised.Guesses, "or_doubt", looked)
        found = model(**parameters, first_guesses="labels", relabel="never", student=None, tol=0).fit(X, y)
    assert len(seen) == 1
    wanted = told.predict_proba(X)[~known]
    assert np.mean(seen[0].code[~known] == wanted.argmax(axis=1)) > 0.99
    assert_allclose(seen[0].chance[~known], wanted.max(axis=1), atol=0.05)
    other = model(**parameters, relabel="never", student=None, tol=0).fit(X, y)
    assert not np.allclose(other.objective_trace_[:3], found.objective_trace_[:3])


@guessing
def test_the_first_fit_of_the_labels_alone_is_the_closed_form(model):
    """With one topic a class P(w|z) is how often the class's labeled documents have the word."""
    X, y, _ = planted("float64")
    with pytest.MonkeyPatch.context() as patch:
        firsts = []
        first = semisupervised.Task.first
        patch.setattr(
            semisupervised.Task, "first", lambda task, name: firsts.append(first(task, name)) or firsts[-1]
        )
        model(**PLAIN, first_guesses="labels", student=None, smoothing=0.1).fit(X, y)
    counts = np.array([X[y == c].sum(axis=0) for c in range(4)]) + 0.1
    assert_allclose(firsts[0].aspects.word_topic.T, counts / counts.sum(axis=1, keepdims=True), rtol=1e-9)


@guessing
def test_words_that_no_label_has_met_are_not_lost(model):
    """Without smoothing they are impossible in the fit to the labels alone, and no longer in the next one."""
    X = np.array([[3.0, 1, 0, 0], [0, 1, 3, 0], [2, 0, 0, 2], [0, 0, 2, 1]])
    options = PLAIN | {"smoothing": 0.0, "student": None, "first_guesses": "labels"}
    found = model(**options).fit(X, ["a", "b", None, None])  # says nothing of impossible words
    assert found.n_impossible_ == 0
    assert found.components_[:, 3].min() >= 0
    assert found.components_[:, 3].max() > 0


@guessing
def test_labels_without_words_leave_the_first_guesses_to_all_documents(model):
    X = np.array([[0.0, 0, 0], [0, 0, 0], [1, 2, 0], [0, 2, 1], [3, 0, 0]])
    found = model(first_guesses="labels", init="random", random_state=0).fit(X, ["a", "b", None, None, None])
    assert np.isfinite(found.predict_proba(X)).all()


@pytest.mark.parametrize("seed", range(3))
@guessing
def test_doubt_is_the_reference(model, seed):
    """A guess that models hold less probable is "not sure", a state of its own; all else stays."""
    rng = np.random.default_rng(seed)
    n_classes = 2 + seed % 2
    words = rng.dirichlet(np.full(20, 0.8), n_classes)
    target = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, 40)])
    X = np.array([rng.multinomial(12, words[c]) for c in target], dtype=float)
    code = np.where(np.arange(len(X)) < n_classes + 4, target, -1)
    options = PLAIN | {"relabel": "never", "max_iter": 3, "tol": 0, "student": None, "prior_strength": 1.0}
    fits = []

    def kept(task, member, guesses):
        fits.append((member, guesses))
        return advanced(task, member, guesses)

    with pytest.MonkeyPatch.context() as patch:
        advanced = semisupervised.Task.advanced
        patch.setattr(semisupervised.Task, "advanced", kept)
        found = model(**options, doubt=0.8, dtype="float64").fit(X, code)
    member, guesses = fits[0]
    unsure = (guesses.chance < 0.8) & (code < 0)
    assert 0 < unsure.sum() < (code < 0).sum()
    wanted = reference.climb(
        reference.GateModel(KIND[model] + " doubt", found.topic_class_, n_classes),
        X,
        None,
        code,
        np.where(unsure, n_classes, guesses.code),
        member.aspects.word_topic,
        found.class_prior_,
        strength=1.0,
        unlabeled_weight=0.5,
        smoothing=0.01,
        n_passes=3,
    )
    assert_allclose(found.objective_trace_[found.stretches_[1] :], wanted.trace, rtol=1e-10)
    assert_allclose(found.doc_topic_, wanted.doc_topic, rtol=1e-8, atol=1e-14)
    assert_allclose(found.components_.T, wanted.word_topic, rtol=1e-8, atol=1e-14)
    gate = np.vstack([found.mislabeling_, found.not_sure_]) @ found.unlabeled_label_topic_
    assert_allclose(gate, wanted.gate[n_classes:], rtol=1e-8)
    assert found.not_sure_.min() > 0


@guessing
def test_without_doubt_every_guess_is_a_class(model):
    """doubt=0 is the default, and nothing is not sure; where all is in doubt, guesses say nothing."""
    X, y, _ = planted("float64")
    options = PLAIN | {"student": None, "relabel": "never"}
    found = model(**options).fit(X, y)
    assert_array_equal(found.not_sure_, np.zeros(4))
    assert_allclose(found.mislabeling_.sum(axis=0), 1)
    nothing = model(**options, doubt=2.0).fit(X, y)
    assert_allclose(nothing.not_sure_, np.ones(4))
    assert_allclose(nothing.mislabeling_, np.zeros((4, 4)), atol=1e-12)


@models
def test_confidence_is_in_the_topics_of_labeled_documents(model):
    """Without a prior, the share of a topic's words that unlabeled documents have, as they count."""
    X, y, _ = planted("float64")
    options = PLAIN | no_student(model) | {"prior_strength": 0.0, "topics_per_class": 2, "extra_topics": 1}
    options |= {"max_iter": 400, "tol": 1e-9} | ({"relabel": "never"} if model in GUESSING else {})
    found = model(**options).fit(X, y)
    length = np.asarray(X.sum(axis=1)).ravel() * np.where(y < 0, 0.5, 1)
    words = length[:, np.newaxis] * found.doc_topic_
    wanted = words[y < 0].sum(axis=0) / words.sum(axis=0)
    assert_allclose(found.unlabeled_share_, wanted, rtol=0.02)
    assert wanted.std() > 0.01
    assert_allclose(found.confidence(X), 1 - found.transform(X) @ found.unlabeled_share_, rtol=1e-9)
    if model is FakeLabelPLSA:
        assert_array_equal(found.unlabeled_share_, found.fake_topic_)


@models
def test_confidence_is_low_where_labels_do_not_reach(model):
    """Of a class with next to no labels it is lower than of one with many; with all labels it is one."""
    X, _, target = planted()
    many = np.arange(300) % 2 == 0
    y = np.where(many & (target != 3), target, -1)
    y[np.flatnonzero(target == 3)[0]] = 3
    found = model(evidence=False, random_state=0).fit(X, y)
    sure = found.confidence(X)
    assert sure[target == 3].mean() < sure[target != 3].mean() - 0.05
    whole = model(evidence=False, random_state=0).fit(X, target)
    assert_allclose(whole.confidence(X), 1, rtol=1e-6)


@models
def test_as_printed(model):
    """Counts as they are, all at random, a hundred passes, no evidence; what is changed is changed."""
    X, y, _ = planted()
    printed = model.as_printed(random_state=0, max_iter=7)
    assert (printed.init, printed.scaling, printed.smoothing, printed.max_iter) == (
        "all random",
        None,
        0.0,
        7,
    )
    found = printed.fit(X, y)
    assert found.choices_["unlabeled_weight"] == 1
    assert found.evidence_ == {}
    assert len(found.stretches_) == (2 if model in GUESSING else 1)
    again = model.as_printed(random_state=0, max_iter=7).fit(X, y)
    other = model.as_printed(random_state=1, max_iter=7).fit(X, y)
    for name in ("components_", "doc_topic_"):
        assert_array_equal(getattr(found, name), getattr(again, name))
        assert not np.array_equal(getattr(found, name), getattr(other, name))
    with pytest.raises(TypeError, match="no_such"):
        model.as_printed(no_such=1)


@guessing
def test_what_the_gate_learns_is_drawn_too(model):
    """Without a pass beta and Q are what was drawn, and P(z|d) is another in each row."""
    X, y, _ = planted()
    drawn = [model.as_printed(random_state=seed, max_iter=0, topics_per_class=2).fit(X, y) for seed in (0, 1)]
    for found in drawn:
        assert_allclose(found.mislabeling_.sum(axis=0), 1)
        assert not np.allclose(found.mislabeling_, np.eye(4), atol=0.2)
        assert len(np.unique(found.doc_topic_[y < 0], axis=0)) == (y < 0).sum()
        assert not found.doc_topic_[y == 0][:, found.topic_class_ != 0].any()
    assert not np.allclose(drawn[0].mislabeling_, drawn[1].mislabeling_)
    learned = not np.allclose(drawn[0].unlabeled_label_topic_, drawn[1].unlabeled_label_topic_)
    assert learned is (model is SoftMislabelingPLSA)
