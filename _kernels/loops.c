/* One variant of the loops. meson compiles this file once for each of
 *   LEVEL  baseline | avx2 | avx512   with VECTOR_BYTES 16 | 32 | 32 and the compiler flags to match
 *   REAL   f32 | f64                  with REAL_IS_DOUBLE 0 | 1
 *   INDEX  i32 | i64                  with INDEX_IS_64_BIT 0 | 1
 *
 * AVX-512 is used for its thirty-two registers, not for its width: sixty-four-byte vectors were measured
 * and are slower here (rows are short, and the last vector is half empty).
 */
#include <math.h>
#include "loops.h"

#include <stddef.h>
#include <string.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif
#ifdef PLSA_CHECKED
#include <stdio.h>
#include <stdlib.h>
#endif

#if REAL_IS_DOUBLE
typedef double real;
typedef uint64_t bits;
#define SMALLEST 0x1p-1022      /* the smallest normal number */
#define LARGEST_RATIO 0x1p1000  /* above this, sums of n / p could overflow */
#else
typedef float real;
typedef uint32_t bits;
#define SMALLEST 0x1p-126f
#define LARGEST_RATIO 0x1p100f
#endif
#if INDEX_IS_64_BIT
typedef int64_t index_type;
#else
typedef int32_t index_type;
#endif

/* Unaligned loads cost nothing where the address happens to be aligned, and a memory map may not be. */
#define VECTOR(type, bytes) type __attribute__((vector_size(bytes), aligned(sizeof(type)), may_alias))
typedef VECTOR(real, VECTOR_BYTES) vector;
typedef VECTOR(bits, VECTOR_BYTES) vector_bits;
typedef VECTOR(real, 16) quarter;
typedef VECTOR(bits, 16) quarter_bits;
typedef VECTOR(double, 32) four_doubles;

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 16")
enum {
    UNIT = PLSA_ROW_BYTES / sizeof(real), /* reals in one unit of padding */
    WIDTH = VECTOR_BYTES / sizeof(real),  /* reals in one vector */
    QUARTER = 16 / sizeof(real),          /* reals in sixteen bytes */
    LANES = 64 / VECTOR_BYTES,            /* vectors that hold the partial sums of a dot product */
    GROUP = 4,                            /* nonzeros worked on together */
    STRETCH = 256,                        /* nonzeros whose logarithms are taken together */
    AHEAD = 32,                           /* nonzeros by which rows are fetched in advance */
    FETCHED = 512,                        /* bytes of a row fetched so; the processor does the rest */
    IN_REGISTERS = 8                      /* units of topics up to which sums stay in registers */
};

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define SHUFFLE __builtin_shufflevector
#endif
#endif
#ifndef SHUFFLE /* gcc before 12 */
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (quarter_bits){__VA_ARGS__})
#endif

#ifdef PLSA_CHECKED
static void check(int64_t index, int64_t limit, const char *what)
{
    if (index < 0 || index >= limit) {
        fprintf(stderr, "plsa: %s %lld is outside 0..%lld\n", what, (long long)index, (long long)limit - 1);
        abort();
    }
}
#else
#define check(index, limit, what) ((void)0)
#endif

/* Topics that die shrink through the subnormal numbers, where arithmetic can be a hundred times slower:
 * they are taken as zero, as inputs and as results, alike at every level and on every processor. This is a
 * mode of the thread: it is set where a loop begins and set back where it ends.
 *
 * A product that would round up to the smallest normal number is left: ARM flushes before rounding. */
#if defined(__SSE2__)
typedef unsigned float_mode;
INLINE float_mode get_mode(void) { return _mm_getcsr(); }
INLINE void set_mode(float_mode mode) { _mm_setcsr(mode); }
#define FLUSH 0x8040u /* FTZ: results, DAZ: inputs */
#elif defined(__aarch64__) || defined(__arm64__) /* Linux, macOS */
typedef uint64_t float_mode;
INLINE float_mode get_mode(void)
{
    float_mode mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode) : : "memory");
    return mode;
}
INLINE void set_mode(float_mode mode) { __asm__ volatile("msr fpcr, %0" : : "r"(mode) : "memory"); }
#define FLUSH (UINT64_C(1) << 24) /* FZ: results and inputs */
#else
typedef unsigned float_mode;
INLINE float_mode get_mode(void) { return 0; }
INLINE void set_mode(float_mode mode) { (void)mode; }
#define FLUSH 0u
#endif

INLINE float_mode flush_subnormals(void)
{
    const float_mode before = get_mode();
    set_mode(before | FLUSH);
    return before;
}

INLINE void restore_subnormals(float_mode before) { set_mode(before); }

