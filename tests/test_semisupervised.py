"""Semi-supervised PLSA: the four models as estimators."""

import pickle
import subprocess
import sys
import textwrap
from functools import cache

import drawing
import numpy as np
import pytest
import reference
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score

from plsa import (
    CountScaler,
    FakeLabelPLSA,
    HardMislabelingPLSA,
    LabeledKFold,
    MissingLabelPLSA,
    PLSAClassifier,
    SoftMislabelingPLSA,
    _kernels,
)
from plsa.datasets import planted_corpus
from plsa.engine import em

GUESSING = (HardMislabelingPLSA, SoftMislabelingPLSA)
ALL = (MissingLabelPLSA, FakeLabelPLSA, *GUESSING)
KIND = dict(zip(ALL, ("missing", "fake", "hard", "soft"), strict=True))
models = pytest.mark.parametrize("model", ALL, ids=lambda model: model.__name__)
guessing = pytest.mark.parametrize("model", GUESSING, ids=lambda model: model.__name__)
with_students = pytest.mark.parametrize(
    ("model", "student"),
    [*((model, None) for model in ALL), *((model, "linear") for model in GUESSING)],
    ids=lambda each: str(getattr(each, "__name__", each)),
)
needs_threads = pytest.mark.skipif(not _kernels.OPENMP, reason="built without OpenMP")

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
either_way = pytest.mark.filterwarnings("ignore:documents without a label did not help")


