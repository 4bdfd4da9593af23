"""The kernels: one pass over the nonzeros, and what turns its sums into parameters.

Arrays come in through the buffer protocol and are checked for shape and type, never for values.
The work is done by loops.c, in the instruction set chosen here, without the GIL, and by as many threads
as asked for: each output row has one owner, so that the bits do not depend on their number.
"""

from cpython.buffer cimport (
    PyBUF_C_CONTIGUOUS, PyBUF_FORMAT, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer,
)
from cython.parallel cimport prange
from libc.math cimport isfinite
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from _threads cimport PLSA_OPENMP, omp_get_thread_num

cdef extern from "loops.h" nogil:
    int PLSA_ROW_BYTES
    int PLSA_LEVELS
    ctypedef struct plsa_pass:
        int64_t n_documents, n_words, n_states, stride
        const int64_t *offset
        const void *word
        const void *count
        const void *weight
        const int32_t *state
        const void *gate
        const void *prior
        const void *doc_topic
        const void *word_topic
        void *ratio
        void *doc_count
        void *word_count
        double *state_count
        double *log_likelihood
        double *log_prior
        int32_t *impossible
        const int64_t *segment
    ctypedef struct plsa_fold:
        int64_t max_rounds
        double tolerance
        void *topic
        int32_t *rounds
    ctypedef struct plsa_rows:
        int64_t stride, n_columns
        const void *a
        const void *b
        void *out
        const void *of_row
        const void *of_column
        const void *of_column_too
        const int32_t *code
    ctypedef void (*plsa_over_rows)(const plsa_rows *, double *, int64_t, int64_t) noexcept nogil
    ctypedef struct plsa_loops:
        void (*documents)(const plsa_pass *, int64_t, int64_t, void *) noexcept nogil
        void (*words)(const plsa_pass *, int64_t, int64_t, int64_t, void *) noexcept nogil
        void (*states)(const plsa_pass *, int64_t, int64_t) noexcept nogil
        void (*fold)(const plsa_pass *, const plsa_fold *, int64_t, int64_t, void *) noexcept nogil
        void (*products)(const plsa_pass *, int64_t, int64_t) noexcept nogil
        void (*find)(const plsa_pass *, int64_t, int64_t *, int64_t, int64_t) noexcept nogil
        void (*normalize_rows)(void *, const void *, const void *, const int32_t *,
                               int64_t, int64_t, int64_t) noexcept nogil
        void (*sum_columns)(const void *, double *, int64_t, int64_t, int64_t) noexcept nogil
        void (*scale_columns)(void *, const void *, double, const void *, const void *,
                              int64_t, int64_t, int64_t) noexcept nogil
        double (*sum_logs)(const void *, const void *, int64_t, int64_t, int64_t) noexcept nogil
        void (*unit_rows)(const int64_t *, const void *, void *, int64_t, int64_t) noexcept nogil
        void (*sum_moves)(const void *, const void *, const void *, const void *, double *,
                          int64_t, int64_t, int64_t) noexcept nogil
        void (*leap)(void *, const void *, const void *, double, double,
                     int64_t, int64_t, int64_t) noexcept nogil
        plsa_over_rows column_products
        plsa_over_rows combine
        plsa_over_rows divide
        plsa_over_rows hinge_slopes
        plsa_over_rows hinge_losses
    const plsa_loops *plsa_find_loops(int, int, int) noexcept
    int plsa_can_run(int) noexcept
    int plsa_is_checked() noexcept

OPENMP = bool(PLSA_OPENMP)
CHECKED = bool(plsa_is_checked())
ROW_BYTES = PLSA_ROW_BYTES

LEVEL_NAMES = ("baseline", "avx2", "avx512")

cdef enum:
    # Documents or words handed to a thread at a time: the answer does not depend on it.
    BLOCK = 64
    # Words whose column sums are added up before they join the total: the bits depend on it.
    COLUMN_BLOCK = 2048

cdef int chosen_level = 0
for _level in range(PLSA_LEVELS):
    if plsa_can_run(_level):
        chosen_level = _level


def runnable_levels():
    """The instruction sets that were built and that this processor has, slowest first."""
    return tuple(name for i, name in enumerate(LEVEL_NAMES) if plsa_can_run(i))


def current_level():
    """The instruction set in use."""
    return LEVEL_NAMES[chosen_level]


