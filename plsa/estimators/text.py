"""From raw texts and some labels to predictions: a vectorizer and a model in one pipeline."""

from typing import Any

from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import Pipeline, make_pipeline

from plsa.estimators.semisupervised import SoftMislabelingPLSA


def text_classifier(model: Any = None, *, vectorizer: Any = None, **parameters: Any) -> Pipeline:
    """A pipeline that learns from texts of which some have labels, and classifies others.

    Parameters
    ----------
    model : estimator or None, default=None
        What learns from the counts; None: `SoftMislabelingPLSA`.
    vectorizer : transformer or None, default=None
        What makes counts of texts. None: a `CountVectorizer` for words of letters and digits, in lower case,
        without the very frequent ones (in more than half of the texts); words that stand in one text only are
        kept, as a small corpus has little else, and weigh little.
    **parameters
        Parameters of the model, such as `topics_per_class=2`, `random_state=0`, `verbose=1` or
        `unlabeled="?"`.

    Returns
    -------
    sklearn.pipeline.Pipeline
        With the steps "countvectorizer" and "softmislabelingplsa", or as the given ones are called. `fit`
        takes a list of texts and a list of labels in which None, NaN or -1 marks a text without a label.

    Notes
    -----
    scikit-learn's tools do not know missing labels: `GridSearchCV` and `cross_val_score` need
    `cv=plsa.LabeledKFold(5)`, where `cv=5` fails ("'<' not supported between instances of 'NoneType' and
    'str'") or scores -1 as a class, and `plsa.cross_val_predict` stands in for its own. The notes of
    `LabeledKFold` tell more.

    Examples
    --------
    >>> from plsa import text_classifier
    >>> texts = ["tea and milk", "a cup of tea", "cup and milk", "goal and ball", "a ball team", "team goal"]
    >>> labels = ["food", None, None, "sport", None, None]
    >>> text_classifier(random_state=0).fit(texts, labels).predict(["milk in a cup", "the team"])
    array(['food', 'sport'], dtype='<U5')
    """
    if vectorizer is None:
        vectorizer = CountVectorizer(token_pattern=r"(?u)\b\w\w+\b", max_df=0.5)
    if model is None:
        model = SoftMislabelingPLSA()
    if not hasattr(model, "get_params"):
        raise TypeError(f"model == {model!r}, but must be an estimator such as SoftMislabelingPLSA().")
    known = model.get_params(deep=False)
    for name in parameters:
        if name not in known:
            having = ", ".join(sorted(known))
            raise TypeError(f"{type(model).__name__} has no parameter {name!r}; it has {having}.")
    return make_pipeline(vectorizer, clone(model).set_params(**parameters))
