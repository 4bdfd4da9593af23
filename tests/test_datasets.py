"""Corpora: what is drawn follows the model, what is read is what was written."""

import codecs
import csv
import gzip
import hashlib
import importlib
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from plsa import datasets
from plsa.datasets import planted, records

WORD = re.compile(r"[^\W\d_]{2,}")


# --- docstrings ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def docstrings():
    return datasets.load_docstrings()


def resolve(name):
    path, _, last = name.rpartition(".")
    return getattr(importlib.import_module(path), last)


def test_docstrings_hang_together(docstrings):
    n = len(docstrings.data)
    assert n > 1000
    assert len(docstrings.names) == len(docstrings.target) == n
    assert docstrings.names == sorted(docstrings.names)
    assert docstrings.target_names.tolist() == sorted(set(docstrings.target_names.tolist()))
    assert np.bincount(docstrings.target).min() >= 20
    assert len(np.bincount(docstrings.target)) == len(docstrings.target_names)
    for name, label in zip(docstrings.names, docstrings.target_names[docstrings.target], strict=True):
        assert name.startswith(f"{label}.")
        assert label.count(".") <= 1
    assert {"numpy", "numpy.linalg", "scipy.stats", "sklearn.metrics"} <= set(
        docstrings.target_names.tolist()
    )


def test_docstrings_are_of_the_objects_they_name(docstrings):
    for name, text in zip(docstrings.names, docstrings.data, strict=True):
        words = WORD.findall(text)
        assert len(words) >= 20
        assert set(words) <= set(WORD.findall(resolve(name).__doc__)), name


def test_no_object_and_no_docstring_counts_twice(docstrings):
    assert len({id(resolve(name)) for name in docstrings.names}) == len(docstrings.names)
    said = [" ".join(WORD.findall(text)) for text in docstrings.data]
    assert len(set(said)) == len(said)


def test_no_document_names_its_package_or_module(docstrings):
    names = re.compile(r"\b(numpy|np|scipy|sklearn|scikit-learn)\b", re.IGNORECASE)
    modules = {part for label in docstrings.target_names for part in label.split(".")}
    dotted = re.compile(rf"(?<![\w.])(?:{'|'.join(modules)})\.[a-zA-Z]\w*")
    for name, text in zip(docstrings.names, docstrings.data, strict=True):
        assert ">>>" not in text, name
        assert not names.search(text), (name, names.search(text))
        assert not dotted.search(text), (name, dotted.search(text))


def test_docstrings_are_the_same_every_time(docstrings):
    again = datasets.load_docstrings()
    assert again.names == docstrings.names
    assert again.data == docstrings.data
    assert np.array_equal(again.target, docstrings.target)


def test_min_words_and_min_class_are_thresholds(docstrings):
    more = datasets.load_docstrings("scipy", min_words=60, min_class=50)
    assert np.bincount(more.target).min() >= 50
    assert min(len(WORD.findall(text)) for text in more.data) >= 60
    assert all(name.startswith("scipy.") for name in more.names)


def test_a_fresh_interpreter_prints_nothing_and_says_the_same(docstrings):
    """Nothing on stdout or stderr from the modules imported, and no dependence on import order."""
    script = (
        "import hashlib\n"
        "from plsa import datasets\n"
        "corpus = datasets.load_docstrings()\n"
        "print(hashlib.sha256(repr((corpus.names, corpus.data)).encode()).hexdigest())"
    )
    # -P: the sources beside the tests hold no compiled kernels.
    done = subprocess.run([sys.executable, "-P", "-c", script], capture_output=True, check=False)
    digest = hashlib.sha256(repr((docstrings.names, docstrings.data)).encode()).hexdigest()
    assert (done.stdout.decode().split(), done.stderr) == ([digest], b"")


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """A package with every trap: returns a function that writes its modules and loads them."""
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)

    def load(modules, **options):
        for path, source in modules.items():
            file = tmp_path / "toypackage" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(source)
        importlib.invalidate_caches()
        corpus = datasets.load_docstrings("toypackage", **{"min_words": 1, "min_class": 1, **options})
        return dict(zip(corpus.names, corpus.data, strict=True)), corpus

    yield load
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_broken_private_and_test_modules_are_passed_over(toy, capfd, recwarn):
    found, _ = toy(
        {
            "__init__.py": "",
            "good.py": 'def function():\n    "Adds apples together."\n',
            "broken.py": "import a_module_that_nobody_has_installed\n",
            "worse.py": "raise RuntimeError('no license')\n",
            "warns.py": "import warnings\nwarnings.warn('old', DeprecationWarning)\n"
            'def warned():\n    "Peels bananas slowly."\n',
            "_private.py": "raise SystemExit\n",
            "tests/__init__.py": "raise SystemExit\n",
            "conftest.py": "raise SystemExit\n",
        }
    )
    assert list(found) == ["toypackage.good.function", "toypackage.warns.warned"]
    assert capfd.readouterr() == ("", "")
    assert not recwarn.list