def use_level(name):
    """From now on the kernels use this instruction set; the answers keep every bit."""
    global chosen_level
    if name not in LEVEL_NAMES:
        raise ValueError(f"unknown instruction set {name!r}; choose one of {', '.join(LEVEL_NAMES)}.")
    if not plsa_can_run(LEVEL_NAMES.index(name)):
        raise ValueError(
            f"this processor, or this build, has no {name}; choose one of "
            f"{', '.join(runnable_levels())}."
        )
    chosen_level = LEVEL_NAMES.index(name)


cdef class Array:
    """A buffer held while a kernel runs: its address, its shape, and a promise about its type."""

    cdef Py_buffer view
    cdef bint held

    def __cinit__(
        self, array, str name, str types, tuple shape, bint writable=False, bint optional=False
    ):
        cdef Py_ssize_t i
        self.held = False
        if array is None:
            if not optional:
                raise TypeError(f"{name} is None, but must be an array.")
            return
        PyObject_GetBuffer(
            array, &self.view,
            PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | (PyBUF_WRITABLE if writable else 0),
        )
        self.held = True
        found = (<bytes>self.view.format).decode() if self.view.format != NULL else "B"
        # int64 is "l" or "q", by platform: integers are told apart by their size.
        kind = f"i{self.view.itemsize}" if found in ("i", "l", "q") else found
        if kind not in types.split():
            raise TypeError(f"{name} has items of type {found!r}, but must have one of {types!r}.")
        if self.view.ndim != len(shape):
            raise ValueError(f"{name} has {self.view.ndim} axes, but must have {len(shape)}.")
        for i in range(self.view.ndim):
            if shape[i] >= 0 and self.view.shape[i] != shape[i]:
                raise ValueError(
                    f"{name} has length {self.view.shape[i]} along axis {i}, but must have {shape[i]}."
                )

    def __dealloc__(self):
        if self.held:
            PyBuffer_Release(&self.view)

    cdef void *data(self) noexcept:
        return self.view.buf if self.held else NULL

    cdef int64_t length(self, int axis) noexcept:
        return self.view.shape[axis]


cdef str real_type(Array array):
    return (<bytes>array.view.format).decode()


cdef const plsa_loops *loops_for(str real, Array index):
    return plsa_find_loops(chosen_level, real == "d", index is not None and index.view.itemsize == 8)


cdef int64_t check_stride(Array rows) except -1:
    if rows.length(1) * rows.view.itemsize % PLSA_ROW_BYTES:
        raise ValueError(
            f"rows of {rows.length(1)} topics are not padded to a multiple of {PLSA_ROW_BYTES} bytes."
        )
    return rows.length(1)


cdef class Corpus:
    """The counts as the kernels see them: a CSR matrix with ascending words, and documents' weights.

    `bounds` are the first words of as many parts as there may be threads, and the number of words.
    """

    cdef Array offset, word, count, weight
    cdef readonly int64_t n_documents, n_words, n_nonzeros
    cdef readonly str real
    cdef int64_t *segment
    cdef int64_t *bounds
    cdef readonly int n_parts

    def __cinit__(self, offset, word, count, int64_t n_words, weight=None, bounds=None):
        cdef int part
        cdef plsa_pass work
        cdef const plsa_loops *loops
        self.offset = Array(offset, "offset", "i8", (-1,))
        self.word = Array(word, "word", "i4 i8", (-1,))
        self.count = Array(count, "count", "f d", (-1,))
        self.real = real_type(self.count)
        self.weight = Array(weight, "weight", self.real, (-1,), optional=True)
        self.n_documents = self.offset.length(0) - 1
        self.n_words = n_words
        if self.n_documents < 0:
            raise ValueError("offset is empty; a corpus without documents has the one offset 0.")
        self.n_nonzeros = (<const int64_t *>self.offset.data())[self.n_documents]
        if self.word.length(0) != self.n_nonzeros or self.count.length(0) != self.n_nonzeros:
            raise ValueError(
                f"offset ends at {self.n_nonzeros}, but there are {self.word.length(0)} words and "
                f"{self.count.length(0)} counts."
            )
        if weight is not None and self.weight.length(0) != self.n_documents:
            raise ValueError(f"{self.weight.length(0)} weights for {self.n_documents} documents.")

        bounds = [0, n_words] if bounds is None else list(bounds)
        if bounds[0] != 0 or bounds[len(bounds) - 1] != n_words or sorted(bounds) != bounds:
            raise ValueError(f"bounds {bounds} do not ascend from 0 to {n_words}.")
        self.n_parts = len(bounds) - 1
        self.bounds = <int64_t *>malloc(sizeof(int64_t) * len(bounds))
        self.segment = <int64_t *>malloc(
            sizeof(int64_t) * <size_t>(len(bounds) * self.n_documents + 1)
        )
        if self.bounds == NULL or self.segment == NULL:
            raise MemoryError
        loops = loops_for(self.real, self.word)
        self.fill(&work)
        for part in range(self.n_parts + 1):
            self.bounds[part] = bounds[part]
            loops.find(&work, bounds[part], self.segment + part * self.n_documents, 0, self.n_documents)

    def __dealloc__(self):
        free(self.bounds)
        free(self.segment)

    cdef void fill(self, plsa_pass *work) noexcept:
        memset(work, 0, sizeof(plsa_pass))
        work.n_documents = self.n_documents
        work.n_words = self.n_words
        work.offset = <const int64_t *>self.offset.data()
        work.word = self.word.data()
        work.count = self.count.data()
        work.weight = self.weight.data()
        work.segment = self.segment


