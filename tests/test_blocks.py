"""How much is worked on at a time changes nothing: borders between blocks neither lose nor add anything."""

import drawing
import numpy as np
import pytest
from cases import CASES
from helpers import bits, learned
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from plsa import PLSA, CountScaler
from plsa.engine import blocks
from plsa.engine.counts import Counts
from plsa.engine.mixture_steps import normalize
from plsa.estimators.validation import check_counts


def as_counts(X):
    """A CSR array in the form of the kernels."""
    return Counts(X.indptr.astype(np.int64), X.indices, X.data, X.shape[1])


@pytest.mark.parametrize("size", [1, 7])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_no_fit_and_no_answer_depends_on_blocks(case, size, monkeypatch):
    """All that is learned and said is the same to the last bit."""
    found = []
    for each in (1 << 20, size):
        for name in ("NONZEROS", "WORDS"):  # rounding may depend on the others
            monkeypatch.setattr(blocks, name, each)
        model = case.fit()
        found.append((learned(model), case.answers(model)))
    assert bits(found[1]) == bits(found[0])


@given(X=drawing.counts(), size=st.integers(1, 12))
def test_blocks_are_all_documents_in_order(X, size):
    """Each has as many nonzeros as asked for, the last excepted, and none that would do without its last."""
    counts = as_counts(X)
    found = list(counts.blocks(size))
    assert [document for block in found for document in range(*block)] == list(range(counts.n_documents))
    for begin, end in found:
        assert end > begin
        assert end == counts.n_documents or counts.offset[end] - counts.offset[begin] >= size
        assert end - begin == 1 or counts.offset[end - 1] - counts.offset[begin] < size


@given(X=drawing.counts(max_words=4, max_documents=12), weighted=st.booleans(), data=st.data())
def test_totals_of_words(X, weighted, data):
    """Of all documents, each counting as often as its weight says."""
    n = X.shape[0]
    given_weights = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    weight = np.array(given_weights, dtype=X.dtype) if weighted else None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "TOTALS", 1)
        found = as_counts(X).word_totals(weight)
    assert_allclose(found, (np.ones(n) if weight is None else weight) @ X.toarray(), rtol=1e-12)


@pytest.mark.parametrize("size", [1, 2, 3, 6, 7, 100])
def test_posteriors_of_documents(size, monkeypatch):
    """log P(d|z) and the gate give P(z|d), for impossible documents too, and the log of what they sum to."""
    monkeypatch.setattr(blocks, "DOCUMENTS", size)
    gate = np.array([[0.2, 0.8, 0.0], [0.1, 0.3, 0.6]])
    allowed = (gate > 0).astype(float)
    state = np.array([0, 1, 1, 0, 1, 0, 1], dtype=np.int32)
    logs = np.random.default_rng(0).normal(size=(7, 3))
    lost = [2, 5]
    logs[lost] = -np.inf
    for power in (1.0, 0.5):
        joint = (gate[state] * np.exp(logs)) ** power
        joint[lost] = allowed[state[lost]]
        total = joint.sum(axis=1)
        rows = logs.copy()
        found = normalize(rows, gate, state, power, allowed)
        assert_allclose(rows, joint / total[:, np.newaxis], rtol=1e-12)
        assert np.isneginf(found[lost]).all()
        assert_allclose(np.delete(found, lost), np.delete(np.log(total) / power, lost), rtol=1e-12)


DOCUMENTS = np.array([[2.0, 1, 0, 4], [0, 3, 1, 2], [1, 5, 4, 0], [0, 0, 0, 0], [6, 1, 2, 3]])
N_NONZEROS = int((DOCUMENTS > 0).sum())


@pytest.mark.parametrize("size", [1, 2, 3, 5, N_NONZEROS - 1, N_NONZEROS])
def test_words_out_of_order_are_seen_wherever_they_are(size, monkeypatch):
    """Two words that change places, at every place of a block and across its border."""
    monkeypatch.setattr(blocks, "NONZEROS", size)
    wanted = check_counts(CountScaler(), DOCUMENTS, reset=True)
    whole = sparse.csr_array(DOCUMENTS)
    seen = 0
    for at in range(1, N_NONZEROS):
        messy = whole.copy()
        if at in whole.indptr:
            continue  # the first word of a document has none before it
        for values in (messy.indices, messy.data):
            values[[at - 1, at]] = values[[at, at - 1]]
        found = check_counts(CountScaler(), messy, reset=True)
        assert_array_equal(found.word, wanted.word)
        assert_array_equal(found.count, wanted.count)
        seen += 1
    assert seen == N_NONZEROS - 4


@pytest.mark.parametrize("size", [1, 2, 3, 5, N_NONZEROS])
@pytest.mark.parametrize(
    ("value", "message"), [(-2.0, "negative count, -2.0"), (1e39, "too large for float32")]
)
def test_bad_counts_are_named_wherever_they_are(value, message, size, monkeypatch):
    """The row and the column of the first, at every place of a block."""
    monkeypatch.setattr(blocks, "NONZEROS", size)
    for row, column in np.argwhere(DOCUMENTS):
        spoiled = DOCUMENTS.copy()
        spoiled[row, column] = value
        spoiled[-1, -1] = value  # there may be more
        with pytest.raises(ValueError, match=rf"{message} at \({row}, {column}\)"):
            PLSA(2, dtype="float32").fit(spoiled)
