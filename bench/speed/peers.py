"""The rivals: other people's topic models, each fitted to the same counts from the same start.

Requirements (the `bench` extra; the versions that were tried)::

    numpy>=2 (2.4.6)          scipy (1.17.1)        scikit-learn (1.9.1)   threadpoolctl (3.8.0)
    enstop==0.2.6             numba (0.68.1)        bigartm10==0.10.1      protobuf (7.36.2)
    six (1.17.0)              tqdm (4.70.1)         pandas (3.1.1)
    tomotopy (0.14.0)         gensim (4.4.0)

All of them live in one environment and run in the process of whoever calls. Every fit is held to
one thread, and to float32 where no note says otherwise. A pass is the peer's own compiled or
library step, alone: what the peer does once (copying the counts into its own form, compiling,
making buffers) is set-up, and no peer evaluates a likelihood inside a timed pass.

A pass is not the same amount of work everywhere, and `Peer.update` says which it is:

* "both at once": one E-step gives the new P(z|d) and P(w|z); this is textbook EM.
* "documents, then words": P(z|d) first, then P(w|z) by a second E-step that already uses the new
  P(z|d). It never lowers the likelihood either, and computes every p(w,d) twice. BigARTM's offline
  algorithm is exactly this. scikit-learn's KL-NMF is this and one thing more: its word factor need
  not sum to one, so a pass also multiplies each topic in all documents by (expected count of the
  topic in the second E-step) / (in the first).

Against the three written out in NumPy in double, on a small corpus, enstop, BigARTM and NMF agree
to float32 rounding. Seconds to a likelihood therefore compare more fairly than seconds per pass.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import functools
import os
import sys
import tempfile
import uuid
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import metadata
from time import perf_counter
from typing import Protocol

import numpy as np
import scipy.sparse
from threadpoolctl import threadpool_limits

Observer = Callable[[int, np.ndarray, np.ndarray], None]


@dataclass(frozen=True)
class Run:
    """What a fit gave: distributions, and what they cost."""

    doc_topic: np.ndarray  # (documents, topics), P(z|d): every row sums to one
    word_topic: np.ndarray  # (words, topics), P(w|z): every column sums to one, or is nought
    seconds: tuple[float, ...]  # wall time of each pass, in order, set-up and observing left out
    set_up_seconds: float
    peak_bytes: int | None  # most memory held above what was held before set-up; None: unknown


@dataclass(frozen=True)
class Peer:
    """A rival that can be run here."""

    name: str
    version: str
    same_model: bool  # True: maximizes the likelihood of PLSA; False: LDA, the nearest substitute
    update: str  # what one pass does, in the words of the module's docstring
    note: str
    start: Callable[[scipy.sparse.csr_matrix, np.ndarray, np.ndarray], Session]

    def fit(
        self,
        counts: scipy.sparse.csr_matrix,
        doc_topic: np.ndarray,
        word_topic: np.ndarray,
        passes: int,
        observe: Observer | None = None,
        observe_every: int = 1,
    ) -> Run:
        """Run `passes` passes on one thread from the given start, and return them timed.

        `doc_topic` (documents, topics) holds P(z|d), `word_topic` (words, topics) P(w|z); neither
        is written to. The substitutes make their own start and take only the number of topics
        from them. `observe(passes done, doc_topic, word_topic)` is called after every
        `observe_every` passes with the clock stopped, so one run gives likelihood against
        accumulated seconds.
        """
        counts = scipy.sparse.csr_matrix(counts, dtype=np.float32)
        memory = PeakMemory()
        seconds = []
        with threadpool_limits(limits=1):
            began = perf_counter()
            session = self.start(counts, doc_topic, word_topic)
            set_up_seconds = perf_counter() - began
            try:
                for done in range(1, passes + 1):
                    began = perf_counter()
                    session.advance()
                    seconds.append(perf_counter() - began)
                    if observe is not None and done % observe_every == 0:
                        with memory.set_aside():
                            observe(done, *_distributions(*session.factors()))
                peak_bytes = memory.peak()
                fitted = _distributions(*session.factors())
            finally:
                session.close()
        return Run(*fitted, tuple(seconds), set_up_seconds, peak_bytes)


class Session(Protocol):
    """One fit of a peer under way. Making it is the set-up."""

    def advance(self) -> None:
        """Do one pass."""

    def factors(self) -> tuple[np.ndarray, np.ndarray]:
        """The (documents, topics) and (words, topics) factors as they stand, in any scale."""

    def close(self) -> None:
        """Give back what Python would not."""


def available(names: Iterable[str] | None = None) -> list[Peer]:
    """The peers (of those named, or of all) that can be run here.

    Importing enstop compiles it: that takes 15 to 30 seconds, once a process.
    """
    return [found for found in map(_find, _chosen(names)) if isinstance(found, Peer)]


def missing(names: Iterable[str] | None = None) -> list[tuple[str, str]]:
    """The peers (of those named, or of all) that cannot be run here, each with the reason."""
    chosen = _chosen(names)
    return [(name, found) for name in chosen if isinstance(found := _find(name), str)]


def log_likelihood(counts: scipy.sparse.csr_matrix, doc_topic: np.ndarray, word_topic: np.ndarray) -> float:
    """The sum over nonzeros of n(d,w) log sum_z P(z|d) P(w|z), in double: one yardstick for all.

    Worked through in blocks of nonzeros, so memory does not grow with the corpus. A counted word
    to which the model gives no probability makes it minus infinity.
    """
    nonzeros_at_once = 1 << 15
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    total = 0.0
    for begin in range(0, counts.nnz, nonzeros_at_once):
        block = slice(begin, begin + nonzeros_at_once)
        n = counts.data[block].astype(np.float64)
        theta = doc_topic[rows[block]].astype(np.float64)
        phi = word_topic[counts.indices[block]].astype(np.float64)
        p = np.einsum("ij,ij->i", theta, phi)
        with np.errstate(divide="ignore"):
            total += float(n[n > 0] @ np.log(p[n > 0]))
    return total


def _distributions(doc_factor: np.ndarray, word_factor: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """P(z|d) and P(w|z) from two factors whose product is proportional to P(w|d) in every row.

    Where the factors are distributions already this only mends rounding. Where they are not (NMF),
    dividing word columns by their sums alone would change the product: the sums move over to the
    document factor first. What is left is one free scale a document. KL-NMF maximizes
    sum n log m - sum m for a row m of the product; the best scale makes m sum to the document's
    length, and there it is the PLSA likelihood up to a constant. So dividing each row by its sum
    takes nothing from the peer: it is given the best likelihood that its factors allow.
    """
    doc_factor = doc_factor.astype(np.float64)
    word_factor = word_factor.astype(np.float64)
    topic_scale = word_factor.sum(axis=0)
    doc_factor *= topic_scale
    word_factor /= np.where(topic_scale > 0, topic_scale, 1.0)
    length = doc_factor.sum(axis=1, keepdims=True)
    # A document without words has no topics of its own; the uniform ones are as good as any.
    doc_topic = np.where(length > 0, doc_factor, 1.0)
    doc_topic /= doc_topic.sum(axis=1, keepdims=True)
    return doc_topic, word_factor


class PeakMemory:
    """The most resident memory this process has held since it was made, above what it held then.

    Known on Linux only, where the kernel keeps a high-water mark that can be reset.
    """

    def __init__(self) -> None:
        with contextlib.suppress(OSError, AttributeError):
            # Memory that earlier peers freed and the allocator kept would be used again unseen.
            ctypes.CDLL(None).malloc_trim(0)
        self._highest = 0
        self._known = self._reset()
        self._before = self._read("VmRSS") if self._known else 0

    def peak(self) -> int | None:
        """Bytes above the start, or None where the system does not tell."""
        if not self._known:
            return None
        self._highest = max(self._highest, self._read("VmHWM"))
        return max(0, self._highest - self._before)

    @contextlib.contextmanager
    def set_aside(self):
        """What is allocated and freed in this context does not count."""
        self.peak()
        yield
        self._reset()

    @staticmethod
    def _reset() -> bool:
        try:
            with open("/proc/self/clear_refs", "w") as switch:
                switch.write("5")
        except OSError:
            return False
        return True

    @staticmethod
    def _read(field: str) -> int:
        with open("/proc/self/status") as lines:
            kilobytes = next(line.split()[1] for line in lines if line.startswith(field + ":"))
        return int(kilobytes) * 1024


def _start_enstop():
    # numba reads this when it is first imported; set_num_threads below holds if it was before.
    os.environ.setdefault("NUMBA_NUM_THREADS", "1")
    import numba
    from enstop import plsa as enstop_plsa

    class EnstopSession:
        """enstop's own compiled E-step and M-step, in the order of its `plsa_fit_inner`.

        `PLSA.fit` itself is no way in: it asks for `np.float`, which NumPy dropped, it divides
        float counts by the length of their document, which is another model, and it always takes
        time for a likelihood. The steps it calls have none of that.
        """

        def __init__(self, counts, doc_topic, word_topic):
            numba.set_num_threads(1)
            triples = counts.tocoo()
            topics = doc_topic.shape[1]
            self._nonzeros = (triples.row.astype(np.int32), triples.col.astype(np.int32), triples.data)
            self._topic_word = np.array(word_topic.T, dtype=np.float32, order="C")
            self._doc_topic = np.array(doc_topic, dtype=np.float32, order="C")
            # `full`, not `zeros`: pages are touched here, not in the first pass.
            self._posterior = np.full((counts.nnz, topics), 0, dtype=np.float32)
            self._norms = np.empty(topics, np.float32), np.empty(counts.shape[0], np.float32)

        def advance(self):
            both = self._topic_word, self._doc_topic
            threshold = np.float32(1e-32)  # enstop's default
            enstop_plsa.plsa_e_step(*self._nonzeros, *both, self._posterior, threshold)
            enstop_plsa.plsa_m_step(*self._nonzeros, *both, self._posterior, *self._norms)

        def factors(self):
            return self._doc_topic, self._topic_word.T

        def close(self):
            pass

    return EnstopSession


def _start_nmf(dtype, order):
    from sklearn.decomposition import _nmf

    update_documents = _nmf._multiplicative_update_w
    update_words = _nmf._multiplicative_update_h

    class NMFSession:
        """scikit-learn's two multiplicative updates, in the order of NMF(solver="mu").

        The public `NMF(max_iter=1)` adds a divergence and its checks to every pass. Calling the
        updates gives the same numbers, bit for bit, without them. `order` is the memory order of
        the (topics, words) start handed to it, which it keeps: "F" has a word's topics side by
        side, as it reads them, and is the fastest.
        """

        def __init__(self, counts, doc_topic, word_topic):
            self._counts = counts.astype(dtype)
            # The start that has the expected counts of PLSA: rows scaled to document lengths.
            lengths = np.asarray(counts.sum(axis=1)).reshape(-1, 1)
            self._doc_factor = np.array(doc_topic * lengths, dtype=dtype, order="C")
            self._word_factor = np.array(word_topic.T, dtype=dtype, order=order)

        def advance(self):
            unpenalized = (1, 0, 0, 1)  # beta of Kullback-Leibler, l1, l2, exponent
            self._doc_factor, *_ = update_documents(
                self._counts, self._doc_factor, self._word_factor, *unpenalized
            )
            self._word_factor = update_words(self._counts, self._doc_factor, self._word_factor, *unpenalized)
            # As NMF does after each update, and for its reason: no denormal numbers.
            self._word_factor[self._word_factor < np.finfo(np.float64).eps] = 0.0

        def factors(self):
            return self._doc_factor, self._word_factor.T

        def close(self):
            pass

    return NMFSession


def _start_bigartm():
    # Its message classes were generated for a protobuf of long ago: only the pure-Python reader
    # still takes them. Without effect if protobuf was imported before; then the import fails.
    os.environ.setdefault("PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION", "python")
    import artm
    from artm.wrapper import LibArtm
    from artm.wrapper import messages_pb2 as messages

    # It writes its log into the working directory unless told otherwise, at every batch.
    LibArtm(logging_config=messages.ConfigureLoggingArgs(log_dir=tempfile.gettempdir(), minloglevel=2))

    class BigARTMSession:
        """BigARTM's offline algorithm without regularizers on batches held in memory.

        P(z|d) is kept between passes as a matrix of its own (`theta_name`), which is also how the
        given start gets in.
        """

        # Tried in turns on 20 Newsgroups, best of five, CPU seconds: 1.67 with its own default of
        # 1,000, then 1.46 with 2,500, 1.41 with 5,000, 1.44 with 10,000 and 1.57 with all in one.
        # The middle three lie within each other's spread. Its sparse switch made no difference.
        documents_a_batch = 5000
        class_name = "@default_class"

        def __init__(self, counts, doc_topic, word_topic):
            self._model = artm.ARTM(
                num_topics=doc_topic.shape[1],
                num_processors=1,
                num_document_passes=1,
                reuse_theta=True,
                cache_theta=True,
                theta_name="doc_topic",
            )
            master = self._model.master
            words = [str(word) for word in range(counts.shape[1])]
            batches = [
                self._batch(counts, words, begin)
                for begin in range(0, counts.shape[0], self.documents_a_batch)
            ]
            master.import_batches(batches)
            self._batch_ids = [batch.id for batch in batches]
            self._dictionary = str(uuid.uuid4())
            master.create_dictionary(
                messages.DictionaryData(
                    name=self._dictionary,
                    token=words,
                    class_id=[self.class_name] * len(words),
                    token_tf=[1.0] * len(words),
                    token_df=[1.0] * len(words),
                    token_value=[1.0 / len(words)] * len(words),
                )
            )
            self._model.initialize(dictionary=self._dictionary)
            # The matrix of P(z|d) comes to be in the first pass: one is thrown away for it.
            self.advance()
            # An attached matrix lives in the NumPy array: it must be kept as long as the model.
            self._attached = [self._put("doc_topic", doc_topic), self._put("pwt", word_topic)]

        def _batch(self, counts, words, begin):
            part = counts[begin : begin + self.documents_a_batch]
            used, local = np.unique(part.indices, return_inverse=True)
            batch = messages.Batch(
                id=str(uuid.uuid4()),
                token=[words[word] for word in used],
                class_id=[self.class_name] * len(used),
                # Naming the one default kind keeps it off its slower path for transactions.
                transaction_typename=["@default_transaction"],
            )
            for row in range(part.shape[0]):
                entries = slice(part.indptr[row], part.indptr[row + 1])
                length = entries.stop - entries.start
                batch.item.add(
                    id=begin + row,
                    title=str(begin + row),
                    token_id=local[entries].tolist(),
                    token_weight=part.data[entries].tolist(),
                    transaction_start_index=range(length + 1),
                    transaction_typename_id=[0] * length,
                )
            return batch

        def _put(self, name, values):
            described, matrix = self._model.master.attach_model(name)
            matrix[:] = values[[int(token) for token in described.token]]
            return matrix

        def _get(self, name, rows):
            described, matrix = self._model.master.get_phi_matrix(name)
            values = np.zeros((rows, matrix.shape[1]), dtype=np.float32)
            values[[int(token) for token in described.token]] = matrix
            return values

        def advance(self):
            self._model.master.fit_offline(self._batch_ids, num_collection_passes=1)

        def factors(self):
            documents, words = (len(matrix) for matrix in self._attached)
            return self._get("doc_topic", documents), self._get("pwt", words)

        def close(self):
            for batch_id in self._batch_ids:
                self._model.master.remove_batch(batch_id)
            LibArtm().ArtmDisposeDictionary(self._model.master.master_id, self._dictionary)
            self._model.dispose()

    return BigARTMSession


def _start_tomotopy():
    import tomotopy

    class TomotopySession:
        """Collapsed Gibbs sampling: a pass draws the topic of every token once."""

        def __init__(self, counts, doc_topic, word_topic):
            self._shape = counts.shape
            self._model = tomotopy.LDAModel(k=doc_topic.shape[1], seed=1)
            self._model.optim_interval = 0  # priors stay: drawing topics is all that is timed
            words = np.array([str(word) for word in range(counts.shape[1])])
            times = np.rint(counts.data).astype(np.int64)
            self._rows = []  # it takes no document without words
            for row in range(counts.shape[0]):
                entries = slice(counts.indptr[row], counts.indptr[row + 1])
                tokens = np.repeat(words[counts.indices[entries]], times[entries])
                if len(tokens):
                    self._model.add_doc(tokens.tolist())
                    self._rows.append(row)
            self._train(0)  # no pass, but the random start is drawn

        def _train(self, passes):
            self._model.train(passes, workers=1, parallel=tomotopy.ParallelScheme.NONE)

        def advance(self):
            self._train(1)

        def factors(self):
            topics = self._model.k
            doc_topic = np.zeros((self._shape[0], topics), dtype=np.float32)
            doc_topic[self._rows] = [document.get_topic_dist() for document in self._model.docs]
            word_topic = np.zeros((self._shape[1], topics), dtype=np.float32)
            words = [int(word) for word in self._model.used_vocabs]
            for topic in range(topics):
                word_topic[words, topic] = self._model.get_topic_word_dist(topic)
            return doc_topic, word_topic

        def close(self):
            pass

    return TomotopySession


def _start_gensim():
    from gensim.models import LdaModel

    class GensimSession:
        """Variational Bayes in gensim's default chunks: a pass visits every document once."""

        def __init__(self, counts, doc_topic, word_topic):
            self._documents = [
                list(zip(part.indices.tolist(), part.data.tolist(), strict=True)) for part in counts
            ]
            self._model = LdaModel(
                id2word={word: str(word) for word in range(counts.shape[1])},
                num_topics=doc_topic.shape[1],
                eval_every=None,  # no perplexity in a timed pass
                dtype=np.float32,
                random_state=1,
            )

        def advance(self):
            self._model.update(self._documents, passes=1)

        def factors(self):
            doc_topic, _ = self._model.inference(self._documents)
            return doc_topic, self._model.get_topics().T

        def close(self):
            pass

    return GensimSession