def test_a_label_is_where_the_object_lives(toy):
    _, corpus = toy(
        {
            "__init__.py": "from toypackage.fruit._apples import eat\n"
            "from toypackage.fruit.core import *\n"
            '__all__ = ["eat", "top"]\n'
            'def top():\n    "Lives at the root alone."\n',
            "fruit/__init__.py": "from ._apples import eat\n"
            '__all__ = ["eat", "asked"]\n'
            "def __getattr__(name):\n    raise SystemExit\n",
            "fruit/_apples.py": 'def eat():\n    "Bites into something sweet."\n',
            "fruit/core.py": "",
            "fruit/pips/__init__.py": "from ._inner import soak\n",
            "fruit/pips/_inner.py": 'def soak():\n    "Leaves in water overnight."\n',
            "fruit/trees.py": "from json import dumps\nfrom toypackage._helpers import help_out\n",
            "fruit/borrowed.py": 'from json import loads\n__all__ = ["loads"]\n',
            "_helpers.py": 'def help_out():\n    "Known to nobody outside."\n',
            "fruit/pips/deep.py": "from toypackage.fruit import eat\n"
            'def sow():\n    "Puts seeds underground."\n'
            "constant = 3\n"
            "def silent():\n    pass\n",
        }
    )
    labels = dict(zip(corpus.names, corpus.target_names[corpus.target].tolist(), strict=True))
    assert labels == {
        "toypackage.fruit.eat": "toypackage.fruit",
        "toypackage.fruit.pips.deep.sow": "toypackage.fruit",
        "toypackage.fruit.pips.soak": "toypackage.fruit",
        "toypackage.top": "toypackage",
    }


def test_leaks_are_cut_and_prose_is_kept(toy):
    found, _ = toy(
        {
            "__init__.py": "",
            "stats.py": '''
def mean():
    """
    mean(x, /, out=None) -> float

    Average of numbers, see :func:`~toypackage.stats.median` or stats.mode.

    .. versionchanged:: 1.2
        Faster.

        Much.
    .. warning:: Slow.

    Read :ref:`the guide <stats_guide>` at https://toypackage.org/stats, or numpy.sum.
    ToyPackage does it, as in toypackage.stats._impl.work.

    >>> from toypackage.stats import mean
    >>> mean([1, 3])
    2.0

    The middle is elsewhere: a.b is left alone.
    """
''',
        }
    )
    assert found["toypackage.stats.mean"].split("\n") == [
        "Average of numbers, see median or mode.",
        " Slow.",
        "Read the guide at  or sum.",
        " does it, as in work.",
        "The middle is elsewhere: a.b is left alone.",
    ]


def test_copies_and_form_letters_go(toy):
    body = "\n".join(f"    Line {word * 2} of the original text." for word in "abcdefghij")
    source = "".join(
        f'def f{n}():\n    """Shared by all.\n\n    Only {"x" * (n + 1)} here."""\n' for n in range(11)
    )
    found, _ = toy(
        {
            "__init__.py": "",
            "zoo.py": f'def original():\n    """First.\n{body}\n    """\n',
            "an/__init__.py": "",
            "an/copy.py": f'def copied():\n    """Second.\n{body}\n    """\n',
            "many.py": source,
        }
    )
    assert "toypackage.zoo.original" in found  # the shorter path, though later in the alphabet
    assert "toypackage.an.copy.copied" not in found
    assert found["toypackage.many.f2"] == "Only xxx here."


def test_docstrings_refuse_what_cannot_be_had():
    with pytest.raises(ImportError, match=r"'nobody_has_this'.*install it"):
        datasets.load_docstrings(("numpy", "nobody_has_this"))
    with pytest.raises(ValueError, match=r"'scipy\.stats'"):
        datasets.load_docstrings(["scipy.stats"])
    with pytest.raises(ValueError, match="packages is empty"):
        datasets.load_docstrings([])
    with pytest.raises(ValueError, match=r"no document is left of numpy.*min_class"):
        datasets.load_docstrings("numpy", min_class=10**6)
    with pytest.raises(ValueError, match=r"min_words == 1.5, but must be a whole number"):
        datasets.load_docstrings(min_words=1.5)


# --- planted -------------------------------------------------------------------------------------


