"""CountScaler."""

import drawing
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline

from plsa import PLSA, CountScaler

X = np.array([[3.0, 1, 0], [1, 0, 0], [0, 0, 0]])
MESSY = drawing.messy_counts().map(lambda pair: pair[0])


@pytest.mark.parametrize("tf", ["raw", "log", "binary"])
@pytest.mark.parametrize("idf", [False, True])
@pytest.mark.parametrize("length", [None, "constant", 7.0])
def test_equals_the_formulas(tf, idf, length):
    """tf, times idf, times the length, as the docstring says; in this order."""
    expected = {"raw": X, "log": np.log1p(X), "binary": (X > 0).astype(float)}[tf]
    if idf:
        expected = expected * (np.log((1 + 3) / (1 + (X > 0).sum(axis=0))) + 1)
    totals = expected.sum(axis=1, keepdims=True)
    goal = totals[totals > 0].mean() if length == "constant" else length
    if goal is not None:
        expected = np.divide(expected * goal, totals, out=np.zeros_like(X), where=totals > 0)
    scaler = CountScaler(tf=tf, idf=idf, length=length).fit(X)
    assert_allclose(scaler.transform(X).toarray(), expected, rtol=1e-12)
    assert_allclose(scaler.transform(sparse.csr_array(X)).toarray(), expected, rtol=1e-12)


def test_what_was_learned_is_used_for_new_documents():
    """idf and length come from the fit, not from what is transformed."""
    scaler = CountScaler(tf="raw", idf=True, length="constant").fit(X)
    new = np.array([[1.0, 1, 1]])
    row = new[0] * scaler.idf_
    assert_allclose(scaler.transform(new).toarray()[0], row * scaler.length_ / row.sum())
    assert_array_equal(scaler.transform(np.vstack([new, X])).toarray()[0], scaler.transform(new).toarray()[0])


@given(MESSY, st.sampled_from(["raw", "log", "binary"]), st.booleans())
def test_every_full_document_has_the_constant_length(counts, tf, idf):
    """And none becomes negative or NaN; empty ones stay empty."""
    scaled = CountScaler(tf=tf, idf=idf).fit_transform(counts)
    totals = np.asarray(scaled.sum(axis=1))
    full = np.asarray(counts.sum(axis=1)) > 0
    assert np.isfinite(scaled.data).all()
    assert scaled.nnz == 0 or scaled.data.min() >= 0
    if full.any():
        assert_allclose(totals[full], totals[full][0], rtol=1e-4)
    assert np.all(totals[~full] == 0)


def test_in_a_pipeline_with_names():
    """Keeps the vectorizer's names and feeds PLSA."""
    texts = ["tea milk tea", "milk tea cup", "goal ball goal"]
    pipe = make_pipeline(CountVectorizer(), CountScaler(), PLSA(2, random_state=0)).fit(texts)
    assert pipe.transform(texts).shape == (3, 2)
    names = pipe[:2].get_feature_names_out()
    assert_array_equal(names, pipe[0].get_feature_names_out())


def test_empty_documents_have_no_share_in_the_length():
    """Whatever they weigh."""
    weight = np.array([2.0, 1.0, 50.0])
    found = CountScaler("raw").fit(X, sample_weight=weight).length_
    assert_allclose(found, (2 * 4 + 1) / 3)
    assert CountScaler("raw").fit(X).length_ == 2.5
    assert CountScaler("raw").fit(X, sample_weight=[0, 0, 1]).length_ == 1, "nothing is known"