@dataclass(frozen=True)
class Candidate:
    """A rival, whether it can be run here or not."""

    name: str
    distribution: str
    same_model: bool
    update: str
    note: str
    importer: Callable[[], Callable[..., Session]]


CANDIDATES = {
    candidate.name: candidate
    for candidate in (
        Candidate(
            "enstop PLSA",
            "enstop",
            True,
            "both at once",
            "its compiled steps called one by one; StreamedPLSA slower (4 block sizes tried)",
            _start_enstop,
        ),
        Candidate(
            "scikit-learn NMF-KL",
            "scikit-learn",
            True,
            "documents, then words",
            "at its best: float32, word factor in Fortran order; its two updates called one by one",
            functools.partial(_start_nmf, np.float32, "F"),
        ),
        Candidate(
            "scikit-learn NMF-KL, as it comes",
            "scikit-learn",
            True,
            "documents, then words",
            "what it does with the whole-number counts of a CountVectorizer: float64, C order",
            functools.partial(_start_nmf, np.float64, "C"),
        ),
        Candidate(
            "BigARTM offline",
            "bigartm10",
            True,
            "documents, then words",
            "fit_offline, no regularizers, one document pass, P(z|d) kept, 5,000 a batch",
            _start_bigartm,
        ),
        Candidate(
            "tomotopy LDA",
            "tomotopy",
            False,
            "a Gibbs sweep over the tokens",
            "LDA, nearest substitute; own random start; counts rounded to whole tokens",
            _start_tomotopy,
        ),
        Candidate(
            "gensim LDA",
            "gensim",
            False,
            "online variational Bayes over the documents",
            "LDA, nearest substitute; own random start; up to 50 inner rounds a document",
            _start_gensim,
        ),
    )
}
NAMES = tuple(CANDIDATES)