def expect(
    Corpus corpus not None, state, gate, prior, doc_topic, word_topic,        # in
    ratio, doc_count, word_count, state_count,                       # out
    log_likelihood, log_prior, impossible,                           # out
    int n_threads,
):
    """One expectation over the nonzeros: every output array holds what its name says.

    Equivalent to `reference.expect(X, weight, state, gate, prior, doc_topic, word_topic)`.
    """
    cdef plsa_pass work
    cdef str real = corpus.real
    cdef int64_t D = corpus.n_documents
    cdef Array a_topic = Array(doc_topic, "doc_topic", real, (D, -1))
    cdef int64_t stride = check_stride(a_topic)
    cdef Array a_gate = Array(gate, "gate", real, (-1, stride))
    cdef int64_t S = a_gate.length(0)
    cdef Array a_state = Array(state, "state", "i4", (D,), optional=True)
    cdef Array a_prior = Array(prior, "prior", real, (S, stride), optional=True)
    cdef Array a_word = Array(word_topic, "word_topic", real, (corpus.n_words, stride))
    cdef Array a_ratio = Array(ratio, "ratio", real, (corpus.n_nonzeros,), True)
    cdef Array a_doc_count = Array(doc_count, "doc_count", real, (D, stride), True)
    cdef Array a_word_count = Array(word_count, "word_count", real, (corpus.n_words, stride), True)
    cdef Array a_state_count = Array(state_count, "state_count", "d", (S, stride), True)
    cdef Array a_likelihood = Array(log_likelihood, "log_likelihood", "d", (D,), True)
    cdef Array a_log_prior = Array(log_prior, "log_prior", "d", (D,), True, True)
    cdef Array a_impossible = Array(impossible, "impossible", "i4", (D,), True)
    cdef const plsa_loops *loops = loops_for(real, corpus.word)
    cdef int threads = 1 if n_threads < 1 or not PLSA_OPENMP else n_threads
    cdef size_t room = 2 * stride * a_topic.view.itemsize
    cdef char *scratch
    cdef int64_t block, blocks = (D + BLOCK - 1) // BLOCK, per_part
    cdef int part, parts = corpus.n_parts

    if (prior is None) != (log_prior is None):
        raise ValueError("prior and log_prior go together: give both or neither.")
    corpus.fill(&work)
    work.stride = stride
    work.n_states = S
    work.state = <const int32_t *>a_state.data()
    work.gate = a_gate.data()
    work.prior = a_prior.data()
    work.doc_topic = a_topic.data()
    work.word_topic = a_word.data()
    work.ratio = a_ratio.data()
    work.doc_count = a_doc_count.data()
    work.word_count = a_word_count.data()
    work.state_count = <double *>a_state_count.data()
    work.log_likelihood = <double *>a_likelihood.data()
    work.log_prior = <double *>a_log_prior.data()
    work.impossible = <int32_t *>a_impossible.data()

    scratch = <char *>malloc(room * <size_t>(threads if threads > parts else parts))
    if scratch == NULL:
        raise MemoryError
    try:
        with nogil:
            if threads == 1:
                loops.documents(&work, 0, D, scratch)
                for part in range(parts):
                    loops.words(&work, part, corpus.bounds[part], corpus.bounds[part + 1], scratch)
                loops.states(&work, 0, stride)
            else:
                for block in prange(blocks, schedule="dynamic", num_threads=threads):
                    loops.documents(
                        &work, block * BLOCK, min(D, (block + 1) * BLOCK),
                        scratch + room * omp_get_thread_num(),
                    )
                for part in prange(parts, schedule="dynamic", chunksize=1, num_threads=threads):
                    loops.words(
                        &work, part, corpus.bounds[part], corpus.bounds[part + 1], scratch + room * part
                    )
                per_part = (stride + threads - 1) // threads
                for part in prange(threads, schedule="static", num_threads=threads):
                    loops.states(&work, min(stride, part * per_part), min(stride, (part + 1) * per_part))
    finally:
        free(scratch)