@cache
def planted(dtype="float32", seed=1):
    """Documents of four classes of two topics each, and labels for some of them."""
    corpus = planted_corpus(
        300,
        200,
        8,
        n_classes=4,
        document_length=30,
        word_concentration=0.3,
        random_state=seed,
        dtype=dtype,
    )
    labels = np.where(np.arange(300) % 6 == 0, corpus.target, -1)
    return corpus.counts, labels, corpus.target


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
    wanted = reference.learn_partly_labelled(
        KIND[model],
        X,
        weight,
        code,
        n_classes,
        lengths - 1,
        strength=settings["prior_strength"],
        unlabelled_weight=0.5,
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
    topics = reference.guess_by_folding_in(
        X, wanted.fitted.word_topic, wanted.prior, settings["prior_strength"], 12, 1e-12
    )
    assert_allclose(found.transform(X), topics, rtol=1e-7, atol=1e-12)
    assert_allclose(found.predict_proba(X), reference.by_class(topics, spoken), rtol=1e-7, atol=1e-12)


# --- the objective -------------------------------------------------------------------------------


@models
@given(data=st.data())
def test_the_objective_never_falls_while_guesses_stand_still(model, data):
    """Odd label patterns and counts, every start, with and without a student, plain and accelerated."""
    X, _ = data.draw(drawing.messy_counts(unusual=(0.0, 0.5, 1e-6, 1e6)))
    code, y = data.draw(drawing.partial_labels(X.shape[0]))
    learnt_from = X if (code < 0).any() else X[code >= 0]
    parameters = {
        "topics_per_class": data.draw(st.sampled_from([1, 2, "auto"])),
        "extra_topics": data.draw(st.integers(0, 1)),
        "scaling": data.draw(st.sampled_from([None, CountScaler(), "auto"])),
        "init": data.draw(st.sampled_from(["labels", "random"])),
        "smoothing": data.draw(st.sampled_from([0.0, 0.01])),
        "prior_strength": data.draw(st.sampled_from([0.0, 5.0, "auto"])),
        "unlabeled_weight": data.draw(st.sampled_from([1.0, 0.1, "auto"])),
        "evidence": data.draw(st.booleans()),
        "early_stopping": data.draw(st.sampled_from([0, 0.005])),
        "accelerate": data.draw(st.booleans()),
        "n_init": data.draw(st.integers(1, 2)),
        "max_iter": data.draw(st.integers(0, 6)),
    }
    if model in GUESSING:
        parameters |= {
            "relabel": data.draw(st.sampled_from(["never", 1, 3])),
            "n_relabels": data.draw(st.integers(1, 3)),
            "student": data.draw(st.sampled_from([None, "linear"])),
        }
    estimator = model(**parameters, tol=0, dtype="float64", random_state=0)
    if learnt_from.sum() == 0:
        with pytest.raises(ValueError, match="not one word"):
            estimator.fit(X, y)
        return
    estimator.fit(X, y)
    trace = estimator.objective_trace_
    assert np.isfinite(trace).all()
    assert estimator.stretches_[0] == 0
    for begin, end in zip(estimator.stretches_, [*estimator.stretches_[1:], len(trace)], strict=True):
        assert end > begin
        slack = 1e-11 * max(np.abs(trace).max(), 2 * X.sum(), 1)
        assert np.diff(trace[begin:end]).min(initial=0) >= -slack
    assert estimator.stop_reason_ != "fell"
    probability = estimator.predict_proba(X)
    assert np.isfinite(probability).all()
    assert_allclose(probability.sum(axis=1), 1, rtol=1e-9)
    known = code >= 0
    assert_array_equal(estimator.guesses_[known], np.asarray(estimator.classes_)[code[known]])
    assert_array_equal(estimator.transduction_[~known], probability[~known])
    assert_allclose(estimator.components_.sum(axis=1), 1, rtol=1e-9)
    assert_allclose(estimator.doc_topic_.sum(axis=1), 1, rtol=1e-9)
    if model in GUESSING:
        assert_allclose(estimator.mislabeling_.sum(axis=0), 1, rtol=1e-9)
        assert_allclose(estimator.unlabeled_label_topic_.sum(axis=0), 1, rtol=1e-9)


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


@models
def test_without_any_label_the_error_names_plsa(model):
    X, _, _ = planted()
    for y in (np.full(300, -1), [None] * 300, np.full(300, np.nan)):
        with pytest.raises(ValueError, match=r"labels no document.*PLSA"):
            model().fit(X, y)


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


def test_the_fake_label_of_a_topic_is_the_share_of_unlabelled_words():
    """Without a prior, P(fake|z) is what unlabelled documents have of the words of z, as they count."""
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
def test_what_is_learnt_of_the_training_documents(model):
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
    chosen = found.choices_
    assert set(chosen) == {
        "scaling",
        "scalings_of_guesses",
        "topics_per_class",
        "prior_strength",
        "unlabeled_weight",
        "unlabeled_used",
        "sharpness",
    }
    assert chosen["scaling"] is found.scaling_
    voters = [str(scaling) for scaling in chosen["scalings_of_guesses"]]
    assert voters == [] if model not in GUESSING else str(found.scaling_) in voters
    assert chosen["topics_per_class"] == np.bincount(found.topic_class_).tolist()
    assert chosen["prior_strength"] in (1.0, 5.0, 20.0)
    assert chosen["unlabeled_weight"] in (0.1, 1.0)
    assert chosen["unlabeled_used"] is found.unlabeled_used_ is True
    assert chosen["sharpness"] == found.sharpness_
    assert all(0 <= accuracy <= 1 for accuracy in found.evidence_.values())
    assert len(found.evidence_) > 4
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
    assert found.choices_["unlabeled_weight"] == 0.1
    assert str(found.scaling_) == str(CountScaler())
    assert model(evidence=False).fit(X, planted()[2]).evidence_ == {}
    if model in GUESSING:
        assert 3 < found.sharpness_ < 5
    else:
        assert found.sharpness_ == 1


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


@models
def test_topics_of_classes(model):
    """A number, a list, a mapping by name, "auto"; and topics of no class."""
    X, y, _ = planted()
    names = np.array(["ant", "bee", "cat", "dog", None], dtype=object)[y]
    mapping = {"dog": 1, "ant": 2, "bee": 1, "cat": 3}
    for given_topics, wanted in (
        (2, [2, 2, 2, 2]),
        ([2, 1, 3, 1], [2, 1, 3, 1]),
        (np.array([1, 1, 2, 1]), [1, 1, 2, 1]),
        (mapping, [2, 1, 3, 1]),
        ("auto", None),
    ):
        found = model(topics_per_class=given_topics, extra_topics=2, evidence=isinstance(given_topics, str))
        found.set_params(scaling=None, random_state=0).fit(X, names)
        topics = np.bincount(found.topic_class_[:-2])
        assert_array_equal(found.topic_class_[-2:], [-1, -1])
        assert found.choices_["topics_per_class"] == topics.tolist()
        if wanted is None:
            assert len(set(topics)) == 1
            assert topics[0] in (1, 2, 4)
        else:
            assert_array_equal(topics, wanted)
        assert set(found.predict(X)) <= {"ant", "bee", "cat", "dog"}


@either_way
@models
@needs_threads
def test_the_same_bits_with_any_number_of_threads(model):
    X, y, _ = planted()
    one, two, again = (
        model(2, evidence=False, random_state=3, n_threads=n_threads).fit(X, y) for n_threads in (1, 2, 1)
    )
    for other in (two, again):
        assert_array_equal(other.components_, one.components_)
        assert_array_equal(other.doc_topic_, one.doc_topic_)
        assert_array_equal(other.transduction_, one.transduction_)
        assert_array_equal(other.objective_trace_, one.objective_trace_)
    assert one.components_.dtype == np.float32


@models
def test_a_document_alone_and_in_company(model):
    """New documents, empty ones among them: the answer is each one's own."""
    X, y, _ = planted("float64")
    found = model(random_state=0).fit(X, y)
    new = sparse.vstack([planted("float64", 2)[0][:12], sparse.csr_array((1, 200))]).tocsr()
    together, topics = found.predict_proba(new), found.transform(new)
    assert np.isfinite(together).all()
    assert_allclose(together.sum(axis=1), 1)
    for d in range(13):
        assert_allclose(found.predict_proba(new[[d]])[0], together[d], rtol=1e-12)
        assert_array_equal(found.transform(new[[d]])[0], topics[d])
    assert_array_equal(found.predict(new), found.classes_[together.argmax(axis=1)])
    assert_allclose(np.exp(found.predict_log_proba(new)), together)


@either_way
@pytest.mark.parametrize("scaling", [None, "auto"])
@with_students
def test_a_weight_is_a_repetition(model, scaling, student):
    """Weight two is the document twice, evidence and student included."""
    X, y, _ = planted("float64")
    weight = np.random.default_rng(0).choice([1, 2, 3], 300)
    again = np.repeat(np.arange(300), weight)
    parameters = {"scaling": scaling, "random_state": 0, "topics_per_class": "auto"}
    if model in GUESSING:
        parameters["student"] = student
    weighted = model(**parameters).fit(X, y, sample_weight=weight)
    repeated = model(**parameters).fit(X[again], y[again])
    assert_allclose(list(weighted.evidence_.values()), list(repeated.evidence_.values()), rtol=1e-12)
    assert str(weighted.choices_["scaling"]) == str(repeated.choices_["scaling"])
    assert weighted.choices_["topics_per_class"] == repeated.choices_["topics_per_class"]
    assert_allclose(weighted.components_, repeated.components_, rtol=1e-8, atol=1e-12)
    if student is not None:
        # EM and conjugate gradients make rounding grow.
        assert_allclose(weighted._student.weights, repeated._student.weights, rtol=1e-3, atol=1e-5)
    assert_allclose(weighted.sharpness_, repeated.sharpness_, rtol=1e-5)
    assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-4, atol=1e-6)
    assert_allclose(weighted.transduction_[again], repeated.transduction_, rtol=1e-4, atol=1e-6)