def check_planted(corpus, n_documents, n_words, n_components, dtype=np.float32):
    counts = corpus.counts
    assert isinstance(counts, sparse.csr_array)
    assert counts.shape == (n_documents, n_words)
    assert counts.dtype == dtype
    assert counts.indices.dtype == counts.indptr.dtype == np.int32
    # Canonical, as found and not as flagged: columns rise strictly within every row.
    rows = np.repeat(np.arange(n_documents), np.diff(counts.indptr))
    assert np.all(np.diff(rows * n_words + counts.indices.astype(np.int64)) > 0)
    assert counts.has_canonical_format
    assert counts.has_sorted_indices
    assert np.all(counts.data >= 1)
    assert counts.nnz == 0 or 0 <= counts.indices.min() <= counts.indices.max() < n_words
    assert np.array_equal(counts.sum(axis=1), corpus.document_length)
    assert corpus.doc_topic.shape == (n_documents, n_components)
    assert corpus.word_topic.shape == (n_words, n_components)
    for parameter in (corpus.doc_topic, corpus.word_topic):
        assert parameter.dtype == np.float64
        assert parameter.flags.c_contiguous
        assert np.all(parameter >= 0)
    np.testing.assert_allclose(corpus.doc_topic.sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_allclose(corpus.word_topic.sum(axis=0), 1, rtol=1e-12)


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_planted_corpora_are_well_formed(data):
    n_documents = data.draw(st.integers(1, 30))
    n_words = data.draw(st.integers(1, 40))
    n_classes = data.draw(st.none() | st.integers(1, 4))
    n_components = data.draw(st.integers(1, 4)) * (n_classes or 1)
    dtype = data.draw(st.sampled_from([np.float32, np.float64, np.int32, np.int64]))
    corpus = datasets.planted_corpus(
        n_documents,
        n_words,
        n_components,
        n_classes=n_classes,
        document_length=data.draw(st.integers(1, 30)),
        length_distribution=data.draw(st.sampled_from(["constant", "poisson", "lognormal"])),
        length_spread=data.draw(st.floats(0, 2)),
        doc_concentration=data.draw(st.floats(1e-6, 1e6)),
        word_concentration=data.draw(st.floats(1e-6, 1e6)),
        zipf_exponent=data.draw(st.floats(0, 5)),
        dtype=dtype,
        random_state=data.draw(st.integers(0, 2**32)),
    )
    check_planted(corpus, n_documents, n_words, n_components, dtype)
    # A word with no probability in any of a document's topics is never drawn.
    possible = corpus.doc_topic @ corpus.word_topic.T
    assert np.all(possible[corpus.counts.nonzero()] > 0)
    if n_classes is None:
        assert corpus.target is None
        assert corpus.topic_class is None
    else:
        assert np.bincount(corpus.topic_class).tolist() == [n_components // n_classes] * n_classes
        outside = corpus.target[:, None] != corpus.topic_class
        assert np.all(corpus.doc_topic[outside] == 0)


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks small enough that the corpora below have many of them."""
    monkeypatch.setattr(planted, "_BLOCK_TOKENS", 2000)


def test_words_follow_the_planted_probabilities(small_blocks):
    """Chi-square of word totals, in groups of documents that have the same main topic.

    Given the parameters, a group's total for a word has mean E = sum of length * P(w|d), and its
    variance is at most E; the sum of (observed - E)^2 / E over m cells is then at most m, give or
    take sqrt(2 m).
    """
    corpus = datasets.planted_corpus(
        2000, 300, 6, n_classes=2, document_length=120, doc_concentration=0.3, random_state=3
    )
    probability = corpus.doc_topic @ corpus.word_topic.T
    main = corpus.doc_topic.argmax(axis=1)
    group = (main == np.arange(6)[:, None]).astype(float)
    expected = group @ (corpus.document_length[:, None] * probability)
    observed = group @ corpus.counts.toarray()
    large = expected >= 5
    assert large.sum() > 600
    chi = ((observed - expected)[large] ** 2 / expected[large]).sum()
    m = large.sum()
    assert abs(chi - m) < 6 * np.sqrt(2 * m)
    assert abs(observed[~large].sum() - expected[~large].sum()) < 6 * np.sqrt(expected[~large].sum())


def test_rare_words_and_words_without_probability_are_drawn_right(monkeypatch):
    """The guide table is exact however coarse: a cell per step, or two steps in all."""
    rng = np.random.default_rng(0)
    probability = rng.dirichlet(np.full(50, 0.3), size=2)
    probability[:, [0, 7, 8, 49]] = 0
    cumulative = np.cumsum(probability, axis=1)
    cumulative /= cumulative[:, -1:]
    tokens = np.array([[5000, 1], [0, 3000]])
    topics = np.array([[0, 1], [0, 1]])
    drawn = []
    for steps in (2, 2**12):
        monkeypatch.setattr(planted, "_GUIDE", steps)
        edges = np.arange(steps) / steps
        guide = np.stack([row.searchsorted(edges, side="right") for row in cumulative])
        drawn.append(planted._draw_words(np.random.default_rng(1), tokens, topics, cumulative, guide))
    assert np.array_equal(drawn[0][0], drawn[1][0])
    assert np.array_equal(drawn[0][1], drawn[1][1])
    documents, words = drawn[0]
    assert np.bincount(documents).tolist() == [5001, 3000]
    assert not np.isin(words, [0, 7, 8, 49]).any()
    uniform = np.random.default_rng(1).random(8001)
    assert np.array_equal(words[:5000], np.searchsorted(cumulative[0], uniform[:5000], "right"))


def test_uniform_numbers_on_an_edge_take_the_word_above_it():
    cumulative = np.array([[0, 0.25, 0.25, 0.3, 0.3, 1, 1]])
    uniform = np.array([0, 0.25, 0.3, np.nextafter(0.3, 0), np.nextafter(1, 0)])
    stream = SimpleNamespace(random=lambda size: uniform[:size])
    guide = np.zeros((1, planted._GUIDE), dtype=np.int32)  # always too early
    _, words = planted._draw_words(stream, np.array([[5]]), np.array([[0]]), cumulative, guide)
    assert words.tolist() == [1, 3, 5, 3, 5]


def test_topics_and_classes_follow_their_laws(small_blocks):
    """P(z|d) is Dirichlet in mean and variance; classes come in the proportions asked for."""
    n, alpha = 20000, 0.5
    corpus = datasets.planted_corpus(
        n, 5, 6, n_classes=2, class_proportions=[3, 1], document_length=2,
        doc_concentration=alpha, random_state=0,
    )  # fmt: skip
    first = np.mean(corpus.target == 0)
    assert abs(first - 0.75) < 6 * np.sqrt(0.75 * 0.25 / n)
    own = corpus.doc_topic[corpus.target == 0][:, :3]
    variance = (1 / 3) * (2 / 3) / (3 * alpha + 1)
    assert np.all(abs(own.mean(axis=0) - 1 / 3) < 6 * np.sqrt(variance / len(own)))
    np.testing.assert_allclose(own.var(axis=0), variance, rtol=0.05)


@pytest.mark.parametrize("law", ["constant", "poisson", "lognormal"])
def test_lengths_follow_their_law(law, small_blocks):
    n, mean, spread = 4000, 30, 0.5
    lengths = datasets.planted_corpus(
        n, 20, 2, document_length=mean, length_distribution=law, length_spread=spread,
        random_state=1,
    ).document_length  # fmt: skip
    extra = mean**2 * np.expm1(spread**2)
    variance = {"constant": 0, "poisson": mean, "lognormal": mean + extra}[law]
    assert abs(lengths.mean() - mean) <= 6 * np.sqrt(variance / n)
    np.testing.assert_allclose(lengths.var(), variance, rtol=0.25)


def test_overall_frequencies_fall_as_asked():
    """With topics all alike, the r-th most frequent word has probability r ** -s over the sum."""
    corpus = datasets.planted_corpus(3, 200, 4, word_concentration=1e12, zipf_exponent=1.5, random_state=0)
    law = np.arange(1, 201) ** -1.5
    for topic in corpus.word_topic.T:
        np.testing.assert_allclose(np.sort(topic)[::-1], law / law.sum(), rtol=1e-4)
    assert not np.all(np.diff(corpus.word_topic[:, 0]) <= 0)  # ranks are shuffled


def same(one, other):
    return (
        np.array_equal(one.counts.indptr, other.counts.indptr)
        and np.array_equal(one.counts.indices, other.counts.indices)
        and np.array_equal(one.counts.data, other.counts.data)
        and np.array_equal(one.doc_topic, other.doc_topic)
        and np.array_equal(one.word_topic, other.word_topic)
        and np.array_equal(one.target, other.target)
    )


def test_the_same_seed_gives_the_same_bits(small_blocks):
    def draw(seed):
        return datasets.planted_corpus(200, 80, 4, n_classes=2, random_state=seed)

    assert same(draw(5), draw(5))
    assert same(draw(np.int64(5)), draw(5))
    for kind in (np.random.default_rng, np.random.RandomState):
        assert same(draw(kind(5)), draw(kind(5)))
        rng = kind(5)
        assert not same(draw(rng), draw(rng))  # it moves on
    assert not same(draw(5), draw(6))
    assert not np.array_equal(draw(5).word_topic, draw(6).word_topic)
    assert not same(draw(None), draw(None))


def test_blocks_differ_from_one_another(small_blocks):
    """Each block has a seed of its own: 20 documents of 100 tokens a block here."""
    corpus = datasets.planted_corpus(60, 80, 4, length_distribution="constant", random_state=0)
    check_planted(corpus, 60, 80, 4)
    blocks = corpus.doc_topic.reshape(3, 20, 4)
    assert not np.array_equal(blocks[0], blocks[1])
    assert not np.array_equal(blocks[1], blocks[2])


def test_all_documents_may_be_empty():
    corpus = datasets.planted_corpus(4, 10, 2, document_length=1e-9, random_state=0)
    check_planted(corpus, 4, 10, 2)
    assert corpus.counts.nnz == 0


def test_one_word_one_topic_counts_exactly_past_float32():
    """Ones added up in float32 stop at 2 ** 24."""
    length = 2**24 + 2
    corpus = datasets.planted_corpus(
        1, 1, 1, document_length=length, length_distribution="constant", random_state=0
    )
    assert corpus.counts.toarray().tolist() == [[length]]


def test_indices_grow_to_64_bits_only_when_they_must():
    assert planted._index_type(2**31 - 1) is np.int32
    assert planted._index_type(2**31) is np.int64


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_documents": 0}, "n_documents == 0, but must be a whole number >= 1"),
        ({"n_words": 2.5}, "n_words == 2.5, but must be a whole number"),
        ({"n_components": True}, "n_components == True, but must be a whole number"),
        ({"n_components": 5, "n_classes": 2}, "multiple of n_classes.*n_components=5, n_classes=2"),
        ({"n_classes": 0}, "n_classes == 0, but must be a whole number >= 1"),
        ({"class_proportions": [1, 1]}, "without n_classes"),
        ({"n_classes": 2, "class_proportions": [1]}, r"each of the 2 classes; found shape \(1,\)"),
        ({"n_classes": 2, "class_proportions": [1, -3]}, "found -3.0 for class 1"),
        ({"n_classes": 2, "class_proportions": [0, 0]}, "all zero"),
        ({"document_length": 0}, "document_length == 0, but must be a finite number > 0"),
        ({"document_length": np.inf}, "document_length == inf, but must be a finite number"),
        ({"document_length": 2.5, "length_distribution": "constant"}, "whole number of tokens"),
        ({"length_distribution": "uniform"}, "constant, poisson, lognormal; found 'uniform'"),
        ({"length_spread": -1}, "length_spread == -1, but must be a finite number >= 0"),
        ({"length_spread": 4}, "length_spread must be at most 3; found 4"),
        ({"doc_concentration": 0}, "doc_concentration == 0, but must be a finite number"),
        ({"word_concentration": "a"}, "word_concentration == 'a', but must be a finite number"),
        ({"zipf_exponent": np.nan}, "zipf_exponent == nan, but must be a finite number"),
        ({"dtype": "float16"}, "dtype must be float32.*found float16"),
        ({"random_state": -1}, "random_state must be.*found -1"),
        ({"random_state": "seed"}, "random_state must be.*found 'seed'"),
    ],
)
def test_planted_refuses_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        datasets.planted_corpus(**parameters)


@pytest.mark.parametrize(
    "sizes",
    [
        (10**9, 10**9, 10**6, 100),
        (10**9, 2, 100, 100),
        (2, 10**9, 100, 100),
        (2, 2, 10**12, 100),
        (10**8, 10**6, 2, 1000),
        (1, 1, 1, 1e12),
    ],
)
def test_planted_refuses_what_does_not_fit(monkeypatch, sizes):
    """At once, before anything is drawn."""
    monkeypatch.setattr(planted, "physical_memory", lambda: 2.0**34)
    monkeypatch.setattr(planted, "_seed_sequence", lambda seed: pytest.fail("drawn"))
    asked = "n_documents == {}, n_words == {}, n_components == {} and document_length == {:g}".format(*sizes)
    with pytest.raises(ValueError, match=re.escape(asked) + " need .* GiB, but this machine has 16 GiB"):
        datasets.planted_corpus(*sizes[:3], document_length=sizes[3])


def test_planted_knows_what_it_holds(monkeypatch):
    """Memory for what is returned is too little for ten times as much; twice that memory is enough for it."""
    corpus = datasets.planted_corpus(20_000, 3000, 5, random_state=0)
    counts = corpus.counts
    parts = corpus.doc_topic, corpus.word_topic, counts.data, counts.indices, counts.indptr
    held = sum(part.nbytes for part in parts)
    monkeypatch.setattr(planted, "physical_memory", lambda: float(held))
    with pytest.raises(ValueError, match="GiB, but this machine has"):
        datasets.planted_corpus(200_000, 3000, 5)
    monkeypatch.setattr(planted, "physical_memory", lambda: 2.0 * held)
    datasets.planted_corpus(20_000, 3000, 5, random_state=0)


# --- files ---------------------------------------------------------------------------------------

# What a UTF-8 file can hold: everything but surrogates.
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
labels = st.none() | st.text("abc é", min_size=1, max_size=4).filter(str.strip)


def written(path, content):
    """`content` at `path`, compressed where the name says so."""
    raw = content.encode() if isinstance(content, str) else content
    path.write_bytes(gzip.compress(raw) if path.suffix == ".gz" else raw)
    return path


def as_jsonl(documents):
    return "".join(json.dumps({"text": t, "label": y, "more": [1]}) + "\n" for t, y in documents)


def as_table(documents, delimiter):
    file = io.StringIO()
    writer = csv.writer(file, delimiter=delimiter)
    writer.writerow(["label", "text"])
    writer.writerows(["" if y is None else y, t] for t, y in documents)
    return file.getvalue()


def as_folder(documents, folder):
    for n, (text, label) in enumerate(documents):
        file = folder / (label or "") / f"{n:03}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())


@pytest.mark.parametrize("suffix", ["", ".gz"])
@pytest.mark.parametrize("form", ["jsonl", "ndjson", "csv", "tsv"])
@settings(deadline=None, max_examples=40)
@given(documents=st.lists(st.tuples(texts, labels), min_size=1, max_size=6))
def test_what_was_written_is_read(form, suffix, tmp_path_factory, documents):
    path = tmp_path_factory.getbasetemp() / f"corpus.{form}{suffix}"
    if form in ("jsonl", "ndjson"):
        written(path, as_jsonl(documents))
    else:
        written(path, as_table(documents, "," if form == "csv" else "\t"))
    corpus = datasets.read_corpus(path)
    assert corpus.data == [text for text, _ in documents]
    expected = [label and label.strip() for _, label in documents]
    assert corpus.target.dtype == object
    assert corpus.target.tolist() == expected
    assert corpus.target_names.tolist() == sorted({label for label in expected if label})


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_text_files_hold_a_document_a_line(tmp_path, suffix):
    path = written(tmp_path / f"c.txt{suffix}", "one fish\n\ntwo \u2028 fish\r\nlast")
    corpus = datasets.read_corpus(path)
    assert corpus.data == ["one fish", "", "two \u2028 fish", "last"]
    assert corpus.target.tolist() == [None] * 4
    assert corpus.names == ["line 1", "line 2", "line 3", "line 4"]


def test_folders_label_by_their_sub_folders(tmp_path):
    as_folder([("a b", "sport"), ("c", None), ("d\ne", "art"), ("", "art/modern")], tmp_path)
    written(tmp_path / ".hidden.txt", "no")
    (tmp_path / ".git").mkdir()
    written(tmp_path / ".git" / "x.txt", "no")
    corpus = datasets.read_corpus(tmp_path)
    assert corpus.names == ["001.txt", "art/002.txt", "art/modern/003.txt", "sport/000.txt"]
    assert corpus.data == ["c", "d\ne", "", "a b"]
    assert corpus.target.tolist() == [None, "art", "art", "sport"]
    assert datasets.read_corpus(tmp_path, label=None).target.tolist() == [None] * 4


def test_other_files_in_a_folder_are_not_passed_over_in_silence(tmp_path):
    written(tmp_path / "notes.md", "no document")
    with pytest.raises(ValueError, match=r"1 file.*not \.txt and none is.*notes\.md"):
        datasets.read_corpus(tmp_path)
    written(tmp_path / "a.txt", "a document")
    with pytest.warns(UserWarning, match=r"not \.txt and were passed over.*notes\.md") as caught:
        corpus = datasets.read_corpus(tmp_path)
    assert caught[0].filename == __file__
    assert corpus.data == ["a document"]


def test_labels_are_strings_or_none(tmp_path):
    lines = ["3", "3.0", "2.5", "true", '" b "', "null", '""', '"  "', "NaN", '"-1"', "-1"]
    content = "".join(f'{{"text": "x", "label": {label}}}\n' for label in lines)
    path = written(tmp_path / "c.jsonl", content + '{"text": "x"}\n\n')
    corpus = datasets.read_corpus(path)
    read = ["3", "3", "2.5", "true", "b", None, None, None, None, "-1", "-1", None]
    assert corpus.target.tolist() == read
    marked = datasets.read_corpus(path, unlabeled="-1").target.tolist()
    assert marked == [None if label == "-1" else label for label in read]


def test_fields_go_by_the_names_given(tmp_path):
    path = written(tmp_path / "c.csv", "id,body,topic\n1,hello there,x\n\n2,bye,\n")
    corpus = datasets.read_corpus(path, text="body", label="topic")
    assert (corpus.data, corpus.target.tolist()) == (["hello there", "bye"], ["x", None])
    assert corpus.names == ["line 2", "line 4"]
    assert datasets.read_corpus(path, text="body").target.tolist() == [None, None]
    with pytest.raises(ValueError, match=r"no column is called 'text'; found 'id', 'body'.*text="):
        datasets.read_corpus(path)
    with pytest.raises(ValueError, match=r"line 1: no column is called 'tpoic'.*label="):
        datasets.read_corpus(path, text="body", label="tpoic")
    path = written(tmp_path / "c.jsonl", '{"text": "a"}\n')
    with pytest.raises(ValueError, match=r"no line has a field 'tpoic'.*label="):
        datasets.read_corpus(path, label="tpoic")
    assert datasets.read_corpus(path, label=None).target.tolist() == [None]


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("c.csv", "text,Label\na,x\nb,y\n", "'Label'"),
        ("c.tsv", "id\tclass \ttext\n1\tx\ta\n2\ty\tb\n", "'class '"),
        ("c.jsonl", '{"text": "a", "id": 1, "LABELS": "x"}\n{"text": "b", "LABELS": "y"}\n', "'LABELS'"),
    ],
)
def test_fields_that_may_be_labels_are_named(tmp_path, name, content, found):
    """No labels are read, but not in silence; what the warning says to do brings them, or peace."""
    path = written(tmp_path / name, content)
    with pytest.warns(
        UserWarning, match=rf"without a field 'label'.*have {found}.*pass label={found}"
    ) as said:
        assert datasets.read_corpus(path).target.tolist() == [None, None]
    assert len(said) == 1
    assert said[0].filename == __file__
    assert datasets.read_corpus(path, label=found.strip("'")).target.tolist() == ["x", "y"]
    assert datasets.read_corpus(path, label=None).target.tolist() == [None, None]


@pytest.mark.parametrize("separator", [";", "\t", "|", ","])
@pytest.mark.parametrize("name", ["c.csv", "c.tsv"])
def test_the_header_tells_the_separator(tmp_path, name, separator):
    """The one that parts the text from other columns; where there is no such column, what else there is."""
    path = written(tmp_path / name, '"label",text\nx,"a;b,\n|c"\n,d\n'.replace(",", separator))
    corpus = datasets.read_corpus(path)
    wanted = "a;b,\n|c".replace(",", separator)
    assert (corpus.data, corpus.target.tolist()) == ([wanted, "d"], ["x", None])
    with pytest.raises(ValueError, match=r"no column is called 'body'; found 'label', 'text'.*text="):
        datasets.read_corpus(path, text="body")


@pytest.fixture
def csv_limit():
    """A limit of the csv module that is nobody's default, so that a change to it is seen."""
    before = csv.field_size_limit(5000)
    yield
    csv.field_size_limit(before)


def test_long_fields_byte_order_marks_and_line_breaks_in_quotes(tmp_path, csv_limit):
    long = "word " * 100_000
    path = written(tmp_path / "c.csv", f'\ufefftext,label\n"{long}",x\n"a\r\nb",y\n')
    corpus = datasets.read_corpus(path)
    assert corpus.data == [long, "a\r\nb"]
    assert csv.field_size_limit() == 5000


GOOD = '{"text": "fine", "label": "a"}\n'


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("c.jsonl", GOOD + '\n{"text": "cut', r"c\.jsonl, line 3: not JSON"),
        ("c.jsonl", GOOD + "[1]\n", r"line 2: not a JSON object; found \[1\]"),
        ("c.jsonl", GOOD + '{"txt": "a"}\n', "line 2: no field 'text'; found 'txt'.*text="),
        ("c.jsonl", GOOD + '{"text": null}\n', "line 2: 'text' must be a string; found null"),
        ("c.jsonl", GOOD + '{"text": "", "label": ["a"]}', r"line 2: 'label' must.*\[\"a\"\]"),
        ("c.csv", "text,label\na,b\nc\n", "line 3: 1 field where the header has 2"),
        ("c.csv", 'text,label\n"a\nb",c\nd,e,f\n', "line 4: 3 fields where the header has 2"),
        ("c.csv", 'text,label\n"a\nb",c,d\n', "line 2: 3 fields where the header has 2"),
        ("c.csv", 'text,label\na,b\n"never closed,d\ne,f\n', "line 3: unexpected end of data"),
        ("c.tsv", 'text\tlabel\n"a" b\tc\n', "line 2: .*must be quoted"),
        ("c.csv", "text,text\na,b\n", "line 1: 2 columns are called 'text'"),
        ("c.csv", "", r"c\.csv holds no document: there is nothing in it"),
        ("c.csv", "\n", "line 1: no column is called 'text'; found none"),
        ("c.csv", "text,label\n", "holds no document"),
        ("c.jsonl", "\n", "holds no document"),
        ("c.txt", "", "holds no document: there is nothing in it"),
        ("c.pdf", "x", r"'c\.pdf'.*\.jsonl"),
        ("c.gz", "x", r"'c\.gz'.*\.jsonl"),
        ("c.txt", b"good\nalso good\ncaf\xe9\n", r"line 3: not utf-8, found byte b'\\xe9'"),
        ("c.jsonl", GOOD.encode() * 5000 + b'{"text": "\xff"}', "line 5001: not utf-8"),
        ("c.csv", b"text\nna\xefve\n", "line 2: not utf-8.*encoding="),
        ("c.txt.gz", b"good\n\xe9", "line 2: not utf-8"),
        ("c.csv", "text\na\n".encode("utf-16"), "not utf-8.*begins as UTF-16 does: pass encoding='utf-16'"),
        ("c.txt.gz", codecs.BOM_UTF16_BE + "a".encode("utf-16-be"), "pass encoding='utf-16'"),
    ],
)
def test_a_broken_file_is_refused_by_its_line(tmp_path, monkeypatch, csv_limit, name, content, message):
    path = written(tmp_path / name, content)
    opened = []
    monkeypatch.setattr(
        records,
        "open_text",
        lambda *arguments, opener=records.open_text: opened.append(opener(*arguments)) or opened[-1],
    )
    with pytest.raises(ValueError, match=message) as error:
        datasets.read_corpus(path)
    # While the error and its frames are still alive:
    assert error.value is not None
    assert all(file.closed for file in opened)
    assert csv.field_size_limit() == 5000