def document_sums(Corpus corpus not None, rows, sums, int n_threads):
    """sums[d] := the sum of n(d, w) rows[w] over the words of document d.

    Equivalent to `X @ rows`.
    """
    cdef plsa_pass work
    cdef int64_t D = corpus.n_documents
    cdef Array a_rows = Array(rows, "rows", corpus.real, (corpus.n_words, -1))
    cdef int64_t stride = check_stride(a_rows)
    cdef Array a_sums = Array(sums, "sums", corpus.real, (D, stride), True)
    cdef const plsa_loops *loops = loops_for(corpus.real, corpus.word)
    cdef int threads = 1 if n_threads < 1 or not PLSA_OPENMP else n_threads
    cdef int64_t block, blocks = (D + BLOCK - 1) // BLOCK

    corpus.fill(&work)
    work.stride = stride
    work.word_topic = a_rows.data()
    work.doc_count = a_sums.data()
    with nogil:
        if threads == 1:
            loops.products(&work, 0, D)
        else:
            for block in prange(blocks, schedule="dynamic", num_threads=threads):
                loops.products(&work, block * BLOCK, min(D, (block + 1) * BLOCK))


def word_sums(Corpus corpus not None, rows, sums, int n_threads):
    """sums[w] := the sum of weight[d] n(d, w) rows[d] over the documents d that have word w.

    Equivalent to `X.T @ (weight[:, None] * rows)`.
    """
    cdef plsa_pass work
    cdef Array a_rows = Array(rows, "rows", corpus.real, (corpus.n_documents, -1))
    cdef int64_t stride = check_stride(a_rows)
    cdef Array a_sums = Array(sums, "sums", corpus.real, (corpus.n_words, stride), True)
    cdef const plsa_loops *loops = loops_for(corpus.real, corpus.word)
    cdef int threads = 1 if n_threads < 1 or not PLSA_OPENMP else n_threads
    cdef int part, parts = corpus.n_parts
    cdef size_t room = stride * a_rows.view.itemsize
    cdef char *scratch = <char *>malloc(room * <size_t>parts + 1)

    if scratch == NULL:
        raise MemoryError
    corpus.fill(&work)
    work.stride = stride
    work.doc_topic = a_rows.data()
    work.ratio = corpus.count.data()
    work.word_count = a_sums.data()
    with nogil:
        if threads == 1:
            for part in range(parts):
                loops.words(&work, part, corpus.bounds[part], corpus.bounds[part + 1], scratch)
        else:
            for part in prange(parts, schedule="dynamic", chunksize=1, num_threads=threads):
                loops.words(
                    &work, part, corpus.bounds[part], corpus.bounds[part + 1], scratch + room * part
                )
    free(scratch)


def fold(
    Corpus corpus not None, state, gate, prior, word_topic,                   # in
    topic,                                                           # in: the start; out: P(z|d)
    log_likelihood, rounds, impossible,                              # out
    int64_t max_rounds, double tolerance, int n_threads,
):
    """Each document's topics given P(w|z), updated until none moves by more than `tolerance`.

    Equivalent to `reference.fold(...)`, a document at a time: its answer does not depend on the others.
    """
    cdef plsa_pass work
    cdef plsa_fold how
    cdef str real = corpus.real
    cdef int64_t D = corpus.n_documents
    cdef Array a_topic = Array(topic, "topic", real, (D, -1), True)
    cdef int64_t stride = check_stride(a_topic)
    cdef Array a_gate = Array(gate, "gate", real, (-1, stride))
    cdef int64_t S = a_gate.length(0)
    cdef Array a_state = Array(state, "state", "i4", (D,), optional=True)
    cdef Array a_prior = Array(prior, "prior", real, (S, stride), optional=True)
    cdef Array a_word = Array(word_topic, "word_topic", real, (corpus.n_words, stride))
    cdef Array a_likelihood = Array(log_likelihood, "log_likelihood", "d", (D,), True)
    cdef Array a_rounds = Array(rounds, "rounds", "i4", (D,), True)
    cdef Array a_impossible = Array(impossible, "impossible", "i4", (D,), True)
    cdef const plsa_loops *loops = loops_for(real, corpus.word)
    cdef int threads = 1 if n_threads < 1 or not PLSA_OPENMP else n_threads
    cdef size_t room = 2 * stride * a_topic.view.itemsize
    cdef char *scratch
    cdef int64_t block, blocks = (D + BLOCK - 1) // BLOCK

    corpus.fill(&work)
    work.stride = stride
    work.n_states = S
    work.state = <const int32_t *>a_state.data()
    work.gate = a_gate.data()
    work.prior = a_prior.data()
    work.word_topic = a_word.data()
    work.log_likelihood = <double *>a_likelihood.data()
    work.impossible = <int32_t *>a_impossible.data()
    how.max_rounds = max_rounds
    how.tolerance = tolerance
    how.topic = a_topic.data()
    how.rounds = <int32_t *>a_rounds.data()

    scratch = <char *>malloc(room * <size_t>threads)
    if scratch == NULL:
        raise MemoryError
    try:
        with nogil:
            if threads == 1:
                loops.fold(&work, &how, 0, D, scratch)
            else:
                for block in prange(blocks, schedule="dynamic", num_threads=threads):
                    loops.fold(
                        &work, &how, block * BLOCK, min(D, (block + 1) * BLOCK),
                        scratch + room * omp_get_thread_num(),
                    )
    finally:
        free(scratch)