@models
def test_the_best_of_several_starts_is_kept_with_its_gate(model, monkeypatch):
    """Each start begins with what nothing was learnt of, and what is kept is all of the same one."""
    X, y, _ = planted("float64")
    runs = []
    whole = em.run

    def run(steps, parameters, *others):
        first = parameters.gate.copy()
        fit = whole(steps, parameters, *others)
        runs.append((fit.trace[-1], first, fit.parameters.gate.copy()))
        return fit

    monkeypatch.setattr(em, "run", run)
    parameters = PLAIN | {"init": "random", "topics_per_class": 2, "max_iter": 4, "n_init": 3}
    if model in GUESSING:
        parameters |= {"relabel": "never", "student": None}
    for seed in range(3):
        runs.clear()
        found = model(**parameters | {"random_state": seed}).fit(X, y)
        last = runs[-3:]
        best, _, gate = max(last, key=lambda each: each[0])
        assert found.objective_trace_[-1] == best
        for _, first, _ in last:
            assert_array_equal(first, last[0][1], "every start has the same first gate")
        if model in GUESSING:
            kept = found.mislabeling_ @ found.unlabeled_label_topic_
            assert_allclose(kept, gate[4:, :8], rtol=1e-12)
        elif model is FakeLabelPLSA:
            assert_array_equal(np.vstack([found.label_topic_, found.fake_topic_]), gate[:, :8])


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


# --- whether unlabelled documents help -----------------------------------------------------------