INLINE vector load(const real *x) { return *(const vector *)x; }
INLINE void store(real *x, vector v) { *(vector *)x = v; }
INLINE quarter load_quarter(const real *x) { return *(const quarter *)x; }
INLINE void store_quarter(real *x, quarter v) { *(quarter *)x = v; }

/* (x[0] + x[4]) + (x[2] + x[6]) + ... : the one order in which eight partial sums become one. */
INLINE double finish(const four_doubles lane[2])
{
    const four_doubles sum = lane[0] + lane[1];
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

/* Four reals as doubles. */
INLINE four_doubles widened(const real *x)
{
#if REAL_IS_DOUBLE
    return *(const four_doubles *)x;
#else
    return __builtin_convertvector(load_quarter(x), four_doubles);
#endif
}

/* Adds eight reals to eight lanes of doubles. */
INLINE void add_eight(four_doubles lane[2], const real *x)
{
    lane[0] += widened(x);
    lane[1] += widened(x + 4);
}

/* The sum of a row; n is a multiple of UNIT. */
INLINE double row_total(const real *row, int64_t n)
{
    four_doubles lane[2] = {{0}, {0}};
#if REAL_IS_DOUBLE
    for (int64_t i = 0; i < n; i += UNIT)
        lane[i / UNIT & 1] += *(const four_doubles *)(row + i);
#else
    for (int64_t i = 0; i < n; i += UNIT)
        add_eight(lane, row + i);
#endif
    return finish(lane);
}

/* log x for normal x > 0: x = 2^e m with m in [sqrt 1/2, sqrt 2), log m = 2 artanh((m - 1) / (m + 1)).
 * Neither branch nor table nor library: vectors, and the same bits everywhere. */
INLINE vector logarithm(vector x)
{
    const vector_bits b = (vector_bits)x;
#if REAL_IS_DOUBLE
    /* The exponent, biased to be positive, becomes a double by being written into the mantissa of 2^52:
     * before AVX-512 there is no conversion. */
    const vector_bits exponent = (b - UINT64_C(0x3fe6a09e667f3bcd) + (UINT64_C(1024) << 52)) >> 52;
    const vector e = (vector)(exponent | UINT64_C(0x4330000000000000)) - (0x1p52 + 1024);
    const vector m = (vector)(b - ((exponent - 1024) << 52));
    const vector s = (m - 1) / (m + 1), z = s * s;
    vector q = 2.0 / 21 * z + 2.0 / 19;
    q = q * z + 2.0 / 17;
    q = q * z + 2.0 / 15;
    q = q * z + 2.0 / 13;
    q = q * z + 2.0 / 11;
    q = q * z + 2.0 / 9;
    q = q * z + 2.0 / 7;
#else
    const vector_bits shifted = (b - 0x3f3504f3u) & 0xff800000u;
    typedef VECTOR(int32_t, VECTOR_BYTES) vector_int;
    const vector e = __builtin_convertvector((vector_int)shifted, vector) * 0x1p-23f;
    const vector m = (vector)(b - shifted);
    const vector s = (m - 1) / (m + 1), z = s * s;
    vector q = (real)(2.0 / 9) * z + (real)(2.0 / 7);
#endif
    q = q * z + (real)(2.0 / 5);
    q = q * z + (real)(2.0 / 3);
    q = q * z + 2;
    return s * q + (real)0.693147180559945309417 * e;
}

/* Adds weight[i] log x[i] of eight reals to eight lanes; x below the smallest normal number counts as it. */
INLINE void add_eight_logs(four_doubles lane[2], const real *weight, const real *x)
{
    real term[8];
    UNROLL
    for (int i = 0; i < 8; i += WIDTH) {
        const vector v = load(x + i);
        const vector_bits normal = (vector_bits)(v >= SMALLEST);
        const vector safe = (vector)(((vector_bits)v & normal)
                                     | ((vector_bits)((vector){0} + SMALLEST) & ~normal));
        store(term + i, load(weight + i) * logarithm(safe));
    }
    add_eight(lane, term);
}

/* The sum of weight[i] log row[i]; n is a multiple of UNIT. */
INLINE double row_logs(const real *row, const real *weight, int64_t n)
{
    four_doubles lane[2] = {{0}, {0}};
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        add_eight_logs(lane, weight + i, row + i);
    if (i < n) { /* float64: a unit is four */
        real x[8] = {0}, w[8] = {0};
        memcpy(x, row + i, sizeof(real) * UNIT);
        memcpy(w, weight + i, sizeof(real) * UNIT);
        add_eight_logs(lane, w, x);
    }
    return finish(lane);
}

/* total[j] := the sum of the lanes of part[j], in the order (0 + 2) + (1 + 3). */
INLINE void finish_dots(const quarter part[GROUP], real total[GROUP])
{
#if REAL_IS_DOUBLE
    store_quarter(total, SHUFFLE(part[0], part[1], 0, 2) + SHUFFLE(part[0], part[1], 1, 3));
    store_quarter(total + 2, SHUFFLE(part[2], part[3], 0, 2) + SHUFFLE(part[2], part[3], 1, 3));
#else
    const quarter first = SHUFFLE(part[0], part[1], 0, 1, 4, 5) + SHUFFLE(part[0], part[1], 2, 3, 6, 7);
    const quarter second = SHUFFLE(part[2], part[3], 0, 1, 4, 5) + SHUFFLE(part[2], part[3], 2, 3, 6, 7);
    store_quarter(total, SHUFFLE(first, second, 0, 2, 4, 6) + SHUFFLE(first, second, 1, 3, 5, 7));
#endif
}

/* Sixty-four bytes of partial sums, halved until sixteen are left. */
INLINE quarter halve(const vector lane[LANES])
{
#if VECTOR_BYTES == 16
    return (lane[0] + lane[2]) + (lane[1] + lane[3]);
#else
    const vector sum = lane[0] + lane[1];
    quarter low, high;
    memcpy(&low, &sum, sizeof low);
    memcpy(&high, (const char *)&sum + sizeof low, sizeof high);
    return low + high;
#endif
}

/* part[j] := <a, row[j]> but for the last sixteen bytes of sums; meanwhile the group before is added up:
 * sum += ratio[j] before[j]. The two do not wait for each other, which hides the latency of both.
 * Here everything of `a` and `sum` stays in registers: `vectors` is a constant. */
INLINE void group_in_registers(const vector *a, const real *const *row, quarter part[GROUP], vector *sum,
                               const real *const *before, const real *ratio, const int vectors)
{
    UNROLL
    for (int j = 0; j < GROUP; j++) {
        vector lane[LANES];
        UNROLL
        for (int v = 0; v < LANES; v++) {
            lane[v] = (vector){0};
            if (v < vectors)
                lane[v] = a[v] * load(row[j] + v * WIDTH);
        }
        UNROLL
        for (int v = LANES; v < vectors; v++)
            lane[v % LANES] += a[v] * load(row[j] + v * WIDTH);
        part[j] = halve(lane);
        UNROLL
        for (int v = 0; v < vectors; v++)
            sum[v] += ratio[j] * load(before[j] + v * WIDTH);
    }
}

/* The same for any number of topics: a and sum are in memory, each read once for the group. */
INLINE void group_in_memory(const real *a, const real *const *row, quarter part[GROUP], real *sum,
                            const real *const *before, const real *ratio, int64_t n)
{
    vector lane[GROUP][LANES];
    memset(lane, 0, sizeof lane);
    for (int64_t i = 0; i < n; i += LANES * WIDTH) {
        UNROLL
        for (int v = 0; v < LANES; v++) {
            const int64_t at = i + v * WIDTH;
            if (v * WIDTH >= UNIT && at >= n)
                break;
            const vector shared = load(a + at);
            vector total = load(sum + at);
            UNROLL
            for (int j = 0; j < GROUP; j++) {
                lane[j][v] += shared * load(row[j] + at);
                total += ratio[j] * load(before[j] + at);
            }
            store(sum + at, total);
        }
    }
    UNROLL
    for (int j = 0; j < GROUP; j++)
        part[j] = halve(lane[j]);
}

/* One expectation for one document whose topics, times its gate, are `a`:
 *   p_j = <a, phi[w_j]>,  ratio_j = n_j / p_j,  sum = sum_j ratio_j phi[w_j];  returns sum_j n_j log p_j.
 * ratio may be NULL. `n` is a constant, and small, where in_registers. */
INLINE double document(const plsa_pass *pass, int64_t d, const int64_t n, const int in_registers,
                       const real *a, real *sum, real *ratio, const int with_log, int32_t *impossible)
{
    const real *word_topic = (const real *)pass->word_topic;
    const int64_t n_nonzeros = pass->offset[pass->n_documents];
    const int vectors = in_registers ? (int)(n / WIDTH) : 0;
    four_doubles lane[2] = {{0}, {0}};
    quarter_bits zeros = {0};
    vector held_a[IN_REGISTERS * UNIT / WIDTH], held_sum[IN_REGISTERS * UNIT / WIDTH];
    const real *row[GROUP], *before[GROUP] = {word_topic, word_topic, word_topic, word_topic};
    real r[GROUP] = {0};
    quarter part[GROUP];

    if (in_registers) {
        UNROLL
        for (int v = 0; v < vectors; v++) {
            held_a[v] = load(a + v * WIDTH);
            held_sum[v] = (vector){0};
        }
    } else
        memset(sum, 0, (size_t)n * sizeof(real));

    for (int64_t begin = pass->offset[d]; begin < pass->offset[d + 1]; begin += STRETCH) {
        const int64_t left = pass->offset[d + 1] - begin;
        const int64_t length = left < STRETCH ? left : STRETCH, eights = (length + 7) / 8 * 8;
        const index_type *here = (const index_type *)pass->word + begin;
        const index_type *there = here + (begin + length + AHEAD <= n_nonzeros ? AHEAD : 0);
        const real *count = (const real *)pass->count + begin;
        real p[STRETCH], tail[8] = {0}; /* the last eight counts, filled up with zeros */

        memcpy(tail, count + eights - 8, (size_t)(length - eights + 8) * sizeof(real));
        for (int64_t j = 0; j < length; j += GROUP) {
            const real *x = j + GROUP <= length ? count + j : tail + (j & 7);
            UNROLL
            for (int i = 0; i < GROUP; i++) {
                /* Past the end the last nonzero is done again, with a count of zero. */
                const int64_t at = j + i < length ? j + i : length - 1;
                const char *next = (const char *)(word_topic + (int64_t)there[at] * n);
                check(here[at], pass->n_words, "word");
                row[i] = word_topic + (int64_t)here[at] * n;
                for (int64_t byte = 0; byte < n * (int64_t)sizeof(real) && byte < FETCHED; byte += 64)
                    __builtin_prefetch(next + byte);
            }
            if (in_registers)
                group_in_registers(held_a, row, part, held_sum, before, r, vectors);
            else
                group_in_memory(a, row, part, sum, before, r, n);
            finish_dots(part, p + j);
            UNROLL
            for (int i = 0; i < GROUP; i += QUARTER) {
                const quarter pi = load_quarter(p + j + i), xi = load_quarter(x + i), ri = xi / pi;
                /* An impossible nonzero gives nothing to any topic; its logarithm is that of SMALLEST. */
                const quarter_bits possible = (quarter_bits)(pi >= SMALLEST)
                                              & (quarter_bits)(ri <= LARGEST_RATIO);
                zeros -= (quarter_bits)(xi > 0) & ~possible;
                store_quarter(r + i, (quarter)((quarter_bits)ri & possible));
            }
            if (ratio && j + GROUP <= length)
                memcpy(ratio + begin + j, r, sizeof r);
            else if (ratio)
                for (int64_t i = j; i < length; i++)
                    ratio[begin + i] = r[i - j];
            UNROLL
            for (int i = 0; i < GROUP; i++)
                before[i] = row[i];
        }
        if (with_log) {
            for (int64_t j = (length + GROUP - 1) / GROUP * GROUP; j < eights; j++)
                p[j] = 1;
            for (int64_t j = 0; j < eights; j += 8)
                add_eight_logs(lane, j + 8 <= length ? count + j : tail, p + j);
        }
    }
    if (in_registers) {
        group_in_registers(held_a, before, part, held_sum, before, r, vectors);
        UNROLL
        for (int v = 0; v < vectors; v++)
            store(sum + v * WIDTH, held_sum[v]);
    } else
        group_in_memory(a, before, part, sum, before, r, n);
    *impossible = 0;
    for (int i = 0; i < QUARTER; i++)
        *impossible += (int32_t)zeros[i];
    return finish(lane);
}

/* a := the document's topics times what its state allows. */
INLINE void gated(const plsa_pass *pass, int64_t d, const real *topic, real *a)
{
    const int64_t s = pass->state ? pass->state[d] : 0;
    const real *gate = (const real *)pass->gate + s * pass->stride;
    check(s, pass->n_states, "state");
    for (int64_t i = 0; i < pass->stride; i += WIDTH)
        store(a + i, load(topic + i) * load(gate + i));
}

/* row := its document's row of a table with a row a state, or NULL. */
INLINE const real *of_state(const void *table, const int32_t *state, int64_t d, int64_t stride)
{
    return table ? (const real *)table + (state ? state[d] : 0) * stride : NULL;
}

INLINE void documents_of(const plsa_pass *pass, int64_t begin, int64_t end, real *a, const int64_t n,
                         const int in_registers)
{
    for (int64_t d = begin; d < end; d++) {
        const real *topic = (const real *)pass->doc_topic + d * n;
        const real *prior = of_state(pass->prior, pass->state, d, n);
        real *sum = (real *)pass->doc_count + d * n;
        gated(pass, d, topic, a);
        pass->log_likelihood[d] =
            document(pass, d, n, in_registers, a, sum, (real *)pass->ratio, 1, pass->impossible + d);
        for (int64_t i = 0; i < n; i += WIDTH)
            store(sum + i, load(sum + i) * load(a + i));
        if (prior)
            pass->log_prior[d] = row_logs(topic, prior, n);
    }
}

INLINE void words_of(const plsa_pass *pass, int64_t part, int64_t begin, int64_t end, real *a,
                     const int64_t n)
{
    const index_type *word = (const index_type *)pass->word;
    const real *ratio = (const real *)pass->ratio, *weight = (const real *)pass->weight;
    real *word_count = (real *)pass->word_count;
    const int64_t n_nonzeros = pass->offset[pass->n_documents];

    memset(word_count + begin * n, 0, (size_t)((end - begin) * n) * sizeof(real));
    for (int64_t d = 0; d < pass->n_documents; d++) {
        const int64_t first = pass->segment[part * pass->n_documents + d];
        const int64_t last = pass->segment[(part + 1) * pass->n_documents + d];
        /* One part has all words: what comes next may be of the next document. */
        const int64_t fence = begin == 0 && end == pass->n_words ? n_nonzeros : last;
        const real *row_of_document = (const real *)pass->doc_topic + d * n;
        if (pass->gate)
            gated(pass, d, row_of_document, a);
        else
            memcpy(a, row_of_document, (size_t)n * sizeof(real));
        for (int64_t j = first; j < last; j++) {
            const int64_t ahead = j + AHEAD < fence ? j + AHEAD : fence - 1;
            const char *next = (const char *)(word_count + (int64_t)word[ahead] * n);
            const real r = weight ? weight[d] * ratio[j] : ratio[j];
            real *row = word_count + (int64_t)word[j] * n;
            check(word[j] - begin, end - begin, "word of this part");
            for (int64_t byte = 0; byte < n * (int64_t)sizeof(real) && byte < FETCHED; byte += 64)
                __builtin_prefetch(next + byte, 1);
            UNROLL
            for (int64_t i = 0; i < n; i += WIDTH)
                store(row + i, load(row + i) + r * load(a + i));
        }
    }
    if (pass->word_topic)
        for (int64_t i = begin * n; i < end * n; i += WIDTH)
            store(word_count + i, load(word_count + i) * load((const real *)pass->word_topic + i));
}

/* The rows of a document's words, each times its count, added up in the order of the words. */
INLINE void products_of(const plsa_pass *pass, int64_t begin, int64_t end, const int64_t n,
                        const int in_registers)
{
    const index_type *word = (const index_type *)pass->word;
    const real *count = (const real *)pass->count, *word_topic = (const real *)pass->word_topic;
    const int64_t n_nonzeros = pass->offset[pass->n_documents];
    const int vectors = in_registers ? (int)(n / WIDTH) : 0;

    for (int64_t d = begin; d < end; d++) {
        real *sum = (real *)pass->doc_count + d * n;
        vector held[IN_REGISTERS * UNIT / WIDTH];
        if (in_registers) {
            UNROLL
            for (int v = 0; v < vectors; v++)
                held[v] = (vector){0};
        } else
            memset(sum, 0, (size_t)n * sizeof(real));
        for (int64_t j = pass->offset[d]; j < pass->offset[d + 1]; j++) {
            const int64_t ahead = j + AHEAD < n_nonzeros ? j + AHEAD : n_nonzeros - 1;
            const char *next = (const char *)(word_topic + (int64_t)word[ahead] * n);
            const real *row = word_topic + (int64_t)word[j] * n;
            check(word[j], pass->n_words, "word");
            for (int64_t byte = 0; byte < n * (int64_t)sizeof(real) && byte < FETCHED; byte += 64)
                __builtin_prefetch(next + byte);
            if (in_registers) {
                UNROLL
                for (int v = 0; v < vectors; v++)
                    held[v] += count[j] * load(row + v * WIDTH);
            } else
                for (int64_t i = 0; i < n; i += WIDTH)
                    store(sum + i, load(sum + i) + count[j] * load(row + i));
        }
        if (in_registers) {
            UNROLL
            for (int v = 0; v < vectors; v++)
                store(sum + v * WIDTH, held[v]);
        }
    }
}

INLINE void fold_of(const plsa_pass *pass, const plsa_fold *fold, int64_t begin, int64_t end, real *a,
                    const int64_t n, const int in_registers)
{
    real *sum = a + n;
    for (int64_t d = begin; d < end; d++) {
        const real *prior = of_state(pass->prior, pass->state, d, n);
        real *topic = (real *)fold->topic + d * n;
        int32_t rounds = 0;
        int settled = 0;
        while (rounds < fold->max_rounds && !settled) {
            real moved = 0;
            gated(pass, d, topic, a);
            document(pass, d, n, in_registers, a, sum, NULL, 0, pass->impossible + d);
            for (int64_t i = 0; i < n; i++)
                sum[i] = sum[i] * a[i] + (prior ? prior[i] : 0);
            const double total = row_total(sum, n);
            if (!(total > 0))
                break; /* nothing to learn from: the start stands */
            const real scale = (real)(1 / total);
            for (int64_t i = 0; i < n; i++) {
                const real now = sum[i] * scale, step = now > topic[i] ? now - topic[i] : topic[i] - now;
                moved = step > moved ? step : moved;
                topic[i] = now;
            }
            settled = moved <= fold->tolerance;
            rounds++;
        }
        gated(pass, d, topic, a);
        pass->log_likelihood[d] = document(pass, d, n, in_registers, a, sum, NULL, 1, pass->impossible + d);
        fold->rounds[d] = rounds;
    }
}

/* Calls `function(..., n, in_registers)` with n a constant for few topics. */
#define CASE(units, function, ...) case units: function(__VA_ARGS__, units * UNIT, 1); break;
#define FOR_TOPICS(function, ...)                                                                      \
    switch (pass->stride / UNIT) {                                                                     \
    CASE(1, function, __VA_ARGS__)                                                                     \
    CASE(2, function, __VA_ARGS__)                                                                     \
    CASE(3, function, __VA_ARGS__)                                                                     \
    CASE(4, function, __VA_ARGS__)                                                                     \
    CASE(5, function, __VA_ARGS__)                                                                     \
    CASE(6, function, __VA_ARGS__)                                                                     \
    CASE(7, function, __VA_ARGS__)                                                                     \
    CASE(8, function, __VA_ARGS__)                                                                     \
    default: function(__VA_ARGS__, pass->stride, 0);                                                   \
    }

static void documents(const plsa_pass *pass, int64_t begin, int64_t end, void *scratch)
{
    const float_mode before = flush_subnormals();
    FOR_TOPICS(documents_of, pass, begin, end, scratch)
    restore_subnormals(before);
}

#define WORDS_OF(pass, part, begin, end, scratch, n, in_registers) words_of(pass, part, begin, end, scratch, n)
static void words(const plsa_pass *pass, int64_t part, int64_t begin, int64_t end, void *scratch)
{
    const float_mode before = flush_subnormals();
    FOR_TOPICS(WORDS_OF, pass, part, begin, end, scratch)
    restore_subnormals(before);
}

static void products(const plsa_pass *pass, int64_t begin, int64_t end)
{
    const float_mode before = flush_subnormals();
    FOR_TOPICS(products_of, pass, begin, end)
    restore_subnormals(before);
}

static void fold(const plsa_pass *pass, const plsa_fold *fold, int64_t begin, int64_t end, void *scratch)
{
    const float_mode before = flush_subnormals();
    FOR_TOPICS(fold_of, pass, fold, begin, end, scratch)
    restore_subnormals(before);
}

static void states(const plsa_pass *pass, int64_t begin, int64_t end)
{
    const real *weight = (const real *)pass->weight;
    for (int64_t s = 0; s < pass->n_states; s++)
        memset(pass->state_count + s * pass->stride + begin, 0, (size_t)(end - begin) * sizeof(double));
    for (int64_t d = 0; d < pass->n_documents; d++) {
        const int64_t s = pass->state ? pass->state[d] : 0;
        const real *row = (const real *)pass->doc_count + d * pass->stride;
        double *total = pass->state_count + s * pass->stride;
        const double w = weight ? weight[d] : 1;
        check(s, pass->n_states, "state");
        for (int64_t i = begin; i < end; i++)
            total[i] += w * (double)row[i];
    }
}

static void find(const plsa_pass *pass, int64_t word, int64_t *where, int64_t begin, int64_t end)
{
    for (int64_t d = begin; d < end; d++) {
        int64_t low = pass->offset[d], high = pass->offset[d + 1];
        while (low < high) {
            const int64_t middle = low + (high - low) / 2;
            if (((const index_type *)pass->word)[middle] < word)
                low = middle + 1;
            else
                high = middle;
        }
        where[d] = low;
    }
}

static void normalize_rows(void *rows, const void *prior, const void *fallback, const int32_t *state,
                           int64_t stride, int64_t begin, int64_t end)
{
    const float_mode before = flush_subnormals();
    for (int64_t d = begin; d < end; d++) {
        real *row = (real *)rows + d * stride;
        const real *add = of_state(prior, state, d, stride);
        if (add)
            for (int64_t i = 0; i < stride; i += WIDTH)
                store(row + i, load(row + i) + load(add + i));
        const double total = row_total(row, stride);
        if (total > 0) {
            const real scale = (real)(1 / total);
            for (int64_t i = 0; i < stride; i += WIDTH)
                store(row + i, load(row + i) * scale);
        } else
            memcpy(row, of_state(fallback, state, d, stride), (size_t)stride * sizeof(real));
    }
    restore_subnormals(before);
}

static void sum_columns(const void *rows, double *total, int64_t stride, int64_t begin, int64_t end)
{
    memset(total, 0, (size_t)stride * sizeof(double));
    for (int64_t w = begin; w < end; w++)
        for (int64_t i = 0; i < stride; i++)
            total[i] += (double)((const real *)rows)[w * stride + i];
}

static void scale_columns(void *rows, const void *old, double smoothing, const void *scale,
                          const void *keep, int64_t stride, int64_t begin, int64_t end)
{
    const float_mode before = flush_subnormals();
    const vector add = (vector){0} + (real)smoothing;
    for (int64_t w = begin; w < end; w++)
        for (int64_t i = 0; i < stride; i += WIDTH) {
            real *at = (real *)rows + w * stride + i;
            store(at, (load(at) + add) * load((const real *)scale + i)
                          + load((const real *)keep + i) * load((const real *)old + w * stride + i));
        }
    restore_subnormals(before);
}

static double sum_logs(const void *rows, const void *weight, int64_t stride, int64_t begin, int64_t end)
{
    double total = 0;
    for (int64_t w = begin; w < end; w++)
        total += row_logs((const real *)rows + w * stride, (const real *)weight, stride);
    return total;
}

static void unit_rows(const int64_t *offset, const void *values, void *scaled, int64_t begin, int64_t end)
{
    const real *x = (const real *)values;
    for (int64_t d = begin; d < end; d++) {
        double square = 0;
        for (int64_t i = offset[d]; i < offset[d + 1]; i++)
            square += (real)(x[i] * x[i]);
        const double length = square > 0 ? sqrt(square) : 1;
        for (int64_t i = offset[d]; i < offset[d + 1]; i++)
            ((real *)scaled)[i] = (real)(x[i] / length);
    }
}

static void sum_moves(const void *x0, const void *x1, const void *x2, const void *weight, double *total,
                      int64_t stride, int64_t begin, int64_t end)
{
    four_doubles r_lane[2] = {{0}, {0}}, v_lane[2] = {{0}, {0}};
    for (int64_t d = begin; d < end; d++) {
        const real *first = (const real *)x0 + d * stride, *second = (const real *)x1 + d * stride;
        const real *third = (const real *)x2 + d * stride;
        const real each = weight ? ((const real *)weight)[d] : 1;
        for (int64_t i = 0; i < stride; i += 8) {
            real r_square[8] = {0}, v_square[8] = {0};
            /* The end may be half of eight: float64 rows are padded to four. */
            for (int64_t j = 0; j < 8 && i + j < stride; j += WIDTH) {
                const vector r = load(second + i + j) - load(first + i + j);
                const vector v = (load(third + i + j) - load(second + i + j)) - r;
                store(r_square + j, each * r * r);
                store(v_square + j, each * v * v);
            }
            add_eight(r_lane, r_square);
            add_eight(v_lane, v_square);
        }
    }
    total[0] += finish(r_lane);
    total[1] += finish(v_lane);
}

static void leap(void *x0, const void *x1, const void *x2, double length, double least, int64_t stride,
                 int64_t begin, int64_t end)
{
    const float_mode before = flush_subnormals();
    const real *second = (const real *)x1, *third = (const real *)x2;
    real *first = (real *)x0;
    const real along = (real)(2 * length - 2), bend = (real)(length * length - 1), share = (real)least;
    for (int64_t i = begin * stride; i < end * stride; i += WIDTH) {
        const vector r = load(second + i) - load(first + i), x = load(third + i);
        const vector v = (x - load(second + i)) - r;
        const vector far = x + (along * r + bend * v), near = share * x;
        const vector_bits beyond = (vector_bits)(far > near);
        store(first + i, (vector)(((vector_bits)far & beyond) | ((vector_bits)near & ~beyond)));
    }
    restore_subnormals(before);
}

static void column_products(const plsa_rows *rows, double *total, int64_t begin, int64_t end)
{
    const int64_t stride = rows->stride;
    memset(total, 0, (size_t)stride * sizeof(double));
    for (int64_t w = begin; w < end; w++) {
        const real *a = (const real *)rows->a + w * stride, *b = (const real *)rows->b + w * stride;
        for (int64_t i = 0; i < stride; i += 4)
            *(four_doubles *)(total + i) += widened(a + i) * widened(b + i);
    }
}

static void combine(const plsa_rows *rows, double *total, int64_t begin, int64_t end)
{
    const float_mode before = flush_subnormals();
    const int64_t stride = rows->stride;
    const real *keep = (const real *)rows->of_column, *add = (const real *)rows->of_column_too;
    (void)total;
    for (int64_t w = begin; w < end; w++)
        for (int64_t i = 0; i < stride; i += WIDTH) {
            const real *a = (const real *)rows->a + w * stride + i;
            real *at = (real *)rows->out + w * stride + i;
            store(at, load(keep + i) * load(at) + load(add + i) * load(a));
        }
    restore_subnormals(before);
}

static void divide(const plsa_rows *rows, double *total, int64_t begin, int64_t end)
{
    const float_mode before = flush_subnormals();
    const int64_t stride = rows->stride;
    memset(total, 0, (size_t)stride * sizeof(double));
    for (int64_t w = begin; w < end; w++) {
        const real mass = ((const real *)rows->of_row)[w];
        const real *a = (const real *)rows->a + w * stride;
        real *out = (real *)rows->out + w * stride;
        for (int64_t i = 0; i < stride; i += WIDTH)
            store(out + i, load(a + i) / (1 + mass * load((const real *)rows->of_column + i)));
        for (int64_t i = 0; i < stride; i += 4)
            *(four_doubles *)(total + i) += widened(a + i) * widened(out + i);
    }
    restore_subnormals(before);
}

INLINE vector_bits columns_from(int64_t first)
{
    vector_bits column;
    for (int64_t i = 0; i < WIDTH; i++)
        column[i] = (bits)(first + i);
    return column;
}

/* 1 in the column of the code, -1 in the others. */
INLINE vector targets(vector_bits column, int32_t code)
{
    const vector_bits own = (vector_bits)(column == (vector_bits){0} + (bits)code);
    const vector one = (vector){0} + 1;
    return (vector)(((vector_bits)one & own) | ((vector_bits)(-one) & ~own));
}

static void hinge_slopes(const plsa_rows *rows, double *total, int64_t begin, int64_t end)
{
    const float_mode before = flush_subnormals();
    const int64_t stride = rows->stride;
    const vector_bits n_columns = (vector_bits){0} + (bits)rows->n_columns;
    const vector one = (vector){0} + 1;
    memset(total, 0, (size_t)stride * sizeof(double));
    for (int64_t d = begin; d < end; d++)
        for (int64_t i = 0; i < stride; i += UNIT) {
            const real *a = (const real *)rows->a + d * stride + i;
            const vector weight = (vector){0} + ((const real *)rows->of_row)[d];
            real open_weight[UNIT];
            for (int64_t j = 0; j < UNIT; j += WIDTH) {
                const vector_bits column = columns_from(i + j);
                const vector score = load(a + j), t = targets(column, rows->code[d]);
                const vector_bits open = (vector_bits)(t * score < one) & (vector_bits)(column < n_columns);
                vector value = t - score;
                if (rows->b)
                    value = load((const real *)rows->b + d * stride + i + j);
                store((real *)rows->out + d * stride + i + j, (vector)((vector_bits)(weight * value) & open));
                store(open_weight + j, (vector)((vector_bits)weight & open));
            }
            for (int64_t j = 0; j < UNIT; j += 4)
                *(four_doubles *)(total + i + j) += widened(open_weight + j);
        }
    restore_subnormals(before);
}

static void hinge_losses(const plsa_rows *rows, double *total, int64_t begin, int64_t end)
{
    const float_mode before = flush_subnormals();
    const int64_t stride = rows->stride;
    const vector_bits n_columns = (vector_bits){0} + (bits)rows->n_columns;
    memset(total, 0, (size_t)stride * sizeof(double));
    for (int64_t d = begin; d < end; d++)
        for (int64_t i = 0; i < stride; i += UNIT) {
            const double weight = ((const real *)rows->of_row)[d];
            real short_of[UNIT]; /* one, on the right side */
            for (int64_t j = 0; j < UNIT; j += WIDTH) {
                const int64_t at = d * stride + i + j;
                const vector_bits column = columns_from(i + j);
                const vector length = load((const real *)rows->of_column + i + j);
                const vector moved = length * load((const real *)rows->b + at);
                const vector score = load((const real *)rows->a + at) + moved;
                const vector lacking = 1 - targets(column, rows->code[d]) * score;
                const vector_bits open = (vector_bits)(lacking > (vector){0}) & (vector_bits)(column < n_columns);
                store(short_of + j, (vector)((vector_bits)lacking & open));
            }
            for (int64_t j = 0; j < UNIT; j += 4)
                *(four_doubles *)(total + i + j) += weight * widened(short_of + j) * widened(short_of + j);
        }
    restore_subnormals(before);
}

#define JOIN(a, b, c) plsa_loops_##a##_##b##_##c
#define NAME(a, b, c) JOIN(a, b, c)
extern const plsa_loops NAME(LEVEL, REAL, INDEX);
const plsa_loops NAME(LEVEL, REAL, INDEX) = {
    documents, words, states, fold, products, find, normalize_rows, sum_columns, scale_columns, sum_logs,
    unit_rows, sum_moves, leap, column_products, combine, divide, hinge_slopes, hinge_losses,
};