def normalize_rows(rows, prior, fallback, state, int n_threads):
    """Each row becomes (row + prior of its state) / its sum, or its state's fallback where that is zero.

    Equivalent to `rows += prior[state]; rows /= rows.sum(axis=1, keepdims=True)`.
    """
    cdef Array a_rows = Array(rows, "rows", "f d", (-1, -1), True)
    cdef str real = real_type(a_rows)
    cdef int64_t n = a_rows.length(0), stride = check_stride(a_rows)
    cdef Array a_fallback = Array(fallback, "fallback", real, (-1, stride))
    cdef Array a_prior = Array(prior, "prior", real, (a_fallback.length(0), stride), optional=True)
    cdef Array a_state = Array(state, "state", "i4", (n,), optional=True)
    cdef const plsa_loops *loops = loops_for(real, None)
    cdef int threads = 1 if n_threads < 1 or not PLSA_OPENMP else n_threads
    cdef int64_t block, blocks = (n + BLOCK - 1) // BLOCK
    cdef void *p_rows = a_rows.data()
    cdef const void *p_prior = a_prior.data()
    cdef const void *p_fallback = a_fallback.data()
    cdef const int32_t *p_state = <const int32_t *>a_state.data()
    with nogil:
        if threads == 1:
            loops.normalize_rows(p_rows, p_prior, p_fallback, p_state, stride, 0, n)
        else:
            for block in prange(blocks, schedule="static", num_threads=threads):
                loops.normalize_rows(
                    p_rows, p_prior, p_fallback, p_state, stride,
                    block * BLOCK, min(n, (block + 1) * BLOCK),
                )


def normalize_columns(rows, old, double smoothing, int64_t n_topics, int n_threads):
    """Each column becomes (column + smoothing) / its sum; one whose sum is zero becomes what `old` has.

    Equivalent to `rows += smoothing; rows /= rows.sum(axis=0)`.
    """
    cdef Array a_rows = Array(rows, "rows", "f d", (-1, -1), True)
    cdef str real = real_type(a_rows)
    cdef int64_t n = a_rows.length(0), stride = check_stride(a_rows)
    cdef Array a_old = Array(old, "old", real, (n, stride))
    cdef const plsa_loops *loops = loops_for(real, None)
    cdef int threads = 1 if n_threads < 1 or not PLSA_OPENMP else n_threads
    cdef int64_t block, z, blocks = (n + COLUMN_BLOCK - 1) // COLUMN_BLOCK
    cdef void *p_rows = a_rows.data()
    cdef const void *p_old = a_old.data()
    cdef double total
    if smoothing < (2.0 ** -126 if real == "f" else 2.0 ** -1022):
        smoothing = 0  # as it is to the loops
    cdef double *partial = <double *>malloc(sizeof(double) * <size_t>(blocks * stride + 1))
    # Room for a row of reals of either type.
    cdef double *scale = <double *>malloc(sizeof(double) * <size_t>stride)
    cdef double *keep = <double *>malloc(sizeof(double) * <size_t>stride)
    try:
        if partial == NULL or scale == NULL or keep == NULL:
            raise MemoryError
        if n_topics > stride:
            raise ValueError(f"{n_topics} topics do not fit in rows of {stride}.")
        memset(scale, 0, sizeof(double) * <size_t>stride)
        memset(keep, 0, sizeof(double) * <size_t>stride)
        with nogil:
            if threads == 1:
                for block in range(blocks):
                    loops.sum_columns(p_rows, partial + block * stride, stride,
                                      block * COLUMN_BLOCK, min(n, (block + 1) * COLUMN_BLOCK))
            else:
                for block in prange(blocks, schedule="static", num_threads=threads):
                    loops.sum_columns(p_rows, partial + block * stride, stride,
                                      block * COLUMN_BLOCK, min(n, (block + 1) * COLUMN_BLOCK))
            for z in range(n_topics):
                total = smoothing * n
                for block in range(blocks):
                    total = total + partial[block * stride + z]
                if total > 0 and isfinite(1 / total):
                    set_real(scale, z, 1 / total, a_rows.view.itemsize)
                else:
                    set_real(keep, z, 1, a_rows.view.itemsize)
            if threads == 1:
                loops.scale_columns(p_rows, p_old, smoothing, scale, keep, stride, 0, n)
            else:
                for block in prange(blocks, schedule="static", num_threads=threads):
                    loops.scale_columns(p_rows, p_old, smoothing, scale, keep, stride,
                                        block * COLUMN_BLOCK, min(n, (block + 1) * COLUMN_BLOCK))
    finally:
        free(partial)
        free(scale)
        free(keep)