@cache
def misleading():
    """One word tells the class; unlabelled documents pair it with the other words that labelled ones have.

    Topics of the unlabelled documents are those of their many other words, which for labelled documents go
    with the class in two cases of three only.
    """
    rng = np.random.default_rng(1)
    n_labelled, n_documents, n_others = 60, 1560, 8
    target = rng.integers(0, 2, n_documents)
    labelled = np.arange(n_documents) < n_labelled
    as_usual = labelled & (rng.random(n_documents) < 0.65)
    X = np.zeros((n_documents, 6 + 2 * n_others))
    for d, c in enumerate(target):
        X[d, 3 * c + rng.integers(0, 3)] += 1
        group = c if as_usual[d] else 1 - c
        others = rng.integers(0, n_others, 6 if labelled[d] else 60)
        X[d, 6 + n_others * group : 6 + n_others * (group + 1)] += np.bincount(others, minlength=n_others)
    return sparse.csr_array(X), np.where(labelled, target, -1)


@with_students
def test_where_unlabelled_documents_mislead_the_labels_alone_are_used(model, student):
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
        parameters["student"] = student
    all_of_them = {"unlabeled_weight": 1.0, "early_stopping": 0}
    with pytest.warns(UserWarning, match=r"learnt from the labels alone") as said:
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


@models
def test_unlabelled_documents_help_where_labels_are_few(model):
    """Two labels a class of 200: better by more than five points than the labels alone."""
    gains = []
    for seed in range(2):
        corpus = planted_corpus(
            800, 800, 4, n_classes=4, document_length=30, word_concentration=0.6, random_state=seed
        )
        y = np.full(800, -1)
        for c in range(4):
            y[np.flatnonzero(corpus.target == c)[:2]] = c
        new = y < 0
        supervised = PLSAClassifier(random_state=0).fit(corpus.counts, y)
        found = model(random_state=0).fit(corpus.counts, y)
        assert found.unlabeled_used_
        right = found.score(corpus.counts[new], corpus.target[new])
        assert right > 0.95
        gains.append(right - supervised.score(corpus.counts[new], corpus.target[new]))
    assert min(gains) > 0.05


# --- stopping ------------------------------------------------------------------------------------


class Stopper:
    """A callback that at the n-th pass raises KeyboardInterrupt, or returns True."""

    def __init__(self, at, *, raises):
        self.at, self.raises, self.n = at, raises, 0

    def __call__(self, state):
        self.n += 1
        if self.n == self.at and self.raises:
            raise KeyboardInterrupt
        return self.n >= self.at


def assert_usable(found, X):
    """A fitted estimator: distributions and predictions."""
    assert_allclose(found.components_.sum(axis=1), 1, rtol=1e-4)
    assert_allclose(found.doc_topic_.sum(axis=1), 1, rtol=1e-4)
    probability = found.predict_proba(X)
    assert np.isfinite(probability).all()
    assert_allclose(probability.sum(axis=1), 1, rtol=1e-4)
    assert len(found.transduction_) == len(found.guesses_) == X.shape[0]
    assert set(found.predict(X)) <= set(found.classes_)
    if type(found) in GUESSING:
        assert_allclose(found.mislabeling_.sum(axis=0), 1, rtol=1e-9)


PASSES = (1, 2, 5, 8, 12, 18, 22, 40)


@models
@pytest.mark.parametrize("scaling", [None, "auto"])
def test_ctrl_c_leaves_what_was_learnt_and_goes_on(model, scaling):
    """At any pass of any stretch under any scaling: KeyboardInterrupt, and an estimator that predicts."""
    X, y, _ = planted()
    heard = 0
    for at in PASSES:
        stopper = Stopper(at, raises=True)
        found = model(**PLAIN | {"scaling": scaling, "max_iter": 5}, tol=0, callback=stopper)
        if model in GUESSING:
            found.set_params(relabel=2)
        try:
            found.fit(X, y)
        except KeyboardInterrupt:
            heard += 1
            assert found.stop_reason_ == "interrupted"
        else:
            assert stopper.n < at, f"Ctrl-C at pass {at} was swallowed"
        assert_usable(found, X)
    assert heard >= 3


