"""Given labels that may be wrong: what is believed of them, and what they count."""

import numpy as np
import pytest
from helpers import bits, learned
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.metrics import average_precision_score

from plsa import FakeLabelPLSA, HardMislabelingPLSA, MissingLabelPLSA, SoftMislabelingPLSA
from plsa.datasets import planted_corpus
from plsa.labels.corpus import Corpus
from plsa.labels.reading import Labels
from plsa.learning import doubts, semisupervised
from plsa.learning.noise import learn_noise

MODELS = {
    "missing": (MissingLabelPLSA, {}),
    "fake": (FakeLabelPLSA, {}),
    "hard": (HardMislabelingPLSA, {"n_relabels": 1}),
    "soft": (SoftMislabelingPLSA, {"n_relabels": 1}),
    "soft, no student": (SoftMislabelingPLSA, {"n_relabels": 1, "student": None}),
}
models = pytest.mark.parametrize("name", MODELS)


def model(name, **parameters):
    """One of the models, with fewer choices than as it comes."""
    kind, own = MODELS[name]
    usual = {"scaling": None, "evidence": False, "random_state": 0, "label_noise": "learn"}
    return kind(**{**usual, **own, **parameters})


@pytest.fixture(scope="module")
def planted():
    """200 documents of three classes, 80 of them labeled, 16 wrong; which; and the truth."""
    corpus = planted_corpus(200, 150, 3, n_classes=3, document_length=25, random_state=5)
    wrong = np.zeros(200, dtype=bool)
    wrong[np.random.default_rng(1).permutation(80)[:16]] = True
    given = np.where(wrong, (corpus.target + 1) % 3, corpus.target)
    return corpus.counts, np.where(np.arange(200) < 80, given, -1), wrong, corpus.target


@models
def test_wrong_labels_are_doubted(name, planted):
    """Those that were turned are believed least; what has no label cannot be wrong."""
    counts, y, wrong, _ = planted
    fitted = model(name).fit(counts, y)
    right = fitted.label_right_
    assert ((right[:80] > 0) & (right[:80] < 1)).all()
    assert_array_equal(right[80:], 1)
    assert average_precision_score(wrong[:80], -right[:80]) > 0.9
    assert_allclose(fitted.label_noise_.sum(axis=0), 1)
    given, true = np.arange(3), np.arange(3)
    assert (fitted.label_noise_[(given + 1) % 3, true] > fitted.label_noise_[(given + 2) % 3, true]).all()


@models
def test_a_label_counts_the_square_of_how_right_it_is(name, planted):
    """It is the fit of these weights, to the last bit."""
    counts, y, *_ = planted
    doubting = model(name).fit(counts, y)
    told = model(name, label_noise=None).fit(counts, y, sample_weight=doubting.label_right_**2)
    own = {"label_right_", "label_noise_", "class_count_"}  # which weights count in
    found, wanted = ({k: v for k, v in learned(each).items() if k not in own} for each in (doubting, told))
    assert bits(found) == bits(wanted)


@models
def test_without_it_labels_are_right(name, planted):
    counts, y, *_ = planted
    fitted = model(name, label_noise=None).fit(counts, y)
    assert_array_equal(fitted.label_right_, np.ones(200))
    assert_array_equal(fitted.label_noise_, np.eye(3))