cdef void set_real(void *row, int64_t at, double value, Py_ssize_t itemsize) noexcept nogil:
    if itemsize == 8:
        (<double *>row)[at] = value
    else:
        (<float *>row)[at] = <float>value


def sum_logs(rows, weight):
    """The sum of weight[z] log rows[w, z]; what is below the smallest normal number counts as it.

    Equivalent to `(weight * np.log(rows)).sum()`.
    """
    cdef Array a_rows = Array(rows, "rows", "f d", (-1, -1))
    cdef str real = real_type(a_rows)
    cdef int64_t n = a_rows.length(0), stride = check_stride(a_rows)
    cdef Array a_weight = Array(weight, "weight", real, (stride,))
    cdef const plsa_loops *loops = loops_for(real, None)
    cdef const void *p_rows = a_rows.data()
    cdef const void *p_weight = a_weight.data()
    cdef double total
    with nogil:
        total = loops.sum_logs(p_rows, p_weight, stride, 0, n)
    return total


def unit_rows(offset, values, scaled):
    """`scaled` becomes the values of sparse rows, each row at unit Euclidean length; rows of nothing stay.

    Equivalent to the data of `sklearn.preprocessing.normalize`.
    """
    cdef Array a_offset = Array(offset, "offset", "i8", (-1,))
    cdef Array a_values = Array(values, "values", "f d", (-1,))
    cdef str real = real_type(a_values)
    cdef Array a_scaled = Array(scaled, "scaled", real, (a_values.length(0),), writable=True)
    cdef int64_t n = a_offset.length(0) - 1
    cdef const int64_t *p_offset = <const int64_t *>a_offset.data()
    if n < 0 or p_offset[n] != a_values.length(0):
        raise ValueError("offset must end at the number of values.")
    cdef const plsa_loops *loops = loops_for(real, None)
    cdef const void *p_values = a_values.data()
    cdef void *p_scaled = a_scaled.data()
    with nogil:
        loops.unit_rows(p_offset, p_values, p_scaled, 0, n)


def sum_moves(first, second, third, weight, int n_threads):
    """|r|^2 and |v|^2, where r = second - first and v = (third - second) - r, rows counting `weight` times.

    Equivalent to `(weight @ r ** 2).sum(), (weight @ v ** 2).sum()`.
    """
    cdef Array a0 = Array(first, "first", "f d", (-1, -1))
    cdef str real = real_type(a0)
    cdef int64_t n = a0.length(0), stride = check_stride(a0)
    cdef Array a1 = Array(second, "second", real, (n, stride))
    cdef Array a2 = Array(third, "third", real, (n, stride))
    cdef Array a_weight = Array(weight, "weight", real, (n,), optional=True)
    cdef const plsa_loops *loops = loops_for(real, None)
    cdef int threads = 1 if n_threads < 1 or not PLSA_OPENMP else n_threads
    cdef int64_t block, blocks = (n + COLUMN_BLOCK - 1) // COLUMN_BLOCK
    cdef void *p0 = a0.data()
    cdef void *p1 = a1.data()
    cdef void *p2 = a2.data()
    cdef void *p_weight = a_weight.data()
    cdef double r_square = 0, v_square = 0
    cdef double *partial = <double *>malloc(2 * sizeof(double) * <size_t>(blocks + 1))
    if partial == NULL:
        raise MemoryError
    memset(partial, 0, 2 * sizeof(double) * <size_t>(blocks + 1))
    with nogil:
        if threads == 1:
            for block in range(blocks):
                loops.sum_moves(p0, p1, p2, p_weight, partial + 2 * block, stride,
                                block * COLUMN_BLOCK, min(n, (block + 1) * COLUMN_BLOCK))
        else:
            for block in prange(blocks, schedule="static", num_threads=threads):
                loops.sum_moves(p0, p1, p2, p_weight, partial + 2 * block, stride,
                                block * COLUMN_BLOCK, min(n, (block + 1) * COLUMN_BLOCK))
        for block in range(blocks):
            r_square += partial[2 * block]
            v_square += partial[2 * block + 1]
    free(partial)
    return r_square, v_square