@models
def test_ctrl_c_in_a_later_start(model):
    """Of several starts the second is interrupted: the first, if better, is kept, and Ctrl-C goes on."""
    X, y, _ = planted()
    for at in (7, 8, 13):
        found = model(**PLAIN | {"init": "random", "max_iter": 5}, n_init=3, tol=0)
        found.set_params(callback=Stopper(at, raises=True))
        with pytest.raises(KeyboardInterrupt):
            found.fit(X, y)
        assert found.stop_reason_ == "interrupted"
        assert_usable(found, X)


@models
@pytest.mark.parametrize("scaling", [None, "auto"])
def test_a_callback_stops_the_fit(model, scaling):
    """True at any pass: no pass follows, the reason says so, and the estimator predicts."""
    X, y, _ = planted()
    for at in PASSES:
        stopper = Stopper(at, raises=False)
        found = model(**PLAIN | {"scaling": scaling, "max_iter": 5}, tol=0, callback=stopper).fit(X, y)
        assert stopper.n <= at
        if stopper.n == at and at % 6:  # where a stretch ends anyway that is the reason
            assert found.stop_reason_ == "callback"
        assert_usable(found, X)


@models
def test_ctrl_c_while_evidence_is_weighed(model):
    """Nothing was learnt: an unfitted estimator stays unfitted, and a fitted one what it was."""
    X, y, _ = planted()
    three = np.where(y == 3, -1, y)
    whole = _kernels.expect
    fitted = model(random_state=0).fit(X[:, :150], three)
    before = fitted.predict_proba(X[:, :150])
    fresh = model(random_state=0)
    for found in (fresh, fitted):
        calls = 0

        def interrupted(*args):
            nonlocal calls
            calls += 1
            whole(*args)
            if calls == 3:
                raise KeyboardInterrupt

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_kernels, "expect", interrupted)
            with pytest.raises(KeyboardInterrupt):
                found.fit(X, y)
    with pytest.raises(NotFittedError):
        fresh.predict(X)
    assert_array_equal(fitted.classes_, [0, 1, 2])
    assert_array_equal(fitted.predict_proba(X[:, :150]), before)


@pytest.mark.parametrize("at", [1, 2])
def test_ctrl_c_while_guesses_are_made(at):
    """Between two stretches: what the stretches before have learnt is kept."""
    X, y, _ = planted()
    whole = _kernels.fold
    calls = 0

    def interrupted(*args):
        nonlocal calls
        calls += 1
        if calls == at:
            raise KeyboardInterrupt
        whole(*args)

    found = SoftMislabelingPLSA(**PLAIN, student=None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_kernels, "fold", interrupted)
        with pytest.raises(KeyboardInterrupt):
            found.fit(X, y)
    assert_allclose(found.components_.sum(axis=1), 1, rtol=1e-4)
    assert found.predict(X).shape == (300,)