def test_a_cut_or_false_gzip_file_is_refused(tmp_path):
    path = tmp_path / "c.jsonl.gz"
    whole = gzip.compress(b"".join(b'{"text": "%d"}\n' % n for n in range(20000)))
    for raw in (whole[: len(whole) // 2], b"plain text", whole[:100] + b"??" + whole[102:]):
        path.write_bytes(raw)
        with pytest.raises(ValueError, match=r"c.jsonl.gz"):
            datasets.read_corpus(path)


def test_files_come_in_the_encoding_given(tmp_path):
    for encoding in ("latin-1", "utf-16"):
        path = written(tmp_path / "c.txt", "café\nnaïve\n".encode(encoding))
        assert datasets.read_corpus(path, encoding=encoding).data == ["café", "naïve"]
    path = written(tmp_path / "c.txt", "one\ntwo".encode("utf-16") + b"\x00\xd8\x00")
    with pytest.raises(ValueError, match=r"c.txt.*not utf-16"):
        datasets.read_corpus(path, encoding="utf-16")
    with pytest.raises(ValueError, match="encoding 'utf-nine' is not known"):
        datasets.read_corpus(path, encoding="utf-nine")
    (tmp_path / "docs").mkdir()
    written(tmp_path / "docs" / "a.txt", b"caf\xe9")
    with pytest.raises(ValueError, match=r"a\.txt, line 1: not utf-8"):
        datasets.read_corpus(tmp_path / "docs")
    assert datasets.read_corpus(tmp_path / "docs", encoding="latin-1").data == ["café"]


def test_nothing_there_is_said():
    with pytest.raises(FileNotFoundError, match=r"no file or folder 'nowhere.csv'"):
        datasets.read_corpus(Path("nowhere.csv"))


@pytest.mark.parametrize("path", [None, pandas.DataFrame({"text": ["a"]}), ["a", "b"]], ids=type)
def test_what_is_no_path_is_said(path):
    with pytest.raises(
        TypeError, match=f"path is of type {type(path).__name__}, but must be the name of a file"
    ):
        datasets.read_corpus(path)


def test_an_empty_folder_holds_no_document(tmp_path):
    with pytest.raises(ValueError, match="holds no document"):
        datasets.read_corpus(tmp_path)


def test_labels_that_look_like_none_are_named(tmp_path):
    """With the place of the first, unless one is said to mark a document without a label."""
    path = tmp_path / "reviews.csv"
    path.write_text("text,label\nfine,praise\nbroke,NA\nslow,NA\nugly,\nbad,blame\n")
    with pytest.warns(UserWarning, match="2 documents have the label 'NA', first line 3.*unlabeled='NA'"):
        assert datasets.read_corpus(path).target.tolist() == ["praise", "NA", "NA", None, "blame"]
    assert datasets.read_corpus(path, unlabeled="NA").target.tolist() == ["praise", None, None, None, "blame"]
