"""Self-training: a classifier that is taught by its own most certain predictions."""

import warnings
from dataclasses import KW_ONLY
from typing import Any, ClassVar

from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.semi_supervised import SelfTrainingClassifier

from plsa.baselines.vectors import Matrix, ProbableVectors
from plsa.engine.parameters import Floats
from plsa.estimators.base import Fitted, of_documents
from plsa.estimators.others import check_classifier
from plsa.estimators.parameters import estimator
from plsa.inputs import check_share
from plsa.labels.reading import Labels


def _naive_bayes() -> MultinomialNB:
    return MultinomialNB(alpha=0.01, fit_prior=False)


@estimator
class SelfTraining(ProbableVectors):
    """A classifier that takes its most certain predictions for labels, learns again, and so on.

    Round by round a classifier learns from the documents with a label. Those of the others whose most
    probable class has more than `threshold`, or the `k_best` with the highest, get it as their label, for
    good. It ends when all documents have one, or when no other is certain enough.

    Notes
    -----
    This is scikit-learn's `SelfTrainingClassifier`, of documents as TF-IDF. Mistakes are for good, too: it
    may be worse than its classifier by itself, and the more so with `k_best`. With few labels logistic
    regression ends with next to all documents in one class. Naive Bayes does best without a belief in how
    frequent classes are, but where they are as uneven as those of Reuters, where it is worth four points.

    References
    ----------
    Algorithm 6 of Krithara's thesis (2008). D. Yarowsky, "Unsupervised Word Sense Disambiguation Rivaling
    Supervised Methods", ACL 1995.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from plsa import SelfTraining
    >>> texts = ["tea milk", "milk cup", "cup tea", "tea cup milk", "goal ball", "ball team", "team goal"]
    >>> counts = CountVectorizer().fit_transform(texts)
    >>> model = SelfTraining().fit(counts, ["food", None, None, None, "sport", None, None])
    >>> model.guesses_.tolist()
    ['food', 'food', 'food', 'food', 'sport', 'sport', 'sport']
    >>> model.labeled_iter_.tolist()
    [0, 1, 1, 1, 0, 1, 1]
    """

    _parameters: ClassVar[str] = """
    classifier : None or classifier
        What learns from sparse TF-IDF, with `predict_proba`. None: `MultinomialNB(alpha=0.01,
        fit_prior=False)`.
    threshold : float between 0 and 1
        How probable the class of a document must be; it has no say beside `k_best`.
    k_best : None or int >= 1
        Documents that get a label in a round, the most certain ones. None: as many as pass the threshold.
    max_iter : int >= 1
        Most rounds.
    """
    _attributes: ClassVar[str] = """
    model_ : SelfTrainingClassifier
        That of scikit-learn, fitted; its classes are places in `classes_`.
    labeled_iter_ : (n_documents,) array of int
        The round in which each document has got its label: 0 where y has it, -1 where it has none.
    n_iter_ : int
        Rounds; 1 where no label is missing.
    transduction_, guesses_
    """

    _checks: ClassVar[dict[str, Any]] = {"classifier": check_classifier, "threshold": check_share}

    classifier: Any = None
    _: KW_ONLY
    threshold: float = 0.75
    k_best: int | None = None
    max_iter: int = 1000

    def _learn_vectors(self, matrix: Matrix, labels: Labels) -> Fitted:
        how = (
            {"criterion": "threshold"}
            if self.k_best is None
            else {"criterion": "k_best", "k_best": self.k_best}
        )
        classifier = _naive_bayes() if self.classifier is None else self.classifier
        if len(labels.classes) == 1:
            classifier = DummyClassifier()  # most others refuse to learn one class
        model = SelfTrainingClassifier(classifier, threshold=self.threshold, max_iter=self.max_iter, **how)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "y contains no unlabeled|k_best is larger")
            model.fit(matrix, labels.code)
        found = {"model_": model, "labeled_iter_": model.labeled_iter_, "n_iter_": max(1, int(model.n_iter_))}
        return found | of_documents(model.predict_proba(matrix), labels)

    def _vector_scores(self, matrix: Matrix) -> Floats:
        return self.model_.predict_proba(matrix)