def leap(first, second, third, double length, double least, int n_threads):
    """`first` becomes first + 2 length r + length^2 v, but not below `least` times third.

    With r and v as in `sum_moves`; length 1 gives `third`.
    """
    cdef Array a0 = Array(first, "first", "f d", (-1, -1), True)
    cdef str real = real_type(a0)
    cdef int64_t n = a0.length(0), stride = check_stride(a0)
    cdef Array a1 = Array(second, "second", real, (n, stride))
    cdef Array a2 = Array(third, "third", real, (n, stride))
    cdef const plsa_loops *loops = loops_for(real, None)
    cdef int threads = 1 if n_threads < 1 or not PLSA_OPENMP else n_threads
    cdef int64_t block, blocks = (n + COLUMN_BLOCK - 1) // COLUMN_BLOCK
    cdef void *p0 = a0.data()
    cdef void *p1 = a1.data()
    cdef void *p2 = a2.data()
    with nogil:
        if threads == 1:
            loops.leap(p0, p1, p2, length, least, stride, 0, n)
        else:
            for block in prange(blocks, schedule="static", num_threads=threads):
                loops.leap(p0, p1, p2, length, least, stride,
                           block * COLUMN_BLOCK, min(n, (block + 1) * COLUMN_BLOCK))


cdef int run_over_rows(plsa_over_rows loop, plsa_rows *rows, int64_t n, Array total, int n_threads) except -1:
    """A loop over n rows, and what it adds up: block by block, whatever the number of threads."""
    cdef int threads = 1 if n_threads < 1 or not PLSA_OPENMP else n_threads
    cdef int64_t block, c, blocks = (n + COLUMN_BLOCK - 1) // COLUMN_BLOCK
    cdef int64_t stride = rows.stride
    cdef double *sums = NULL if total is None else <double *>total.data()
    cdef double *partial = <double *>malloc(sizeof(double) * <size_t>(blocks * stride + 1))
    if partial == NULL:
        raise MemoryError
    with nogil:
        if threads == 1:
            for block in range(blocks):
                loop(rows, partial + block * stride, block * COLUMN_BLOCK, min(n, (block + 1) * COLUMN_BLOCK))
        else:
            for block in prange(blocks, schedule="static", num_threads=threads):
                loop(rows, partial + block * stride, block * COLUMN_BLOCK, min(n, (block + 1) * COLUMN_BLOCK))
        if sums != NULL:
            memset(sums, 0, sizeof(double) * <size_t>stride)
            for block in range(blocks):
                for c in range(stride):
                    sums[c] = sums[c] + partial[block * stride + c]
    free(partial)
    return 0


def column_products(first, second, total, int n_threads):
    """`total` becomes the sum of first * second over rows, in double.

    Equivalent to `(first * second).sum(axis=0)`.
    """
    cdef plsa_rows rows
    cdef Array a = Array(first, "first", "f d", (-1, -1))
    cdef str real = real_type(a)
    cdef int64_t n = a.length(0), stride = check_stride(a)
    cdef Array b = Array(second, "second", real, (n, stride))
    cdef Array a_total = Array(total, "total", "d", (stride,), True)
    memset(&rows, 0, sizeof(rows))
    rows.stride = stride
    rows.a = a.data()
    rows.b = b.data()
    run_over_rows(loops_for(real, None).column_products, &rows, n, a_total, n_threads)


