"""What a fitted estimator says of itself, in a terminal and in a notebook; versions."""

import re

import numpy as np
import pytest
from cases import CASES, corpus
from sklearn.base import BaseEstimator, clone

import plsa
from plsa import PLSA, CountScaler, MissingLabelPLSA, PLSAClassifier, SoftMislabelingPLSA
from plsa.estimators import summary


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_fitted_estimator_says_what_it_has_learned_on_one_screen(case):
    """Below its parameters, which stay what they were; an unfitted one shows these alone."""
    model = case.make()
    unfitted = repr(model)
    assert " ".join(unfitted.split()) == " ".join(BaseEstimator.__repr__(model).split())
    model = case.fit()
    shown = repr(model)
    assert shown.startswith(unfitted)
    assert len(shown.splitlines()) <= 24
    assert max(map(len, shown.splitlines())) <= 80
    assert repr(clone(model)) == unfitted
    if case.model is CountScaler:
        assert shown == unfitted
        return
    assert "100 words" in shown
    of_all = hasattr(model, "guesses_") or len(getattr(model, "doc_topic_", ())) == 150
    assert ("150 documents" in shown) == of_all
    if case.takes == "classes":
        count = np.bincount(corpus()[1][corpus()[1] >= 0])
        assert np.array_equal(model.class_count_, count)
        assert f"{count.sum()} labels" in shown
        assert f"4: 0 ({count[0]}), 1 ({count[1]})" in " ".join(shown.split())
    table = model._html_repr()
    for about, text in summary.learned(model).items():
        assert about in shown
        assert re.search(rf"<th[^>]*>{re.escape(about)}</th>", table)
        assert " ".join(text.split()) in " ".join(shown.split())


def test_what_was_chosen_and_how_a_fit_ended_is_said():
    """The numbers are those of the fitted attributes."""
    X, y = corpus()[:2]
    model = SoftMislabelingPLSA(extra_topics=2, random_state=0).fit(X, y)
    said = summary.learned(model)
    assert said["topics"] == "6; each class has 1, 2 open to all"
    assert f"prior_strength={model.choices_['prior_strength']:.3g}" in said["chosen"]
    assert f"labels={model.choices_['student']['labels']:.3g}" in said["chosen"]
    assert f"labels alone {model.evidence_['labels alone']:.1%} right" in said["held out"]
    assert said["passes"].startswith(f"{model.n_iter_}; ")
    stopped = PLSA(3, max_iter=2, callback=lambda passed: True).fit(X)
    assert summary.learned(stopped)["passes"].endswith("stopped by the callback")
    topics = MissingLabelPLSA(topics_per_class=[1, 2, 1, 3], evidence=False).fit(X, y)
    assert summary.learned(topics)["topics"] == "7; each class has 1 to 3"


def test_labels_alone_are_said_to_be_alone():
    X, _, truth = corpus()
    model = MissingLabelPLSA(evidence=False).fit(X, truth)
    assert not model.unlabeled_used_
    assert summary.learned(model)["fitted to"] == "150 documents, 150 labels (these alone), 100 words"


def test_weights_are_repetitions_and_unmet_classes_have_no_label():
    X, y = corpus()[:2]
    weight = np.full(150, 2.0)
    model = PLSAClassifier(scaling=None, classes=[0, 1, 2, 3, 9])
    with pytest.warns(UserWarning, match="no example"):
        model.fit(X, y, weight)
    count = 2 * np.bincount(y[y >= 0])
    assert np.array_equal(model.class_count_, [*count, 0])
    assert f"5: 0 ({count[0]})" in repr(model)
    assert "9 (0)" in repr(model)


def test_many_classes_and_long_names_are_cut_and_counted():
    """Names are text: markup in them is shown as it is."""
    X = corpus()[0]
    names = np.array([f"<b>{place}</b> {'a very long name' * 3}" for place in range(30)], dtype=object)
    y = names[np.arange(150) % 30]
    model = PLSAClassifier(scaling=None, max_iter=2).fit(X, y)
    said = summary.learned(model)["classes"]
    assert said.startswith("30: <b>0</b> a very long ... (5), ")
    assert said.endswith("(5) and 22 others")
    assert len(repr(model).splitlines()) <= 24
    table = summary.as_html(summary.learned(model))
    assert "<b>" not in table
    assert "&lt;b&gt;0&lt;/b&gt;" in table


def test_a_notebook_has_the_table_above_what_scikit_learn_shows():
    X, y = corpus()[:2]
    model = PLSAClassifier(scaling=None, max_iter=2)
    assert "<table style" not in model._repr_mimebundle_()["text/html"].split("sk-top-container")[0]
    model.fit(X, y)
    bundle = model._repr_mimebundle_()
    assert bundle["text/plain"] == repr(model)
    assert bundle["text/html"].startswith(summary.as_html(summary.learned(model)))
    assert bundle["text/html"] == bundle["text/html"].strip()
    assert "sk-top-container" in bundle["text/html"]
    assert model._repr_html_().startswith("<table")


def test_versions_are_those_that_run(capsys):
    plsa.show_versions()
    said = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert said["plsa"].startswith(plsa.__version__)
    assert said["numpy"] == np.__version__
    assert {"Python", "machine", "scipy", "scikit-learn"} <= said.keys()