def _chosen(names: Iterable[str] | None) -> tuple[str, ...]:
    if names is None:
        return NAMES
    chosen = tuple(names)
    if unknown := [name for name in chosen if name not in CANDIDATES]:
        raise ValueError(f"no peer is called {unknown[0]!r}; the names are {', '.join(NAMES)}")
    return chosen


@functools.cache
def _find(name: str) -> Peer | str:
    """The peer, or the reason why it cannot be run here."""
    candidate = CANDIDATES[name]
    try:
        version = metadata.version(candidate.distribution)
    except metadata.PackageNotFoundError:
        return f"not installed (pip install {candidate.distribution})"
    try:
        # What others will have to mend in their packages is no news here; and enstop changes the
        # filters of warnings as it is loaded, which is undone.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            start = candidate.importer()
    except Exception as error:  # whatever stops another's package from loading is the reason
        return f"{candidate.distribution} {version} does not load: {type(error).__name__}: {error}"
    return Peer(candidate.name, version, candidate.same_model, candidate.update, candidate.note, start)


if __name__ == "__main__":
    about = "Which rivals can be run here, and why others cannot."
    argparse.ArgumentParser(prog="python -m bench.speed.peers", description=about).parse_args()
    for peer in available():
        model = "PLSA" if peer.same_model else "LDA"
        print(f"{peer.name} {peer.version} ({model}; {peer.update}): {peer.note}")
    for name, reason in missing():
        print(f"{name}: missing, {reason}", file=sys.stderr)
