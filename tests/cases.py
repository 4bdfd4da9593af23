"""All estimators, what they take and what is peculiar to them: the table that the contract is tested over."""

from dataclasses import dataclass, field
from functools import cache
from typing import Any

from helpers import answers, partly_labeled
from scipy import sparse

from plsa import (
    CPA,
    PEBL,
    PLSA,
    ClassificationEM,
    CoBoost,
    CoEM,
    CoTraining,
    CountScaler,
    EntropyMinimization,
    FakeLabelPLSA,
    GraphClassifier,
    HardMislabelingPLSA,
    MinCut,
    MislabelingLogistic,
    MissingLabelPLSA,
    MPCKMeans,
    NaiveBayesEM,
    PLSAClassifier,
    RocchioSVM,
    SelfTraining,
    SoftMislabelingPLSA,
    SpyEM,
    TopicSensitivePLSA,
    TransductiveSVM,
    WeightedLogisticRegression,
)


@cache
def corpus(dtype="float32", seed=1):
    """150 documents of four classes, some of them labeled."""
    return partly_labeled(
        150, 100, every=4, seed=seed, document_length=30, word_concentration=0.3, dtype=dtype
    )


def new_documents(dtype="float32"):
    """Documents that no fit has seen, one of them empty."""
    return sparse.vstack([corpus(dtype, 2)[0][:9], sparse.csr_array((1, 100), dtype=dtype)]).tocsr()


@dataclass(frozen=True)
class Case:
    """An estimator, quick and with all of its parts at work."""

    model: type
    parameters: dict[str, Any] = field(default_factory=dict)
    takes: str = "classes"  # or "positives", or "nothing"
    note: str = ""  # tells two cases of one model apart
    real: str = "X"  # what is computed in: as X has it, or always "float64"
    other: dict[str, Any] = field(default_factory=dict)  # what a second fit may be told instead
    members: int = 1  # models of which one is kept
    # Passes that the callback sees before those of `objective_trace_`.
    earlier: int = 0
    # Parameters for fits under sample_weight, each with the tolerance of what follows from a student.
    weighted: tuple[tuple[dict[str, Any], float], ...] = ()
    # Parameters under which the best of several starts is that of single fits that share a generator.
    starts: dict[str, Any] | None = None
    # Whether another seed is another fit.
    seeded: bool = True
    # Whether documents are held out or dealt out by a checksum of what is stored: zeros that are stored then
    # change which ones, though they say nothing.
    by_marks: bool = False

    def __str__(self) -> str:
        return self.model.__name__ + (f", {self.note}" if self.note else "")

    def make(self, **changes: Any) -> Any:
        """A new estimator; what it does not know of the changes is left out."""
        known = self.model().get_params()
        seed = {"random_state": 0} if "random_state" in known else {}
        return self.model(**seed | self.parameters | {k: v for k, v in changes.items() if k in known})

    def has(self, name: str) -> bool:
        """Whether there is such a parameter."""
        return name in self.model().get_params()

    def y(self, labels: Any = None) -> Any:
        """The labels that it takes, made from those of four classes."""
        if self.takes == "nothing":
            return None
        labels = corpus()[1] if labels is None else labels
        return (labels == 0).astype(int) if self.takes == "positives" else labels

    def fit(self, X: Any = None, y: Any = None, *, sample_weight: Any = None, **changes: Any) -> Any:
        """A fit to the corpus, or to other documents."""
        weight = {} if sample_weight is None else {"sample_weight": sample_weight}
        y = self.y() if y is None else y
        return self.make(**changes).fit(corpus()[0] if X is None else X, y, **weight)

    def answers(self, model: Any, X: Any = None) -> dict[str, Any]:
        """What a fitted estimator says of documents."""
        return answers(model, new_documents() if X is None else X)