@pytest.mark.parametrize("labeled", [80, 200])
def test_it_learns_more_than_the_default(labeled):
    """Where a quarter is wrong, with some labels and with all, of documents that it has not met."""
    corpus = planted_corpus(700, 150, 3, n_classes=3, document_length=12, random_state=5)
    wrong = np.random.default_rng(2).permutation(labeled)[: labeled // 4]
    y = np.where(np.arange(200) < labeled, corpus.target[:200], -1)
    y[wrong] = (y[wrong] + 1) % 3
    found = {noise: model("soft", label_noise=noise).fit(corpus.counts[:200], y) for noise in (None, "learn")}
    new = corpus.counts[200:], corpus.target[200:]
    assert found["learn"].score(*new) > found[None].score(*new)
    right, others = found["learn"].label_right_, np.setdiff1d(np.arange(labeled), wrong)
    assert right[wrong].mean() < right[others].mean() - 0.2


def test_all_labeled_without_a_student(planted):
    counts, y, wrong, target = planted
    given = np.where(wrong, y, target)
    right = model("missing").fit(counts, given).label_right_
    assert average_precision_score(wrong, -right) > 0.8


@models
def test_weight_is_repetition(name, planted):
    """A document of weight 2 is the document twice: copies are held out together."""
    counts, y, *_ = planted
    y, counts = y[:120], counts[:120].astype(np.float64)
    weight = np.where(np.arange(120) % 7 == 0, 2.0, 1.0)
    twice = np.flatnonzero(weight == 2)
    weighted = model(name).fit(counts, y, sample_weight=weight)
    repeated = model(name).fit(sparse.vstack([counts, counts[twice]]).tocsr(), np.append(y, y[twice]))
    assert_allclose(weighted.label_right_, repeated.label_right_[:120], rtol=1e-4)
    assert_allclose(weighted.label_noise_, repeated.label_noise_, rtol=1e-4, atol=1e-8)
    assert_allclose(repeated.label_right_[120:], repeated.label_right_[twice], rtol=1e-12)


def test_few_labels_are_believed_less(planted):
    """P(wrong) times n / (n + 10 C), of those that are judged."""
    counts, y, *_ = planted
    weight = np.where(np.arange(200) < 30, 2.0, 1.0).astype(np.float32)
    estimator = model("missing")
    corpus = Corpus(estimator.read_counts(counts), Labels.of(y[y >= 0], y < 0), weight)
    splits = doubts.turns(corpus)
    said = np.random.default_rng(0).dirichlet(np.ones(3), 80)
    found = doubts.doubt(corpus, splits, lambda learned, judged: {}, lambda held: said)
    judged = np.concatenate([outside for _, outside in splits])
    noise = learn_noise(said, y[judged], weight[judged].astype(float), belief=20)
    assert_allclose(found.right[judged], 1 - 110 / (110 + 30) * (1 - noise.right()))
    assert_array_equal(found.given_of_true, noise.given_of_true)
    assert_allclose(found.weighted(corpus).weight, weight * found.right**2, rtol=1e-6)


def test_a_label_is_not_judged_by_itself(planted):
    """Whatever is held out, no fit that judges it has its label: nothing is learned from both."""
    counts, y, *_ = planted
    seen = []
    estimator = model("missing")
    original = semisupervised._judged

    def judged(learned, held, *rest):
        seen.append((set(learned.counts.fingerprints()[learned.labels.labeled]), held.counts.fingerprints()))
        return original(learned, held, *rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(semisupervised, "_judged", judged)
        estimator.fit(counts, y)
    assert len(seen) == 5
    assert all(not (known & set(held)) for known, held in seen)
    assert sum(len(held) for _, held in seen) == 80


def test_the_same_bits_with_any_number_of_threads(planted):
    counts, y, *_ = planted
    one, two = (model("soft", n_threads=number).fit(counts, y) for number in (1, 2))
    assert bits(learned(one)) == bits(learned(two))


@pytest.mark.parametrize("n_labels", [3, 5])
def test_few_labels_are_taken_as_they_are(planted, n_labels):
    """Too few to judge each other: nothing is doubted, and the fit is the default's."""
    counts, _, _, target = planted
    y = np.full(200, -1)
    y[[int(np.flatnonzero(target == place)[0]) for place in range(3)]] = range(3)
    y[np.flatnonzero(y < 0)[: n_labels - 3]] = 0
    fitted, default = model("soft").fit(counts, y), model("soft", label_noise=None).fit(counts, y)
    assert bits(learned(fitted)) == bits(learned(default))


def test_what_cannot_be_judged_is_believed(planted):
    """The only label of its class, an empty document, copies that are labeled otherwise."""
    counts, y, *_ = planted
    y, X = y.copy(), counts.toarray()
    y[2], X[4] = 7, 0
    X[8], y[6], y[8] = X[6], 0, 1
    with pytest.warns(UserWarning, match="no word"):
        right = model("soft").fit(X, y).label_right_
    assert_array_equal(right[[2, 4, 6, 8]], 1)
    assert (right[:80] < 1).sum() > 60


def test_classes_without_an_example(planted):
    counts, y, *_ = planted
    with pytest.warns(UserWarning, match="9"):
        fitted = model("soft", classes=[0, 1, 2, 9]).fit(counts, y)
    assert fitted.label_noise_.shape == (4, 4)
    assert not fitted.label_noise_[3].any()


def test_other_values_are_refused(planted):
    with pytest.raises(ValueError, match="label_noise == 'yes', but must be one of"):
        model("soft", label_noise="yes").fit(planted[0], planted[1])


def test_ctrl_c_meanwhile_leaves_the_estimator_as_it_was(planted, monkeypatch):
    def stop(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(semisupervised, "doubt", stop)
    fitted = model("soft", label_noise=None).fit(planted[0], planted[1])
    before = learned(fitted)
    with pytest.raises(KeyboardInterrupt):
        fitted.set_params(label_noise="learn").fit(planted[0], planted[1])
    assert bits(learned(fitted)) == bits(before)


def test_the_stage_is_shown(planted, capsys):
    model("soft", verbose=1).fit(planted[0], planted[1])
    assert "labels in doubt" in capsys.readouterr().err


def test_nothing_is_written_to(planted):
    counts, y, *_ = planted
    counts = counts.copy()
    counts.data.flags.writeable = y.flags.writeable = False
    assert model("soft").fit(counts, y).label_right_ is not None
