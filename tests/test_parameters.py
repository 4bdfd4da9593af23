"""What the parameters and attributes of the estimators mean is said once, and to everybody."""

import inspect
import re

import numpy as np
import pytest
from sklearn.base import BaseEstimator

import plsa
from plsa.datasets import planted_corpus
from plsa.estimators.parameters import check_of, parse

ESTIMATORS = {
    name: each
    for name in plsa.__all__
    for each in [getattr(plsa, name)]
    if inspect.isclass(each) and issubclass(each, BaseEstimator)
}


def described(estimator):
    """The names that a docstring has an entry for, with their kinds and whether any text follows."""
    return {
        name: (kind, bool(text))
        for name, kind, text in re.findall(r"^(\w+) : (.*)\n(    \S.*)?", estimator.__doc__, flags=re.M)
    }


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_parameter_is_described_whole(name):
    """Each has a kind, its default and a text, and none refers elsewhere; positional ones come first."""
    found = described(ESTIMATORS[name])
    parameters = inspect.signature(ESTIMATORS[name]).parameters
    assert set(parameters) <= set(found)
    for parameter in parameters.values():
        kind, has_text = found[parameter.name]
        assert kind.endswith(f", default={parameter.default!r}")
        assert has_text
    assert "As for" not in ESTIMATORS[name].__doc__
    positional = [each.name for each in parameters.values() if each.kind is not each.KEYWORD_ONLY]
    assert [each for each in found if each in positional] == positional


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_fitted_attribute_is_described(name):
    """What a fit sets, and nothing else but names of columns, stands in the docstring."""
    corpus = planted_corpus(60, 40, 4, n_classes=2, document_length=30, random_state=0)
    y = np.where(np.arange(60) < 30, corpus.target, -1)
    estimator = ESTIMATORS[name]()
    if not hasattr(estimator, "decision_function"):
        estimator.fit(corpus.counts, y)
    else:
        estimator.fit(corpus.counts, np.where((corpus.target == 1) & (np.arange(60) < 30), 1, -1))
    found = described(ESTIMATORS[name])
    fitted = {each for each in vars(estimator) if each.endswith("_") and not each.startswith("_")}
    assert fitted <= set(found)
    assert all(found[each][1] for each in fitted)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_signatures_are_explicit(name):
    """No *args, no **kwargs; what was given is what get_params gives back."""
    parameters = inspect.signature(ESTIMATORS[name]).parameters
    kinds = {each.kind for each in parameters.values()}
    assert kinds <= {inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY}
    given = {each: object() for each in parameters}
    found = ESTIMATORS[name](**given).get_params(deep=False)
    assert found.keys() == given.keys()
    assert all(found[each] is given[each] for each in given)


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("bool", [True, False], [1, "True", None]),
        ("int >= 1", [1, 7, np.int64(3)], [0, 1.0, True, "1"]),
        ("float >= 0", [0, 0.5, 3], [-1e-9, np.nan, np.inf, "0", True]),
        ("float > 0", [1e-9, 2], [0, -1]),
        ('{"raw", "log"}', ["raw", "log"], ["binary", None, 0]),
        ('{None, "kl"}', [None, "kl"], ["None", "labels"]),
        ('float > 0 or "auto"', ["auto", 1], ["never", 0]),
        ('None, "constant" or float > 0', [None, "constant", 3.5], ["auto", 0, [1]]),
    ],
)
def test_a_kind_is_its_check(kind, good, bad):
    """What a kind says is what its check allows; the error names the parameter and shows the value."""
    check = check_of(kind)
    for value in good:
        check(value, "width")
    for value in bad:
        with pytest.raises(
            ValueError, match=rf"^width( \(if not .*\))? == {re.escape(repr(value))}, but must"
        ):
            check(value, "width")


def test_kinds_that_only_the_data_can_tell_are_not_checked():
    """Arrays, seeds and the like."""
    assert check_of("int, RandomState or None") is None
    assert check_of("any") is None


def test_tables_are_parsed():
    """Entries with their texts as one line; names alone are those of all estimators."""
    found = parse("""
    width : float > 0
        How wide
        it is.
    classes_, n_iter_
    """)
    assert found["width"].kind == "float > 0"
    assert found["width"].text == "How wide it is."
    assert list(found) == ["width", "classes_", "n_iter_"]
    assert found["classes_"].text == "The classes, sorted."


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_class_has_the_last_word_on_what_it_has(name):
    """What a class says of a parameter or an attribute is shown, not what its bases say of it."""
    shown = "".join(ESTIMATORS[name].__doc__.split())  # lines are broken at hyphens, too
    for table in ("_parameters", "_attributes"):
        for each, entry in parse(vars(ESTIMATORS[name]).get(table, "")).items():
            kind = entry.kind
            if table == "_parameters":
                kind += f", default={inspect.signature(ESTIMATORS[name]).parameters[each].default!r}"
            assert "".join(f"{each} : {kind} {entry.text}".split()) in shown


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_prior_is_not_taken_for_the_sizes_of_topics(name):
    """Where documents start is described beside what came out of it; in a mixture it is the same."""
    text = re.search(r"^topic_prior_ : .*\n((?:    .*\n)+)", ESTIMATORS[name].__doc__, flags=re.M)
    if text is not None and name != "NaiveBayesEM":
        assert "`doc_topic_.mean(axis=0)`" in " ".join(text[1].split())


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_parameter_that_is_not_there_names_the_class(name):
    """The class that was called, not one that it is made of."""
    with pytest.raises(
        TypeError, match=rf"^{name}\.__init__\(\) got an unexpected keyword argument 'n_jobs'"
    ):
        ESTIMATORS[name](n_jobs=2)