_SCALINGS = tuple(({"scaling": scaling, "topics_per_class": "auto"}, 1e-8) for scaling in (None, "auto"))
_TAUGHT = tuple(
    ({"scaling": scaling, "student": student, "topics_per_class": "auto"}, 1e-8 if student is None else 1e-3)
    for scaling in (None, "auto")
    for student in (None, "linear")
)  # EM and conjugate gradients make rounding grow
# Under a scaling, rounding of the weights' sums changes the marks that documents are dealt out by, and with
# them which of several components they begin with: there a weight is no repetition.
_DEALT = (({"scaling": None}, 1e-8), ({"components_per_class": 1, "scaling": "auto"}, 1e-8))
_SEMI = {"topics_per_class": 2, "max_iter": 6, "tol": 0}
_MIXTURE = {"components_per_class": [2, 1, 3, 2], "unlabeled_weight": 0.5, "max_iter": 6, "tol": 0}
_ANNEALED = {"annealing": [0.1, 0.2, 0.5, 1.0], "correspondence": "kl"}

CASES = [
    Case(
        PLSA,
        {"n_components": 4, "max_iter": 10, "tol": 0},
        "nothing",
        other={"n_components": 3, "accelerate": True},
        weighted=(({}, 1e-8),),
        starts={},
    ),
    Case(
        PLSA,
        {"n_components": 4, "max_iter": 10, "tol": 0, "accelerate": True, "smoothing": 0.1},
        "nothing",
        note="accelerated",
        weighted=(({}, 1e-8),),
        starts={},
    ),
    Case(
        PLSAClassifier,
        {"topics_per_class": 2, "extra_topics": 1, "max_iter": 6, "tol": 0},
        other={"scaling": None, "topics_per_class": 1},
        weighted=_SCALINGS,
        starts={"scaling": None, "init": "random"},
        by_marks=True,
    ),
    Case(
        PLSAClassifier,
        {"student": "linear", "accelerate": True, "scaling": None, "max_iter": 6},
        note="with a student",
        other={"student": None},
        weighted=(({}, 1e-3),),
        seeded=False,  # one topic a class starts without noise
        by_marks=True,
    ),
    Case(
        MissingLabelPLSA,
        _SEMI,
        other={"scaling": None, "topics_per_class": 1},
        weighted=_SCALINGS,
        starts={"scaling": None, "init": "random", "evidence": False, "early_stopping": 0},
        by_marks=True,
    ),
    Case(
        FakeLabelPLSA,
        _SEMI,
        other={"scaling": None, "topics_per_class": 1},
        weighted=_SCALINGS,
        starts={"scaling": None, "init": "random", "evidence": False, "early_stopping": 0},
        by_marks=True,
    ),
    Case(
        HardMislabelingPLSA,
        _SEMI | {"scaling": None, "relabel": 2},
        other={"student": None},
        weighted=_TAUGHT,
        by_marks=True,
    ),
    Case(
        SoftMislabelingPLSA,
        _SEMI | {"scaling": None, "relabel": 2},
        other={"student": None},
        weighted=_TAUGHT,
        by_marks=True,
    ),
    Case(
        SoftMislabelingPLSA,
        _SEMI | {"scaling": None, "relabel": "never", "student": None, "evidence": False},
        note="without a student",
        other={"student": "linear", "evidence": True},
    ),
    Case(
        SoftMislabelingPLSA,
        _SEMI | {"scaling": "auto", "relabel": 2, "n_relabels": 1, "evidence": False, "max_iter": 3},
        note="four scalings",
        members=4,
    ),
    Case(
        PLSAClassifier,
        {"extra_topics": 4, "extra_labels": "learned", "scaling": None, "max_iter": 6, "tol": 0},
        note="extra topics of classes",
        other={"extra_labels": "open"},
        starts={},
    ),
    Case(
        SoftMislabelingPLSA,
        _SEMI
        | {"scaling": None, "relabel": 2, "doubt": 0.6, "first_guesses": "labels"}
        | {"label_noise": "learn"},
        note="in doubt",
        other={"doubt": 0.0, "init": "all random", "label_noise": None},
        weighted=_TAUGHT[:1],
        by_marks=True,
    ),
    Case(
        PLSAClassifier,
        {"topics_per_class": 2, "scaling": None, "init": "all random", "max_iter": 6, "tol": 0},
        note="all at random",
        other={"init": "random"},
        starts={},
    ),
    Case(
        NaiveBayesEM,
        _MIXTURE | {"scaling": "auto"},
        real="float64",
        other={"components_per_class": 1, "alpha": 0.5, "scaling": None},
        weighted=_DEALT,
        starts={"scaling": None},
        by_marks=True,
    ),
    Case(
        NaiveBayesEM,
        _MIXTURE | _ANNEALED,
        note="annealed",
        real="float64",
        other={"annealing": None, "components_per_class": "auto"},
        earlier=11,  # plain EM and annealing
        weighted=_DEALT,
        by_marks=True,
    ),
    Case(
        NaiveBayesEM,
        {"max_iter": 6, "tol": 0},
        note="a weight to choose",
        real="float64",
        other={"unlabeled_weight": 0.2, "scaling": "auto"},
        weighted=(({}, 1e-8), ({"scaling": "auto"}, 1e-8)),
        seeded=False,  # one component a class starts without noise
        by_marks=True,
    ),
    Case(
        TopicSensitivePLSA,
        {"n_components": 4, "max_iter": 8, "tol": 0},
        "positives",
        other={"student": None, "threshold": 0.4},
        starts={"init": "random", "student": None},
    ),
    Case(
        TopicSensitivePLSA,
        {"n_components": 4, "max_iter": 8, "tol": 0, "student": None, "threshold": "topic"},
        "positives",
        note="by topic",
        other={"threshold": "auto"},
    ),
    Case(TopicSensitivePLSA, {"max_iter": 4}, "positives", "with a committee", other={"n_components": 3}),
    Case(
        CoTraining,
        {"max_iter": 3},
        real="float64",
        other={"views": [slice(0, 30), slice(30, 80)], "per_class": 1},
    ),
    Case(CoEM, {"max_iter": 5}, real="float64", other={"alpha": 0.1, "views": 3}),
    Case(CoBoost, {"max_iter": 30}, real="float64", other={"unlabeled_total": None}),
    Case(CPA, {"max_iter": 20}, real="float64", other={"n_dimensions": 5, "tfidf": False}),
    Case(WeightedLogisticRegression, {}, "positives", real="float64", other={"C": 0.1, "tfidf": False}),
    Case(SpyEM, {"spies": 0.3}, "positives", real="float64", other={"constant_length": False}),
    Case(PEBL, {}, "positives", real="float64", other={"tfidf": False, "balanced": False}),
    Case(RocchioSVM, {}, "positives", real="float64", other={"tfidf": False, "alpha": 8.0}),
    Case(
        MPCKMeans,
        {"n_clusters": 4, "n_init": 2},
        "positives",
        real="float64",
        other={"n_clusters": 3, "n_metrics": 0},
        starts={"n_metrics": 0, "max_iter": 2},
    ),
    Case(TransductiveSVM, {}, real="float64", other={"C": 10.0, "tfidf": False}),
    Case(
        TransductiveSVM,
        {"C": "auto", "most_rounds": 2, "first_cost": 0.01},
        note="a cost to choose",
        real="float64",
        other={"unlabeled_weight": 0.1},
    ),
    Case(SelfTraining, {}, real="float64", other={"k_best": 20, "max_iter": 3, "tfidf": False}),
    Case(
        EntropyMinimization,
        {"entropy_weight": 0.3},
        real="float64",
        other={"entropy_weight": "auto", "C": 1.0},
    ),
    Case(ClassificationEM, {}, real="float64", other={"C": 1.0, "tfidf": False}),
    Case(MislabelingLogistic, {"init": "random"}, real="float64", other={"init": "diagonal", "C": 1.0}),
    Case(GraphClassifier, {}, real="float64", other={"tfidf": False, "n_neighbors": 5, "class_mass": False}),
    *(
        Case(GraphClassifier, {"method": method}, note=method, real="float64", other={"n_dimensions": 20})
        for method in ("harmonic", "random walk", "linear neighborhoods", "sgt")
    ),
    Case(MinCut, {"n_repeats": 3, "n_neighbors": 5}, real="float64", other={"n_repeats": 1}),
    Case(
        CountScaler,
        {"idf": True},
        "nothing",
        other={"idf": False, "length": None},
        weighted=(({}, 1e-12), ({"tf": "raw"}, 1e-12), ({"tf": "binary", "length": None}, 1e-12)),
    ),
]