def combine(rows, keep, others, add, int n_threads):
    """`rows` become keep * rows + add * others; keep and add have a number for every column.

    Equivalent to `rows *= keep; rows += add * others`.
    """
    cdef plsa_rows given
    cdef Array out = Array(rows, "rows", "f d", (-1, -1), True)
    cdef str real = real_type(out)
    cdef int64_t n = out.length(0), stride = check_stride(out)
    cdef Array a = Array(others, "others", real, (n, stride))
    cdef Array a_keep = Array(keep, "keep", real, (stride,))
    cdef Array a_add = Array(add, "add", real, (stride,))
    memset(&given, 0, sizeof(given))
    given.stride = stride
    given.a = a.data()
    given.out = out.data()
    given.of_column = a_keep.data()
    given.of_column_too = a_add.data()
    run_over_rows(loops_for(real, None).combine, &given, n, None, n_threads)


def divide(rows, mass, spread, quotient, total, int n_threads):
    """`quotient` becomes rows / (1 + mass * spread), `total` the sum of rows * quotient over rows, in double.

    `mass` has a number for every row, `spread` one for every column. Equivalent to
    `quotient[:] = rows / (1 + np.outer(mass, spread)); total[:] = (rows * quotient).sum(axis=0)`.
    """
    cdef plsa_rows given
    cdef Array a = Array(rows, "rows", "f d", (-1, -1))
    cdef str real = real_type(a)
    cdef int64_t n = a.length(0), stride = check_stride(a)
    cdef Array a_mass = Array(mass, "mass", real, (n,))
    cdef Array a_spread = Array(spread, "spread", real, (stride,))
    cdef Array out = Array(quotient, "quotient", real, (n, stride), True)
    cdef Array a_total = Array(total, "total", "d", (stride,), True)
    memset(&given, 0, sizeof(given))
    given.stride = stride
    given.a = a.data()
    given.out = out.data()
    given.of_row = a_mass.data()
    given.of_column = a_spread.data()
    run_over_rows(loops_for(real, None).divide, &given, n, a_total, n_threads)


cdef int check_classes(int64_t n_classes, int64_t stride) except -1:
    if not 0 <= n_classes <= stride:
        raise ValueError(f"{n_classes} classes do not fit in rows of {stride}.")
    return 0


def hinge_slopes(scores, values, code, weight, int64_t n_classes, slopes, total, int n_threads):
    """`slopes` become weight * values where t * scores < 1, else 0; t is 1 in the column `code`, else -1.

    Without values (None) they are t - scores. `total` is the weight of these rows, class by class; columns
    from n_classes on are left zero. Equivalent to
    `open = t * scores < 1; slopes[:] = weight[:, None] * values * open; total[:] = weight @ open`.
    """
    cdef plsa_rows given
    cdef Array a = Array(scores, "scores", "f d", (-1, -1))
    cdef str real = real_type(a)
    cdef int64_t n = a.length(0), stride = check_stride(a)
    cdef Array b = Array(values, "values", real, (n, stride), optional=True)
    cdef Array a_code = Array(code, "code", "i4", (n,))
    cdef Array a_weight = Array(weight, "weight", real, (n,))
    cdef Array out = Array(slopes, "slopes", real, (n, stride), True)
    cdef Array a_total = Array(total, "total", "d", (stride,), True)
    check_classes(n_classes, stride)
    memset(&given, 0, sizeof(given))
    given.stride = stride
    given.n_columns = n_classes
    given.a = a.data()
    given.b = b.data()
    given.out = out.data()
    given.code = <const int32_t *>a_code.data()
    given.of_row = a_weight.data()
    run_over_rows(loops_for(real, None).hinge_slopes, &given, n, a_total, n_threads)


def hinge_losses(scores, way, length, code, weight, int64_t n_classes, total, int n_threads):
    """`total` becomes the sum of weight * max(0, 1 - t * (scores + length * way))^2 over rows, in double.

    t is 1 in the column `code`, else -1; `length` has a number for every column. Columns from n_classes on
    have 0.
    """
    cdef plsa_rows given
    cdef Array a = Array(scores, "scores", "f d", (-1, -1))
    cdef str real = real_type(a)
    cdef int64_t n = a.length(0), stride = check_stride(a)
    cdef Array b = Array(way, "way", real, (n, stride))
    cdef Array a_length = Array(length, "length", real, (stride,))
    cdef Array a_code = Array(code, "code", "i4", (n,))
    cdef Array a_weight = Array(weight, "weight", real, (n,))
    cdef Array a_total = Array(total, "total", "d", (stride,), True)
    check_classes(n_classes, stride)
    memset(&given, 0, sizeof(given))
    given.stride = stride
    given.n_columns = n_classes
    given.a = a.data()
    given.b = b.data()
    given.code = <const int32_t *>a_code.data()
    given.of_row = a_weight.data()
    given.of_column = a_length.data()
    run_over_rows(loops_for(real, None).hinge_losses, &given, n, a_total, n_threads)