def test_ctrl_c_from_the_keyboard():
    """SIGINT in a long fit, as the shell sends it."""
    script = textwrap.dedent(
        """
        import os, signal, threading, numpy as np
        from plsa import SoftMislabelingPLSA
        from plsa.datasets import planted_corpus
        corpus = planted_corpus(2000, 1000, 10, n_classes=5, document_length=60, random_state=0)
        y = np.where(np.arange(2000) % 20 == 0, corpus.target, -1)
        model = SoftMislabelingPLSA(
            6, scaling=None, evidence=False, early_stopping=0, max_iter=10**6, tol=0, random_state=0
        )
        threading.Timer(0.7, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            model.fit(corpus.counts, y)
        except KeyboardInterrupt:
            assert model.stop_reason_ == "interrupted", model.stop_reason_
            assert model.n_iter_ > 1
            assert model.predict(corpus.counts).shape == model.guesses_.shape == (2000,)
            print("kept")
        """
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout == "kept\n", done.stderr


# --- living with scikit-learn --------------------------------------------------------------------


@either_way
@models
def test_pickle_clone_and_parameters(model):
    X, y, _ = planted()
    found = model(topics_per_class=2, random_state=0).fit(X, y)
    again = pickle.loads(pickle.dumps(found))
    assert_array_equal(again.predict_proba(X), found.predict_proba(X))
    assert again.choices_["topics_per_class"] == [2, 2, 2, 2]
    copy = clone(found)
    assert copy.get_params() == found.get_params()
    assert not hasattr(copy, "components_")
    assert_array_equal(copy.fit(X, y).predict_proba(X), found.predict_proba(X))
    assert model(**found.get_params()).get_params() == found.get_params()
    other = model().set_params(**found.get_params())
    assert other.get_params() == found.get_params()
    assert found.get_feature_names_out().tolist()[0] == f"{model.__name__.lower()}0"


@models
def test_a_second_fit_forgets_the_first(model):
    """Other classes, other words, all labelled after some: the same as a new estimator."""
    X, y, target = planted()
    found = model(random_state=0, unlabeled_weight=0.1).fit(X, y)
    for other_X, other_y in ((X[:, :100], target), (X[:200], np.where(y[:200] == 3, -1, y[:200]))):
        found.fit(other_X, other_y)
        fresh = model(random_state=0, unlabeled_weight=0.1).fit(other_X, other_y)
        assert set(vars(found)) == set(vars(fresh))
        assert_array_equal(found.predict_proba(other_X), fresh.predict_proba(other_X))
        assert_array_equal(found.stretches_, fresh.stretches_)


@models
def test_an_error_leaves_the_estimator_as_it_was(model):
    X, y, _ = planted()
    found = model(random_state=0).fit(X, y)
    before = found.predict_proba(X)
    with pytest.raises(ValueError, match="labels no document"):
        found.fit(X[:, :50], np.full(300, -1))
    assert_array_equal(found.predict_proba(X), before)


@models
def test_grid_search_holds_out_labelled_documents_only(model):
    X, y, target = planted()
    search = GridSearchCV(
        model(scaling=None, evidence=False, random_state=0),
        {"unlabeled_weight": [0.1, 1.0]},
        cv=LabeledKFold(3, random_state=0),
    ).fit(X, y)
    assert search.best_score_ > 0.7
    assert np.mean(search.predict(X) == target) > 0.8
    scores = cross_val_score(model(random_state=0), X, y, cv=LabeledKFold(2, random_state=0))
    assert scores.min() > 0.6


@models
def test_counts_of_every_form(model, tmp_path):
    """Dense, whole numbers, 64-bit indices, read-only and memory-mapped: the same bits, nothing written."""
    X, y, _ = planted()
    wanted = model(evidence=False, random_state=0).fit(X, y)
    for name, array in (("data", X.data), ("indices", X.indices), ("indptr", X.indptr)):
        np.save(tmp_path / f"{name}.npy", array)
    mapped = sparse.csr_array(X.shape, dtype=X.dtype)
    mapped.data, mapped.indices, mapped.indptr = (
        np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in ("data", "indices", "indptr")
    )
    large = X.copy()
    large.indices, large.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    readonly_labels = y.copy()
    readonly_labels.flags.writeable = False
    for form in (
        X.toarray(),
        X.astype(np.int64),
        X.astype(np.int32).toarray(),
        large,
        mapped,
        sparse.csc_matrix(X),
        sparse.coo_array(X),
    ):
        found = model(evidence=False, random_state=0).fit(form, readonly_labels)
        assert_array_equal(found.components_, wanted.components_)
        assert_array_equal(found.transduction_, wanted.transduction_)
        assert_array_equal(found.predict_proba(form), wanted.predict_proba(X))
    double = model(evidence=False, random_state=0, dtype="float64").fit(X, y)
    assert double.components_.dtype == np.float64
    assert np.mean(double.guesses_ == wanted.guesses_) > 0.98


@models
def test_labels_of_every_kind(model):
    """What classes are called, and how a missing label is written, changes nothing."""
    X, y, _ = planted()
    wanted = model(evidence=False, random_state=0).fit(X, y)
    for kind in drawing.LABEL_KINDS[:-1]:
        found = model(evidence=False, random_state=0).fit(X, drawing.written(y, kind))
        assert_array_equal(found.predict_proba(X), wanted.predict_proba(X))
        assert len(found.classes_) == 4
    names = np.array(["ant", "bee", "cat", "dog", "?"])[y]
    marked = model(evidence=False, random_state=0, unlabeled="?").fit(X, names)
    assert_array_equal(marked.classes_, ["ant", "bee", "cat", "dog"])
    assert_array_equal(marked.predict_proba(X), wanted.predict_proba(X))


def test_verbose_speaks_of_the_model_alone(capsys):
    """Nothing by default; with verbose the fit tells its passes, the trials of the evidence do not."""
    X, y, _ = planted()
    MissingLabelPLSA(random_state=0).fit(X, y)
    assert capsys.readouterr() == ("", "")
    MissingLabelPLSA(random_state=0, verbose=1).fit(X, y)
    said = capsys.readouterr().err
    assert said.count(" passes, ") == 1


# --- bad input -----------------------------------------------------------------------------------

BAD = [
    ("unlabeled_weight", 0, "0"),
    ("unlabeled_weight", -1, "-1"),
    ("unlabeled_weight", float("nan"), "nan"),
    ("unlabeled_weight", float("inf"), "inf"),
    ("unlabeled_weight", "x", "'x'"),
    ("unlabeled_weight", None, "None"),
    ("prior_strength", "x", "'x'"),
    ("prior_strength", -1.0, "-1.0"),
    ("init", "x", "'x'"),
    ("evidence", "x", "'x'"),
    ("evidence", None, "None"),
    ("early_stopping", -1, "-1"),
    ("early_stopping", "x", "'x'"),
    ("scaling", "x", "'x'"),
    ("scaling", 3, "3"),
    ("smoothing", -0.1, "-0.1"),
    ("topics_per_class", 0, "0"),
    ("topics_per_class", "x", "'x'"),
    ("topics_per_class", 1.5, "1.5"),
    ("extra_topics", -1, "-1"),
    ("max_iter", -1, "-1"),
    ("tol", "x", "'x'"),
    ("n_init", 0, "0"),
    ("n_threads", 0, "0"),
    ("callback", 3, "3"),
]
BAD_GUESSING = [
    ("relabel", 0, "0"),
    ("relabel", "x", "'x'"),
    ("relabel", 2.5, "2.5"),
    ("relabel", None, "None"),
    ("n_relabels", 0, "0"),
    ("n_relabels", "x", "'x'"),
    ("student", "x", "'x'"),
    ("student", True, "True"),
]


@models
@pytest.mark.parametrize("labelled", ["some", "all"])
def test_bad_parameters_are_named(model, labelled):
    """A ValueError with the parameter and the value, whether or not the parameter would be used."""
    X, some, target = planted()
    y = some if labelled == "some" else target
    bad = BAD + (BAD_GUESSING if model in GUESSING else [])
    if model is FakeLabelPLSA:
        bad = [*bad, ("fake_weight", -1, "-1"), ("fake_weight", "x", "'x'"), ("fake_weight", np.nan, "nan")]
    for name, value, shown in bad:
        with pytest.raises(ValueError, match=rf"^{name}\b.*== {shown}"):
            model(**{name: value}).fit(X, y)


@models
def test_labels_that_do_not_fit(model):
    X, y, _ = planted()
    with pytest.raises(ValueError, match=r"299 labels for 300 documents"):
        model().fit(X, y[:299])
    with pytest.raises(ValueError, match="y is None"):
        model().fit(X, None)
    with pytest.raises(ValueError, match=r"topics_per_class has 3 entries for 4 classes \[0, 1, 2, 3\]"):
        model(topics_per_class=[1, 2, 1]).fit(X, y)
    with pytest.raises(ValueError, match=r"topics_per_class does not fit.*unknown \[4\], missing \[\]"):
        model(topics_per_class={0: 1, 1: 1, 2: 1, 3: 1, 4: 1}).fit(X, y)  # class 4 has no labelled document
    with pytest.raises(ValueError, match=r"topics_per_class does not fit.*unknown \[\], missing \[3\]"):
        model(topics_per_class={0: 1, 1: 1, 2: 1}).fit(X, y)
    with pytest.raises(ValueError, match="not one word"):
        model().fit(sparse.csr_array(X.shape), y)
    with pytest.raises(ValueError, match="Unknown label type"):
        model().fit(X, np.where(y < 0, np.nan, y + 0.5))


@models
def test_a_class_that_marks_missing_labels_is_no_class(model):
    """unlabeled="food": such documents are unlabelled, as are None; a marker that is absent marks nothing."""
    X, y, _ = planted()
    names = np.array(["ant", "bee", "cat", "food", None], dtype=object)[y]
    found = model(unlabeled="food", evidence=False, random_state=0).fit(X, names)
    assert_array_equal(found.classes_, ["ant", "bee", "cat"])
    same = model(evidence=False, random_state=0).fit(X, np.where(y == 3, -1, y))
    assert_array_equal(found.transduction_, same.transduction_)
    absent = model(unlabeled="nothing", evidence=False, random_state=0).fit(X, names)
    assert_array_equal(absent.classes_, ["ant", "bee", "cat", "food"])
    plain = model(evidence=False, random_state=0).fit(X, y)
    assert_array_equal(absent.transduction_, plain.transduction_)


@models
def test_minus_one_as_a_class(model):
    """y of 1 and -1 is one class and a warning; unlabeled=None makes it two."""
    X = np.array([[2.0, 1, 0], [0, 1, 3]])
    with pytest.warns(UserWarning, match="pass unlabeled=None"):
        one = model().fit(X, [1, -1])
    assert_array_equal(one.predict_proba(X), [[1.0], [1.0]])
    two = model(unlabeled=None).fit(X, [1, -1])
    assert_array_equal(two.classes_, [-1, 1])


@models
def test_labels_unseen_in_training_are_never_right(model):
    """score with a class that training did not have: those documents count as wrong."""
    X, y, target = planted()
    found = model(evidence=False, random_state=0).fit(X, np.where(y == 3, -1, y))
    assert 3 not in found.predict(X)
    assert found.score(X[target == 3], target[target == 3]) == 0


@models
def test_use_before_fit_and_another_vocabulary(model):
    X, y, _ = planted()
    for method in ("predict", "predict_proba", "transform"):
        with pytest.raises(NotFittedError):
            getattr(model(), method)(X)
    found = model(random_state=0, evidence=False).fit(X, y)
    with pytest.raises(ValueError, match=f"199 features, but {model.__name__} is expecting 200"):
        found.predict(X[:, :199])


# --- odd corpora ---------------------------------------------------------------------------------


@models
def test_copies_with_other_labels_are_learnt_from(model):
    """The same words under two labels: whatever order they are held out in, the fit goes through."""
    one, two, three = [2.0, 1, 0, 0, 1], [0, 2.0, 1, 0, 0], [1.0, 0, 0, 3, 1]
    for a, b, c in ((one, two, three), (one, three, two), (two, one, three), (three, one, two)):
        X = np.array([a, b, c, b, c, [1, 1, 1, 1, 1]])
        found = model(random_state=0).fit(X, ["x", "x", "x", "y", "y", None])
        assert np.isfinite(found.predict_proba(X)).all()


@models
def test_labelled_documents_that_say_nothing(model):
    """All labelled documents are empty: probabilities all the same; they weigh nothing: a clear error."""
    X = np.array([[0.0, 0, 0], [0, 0, 0], [1, 2, 0], [0, 2, 1], [3, 0, 0]])
    y = ["a", "b", None, None, None]
    found = model(random_state=0).fit(X, y)
    assert np.isfinite(found.predict_proba(X)).all()
    assert_allclose(found.predict_proba(X).sum(axis=1), 1)
    full = X + np.array([1.0, 0, 2])
    with pytest.raises(ValueError, match="sample_weight is zero for all 2 labelled documents"):
        model().fit(full, y, sample_weight=[0, 0, 1, 1, 1])


def test_a_fake_label_that_takes_all_leaves_probabilities():
    """fake_weight=0 and no labelled word at all: no topic speaks for a class, yet there is an answer."""
    X = np.array([[0.0, 0, 0], [0, 0, 0], [1, 2, 0], [0, 2, 1], [3, 0, 0]])
    found = FakeLabelPLSA(fake_weight=0, random_state=0).fit(X, ["a", "b", None, None, None])
    assert np.isfinite(found.predict_proba(X)).all()


@models
def test_unlabelled_documents_that_say_nothing(model):
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


@models
@given(data=st.data())
def test_weights_of_every_kind(model, data):
    """Some documents weigh nothing, others much; at least a labelled one counts."""
    X, _ = data.draw(drawing.messy_counts(unusual=(0.5,), some_words=True))
    code, y = data.draw(drawing.partial_labels(X.shape[0]))
    weight = data.draw(drawing.weights(X.shape[0]))
    weight[np.flatnonzero(code >= 0)[0]] = 1
    counted = weight * (1 if (code < 0).any() else code >= 0)
    assume(counted @ X.sum(axis=1) > 0)
    found = model(random_state=0, dtype="float64").fit(X, y, sample_weight=weight)
    assert np.isfinite(found.predict_proba(X)).all()
    assert_allclose(found.transduction_.sum(axis=1), 1, rtol=1e-9)
