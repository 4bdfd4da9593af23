/* The hot loops of one EM pass, built once for every instruction set, real and index type.
 *
 * Every variant gives the same bits: dot products are summed in sixty-four bytes of lanes whatever the
 * vector width, products and sums are never contracted, and each sum has one order, written in loops.c.
 */
#ifndef PLSA_LOOPS_H
#define PLSA_LOOPS_H

#include <stdint.h>

/* Rows of topics are padded with zeros to a multiple of this many bytes. */
#define PLSA_ROW_BYTES 32

/* What one pass reads and writes. Matrices are row-major, `stride` reals a row, padding zero. */
typedef struct {
    int64_t n_documents, n_words, n_states, stride;
    const int64_t *offset;        /* (D + 1)  where each document's nonzeros begin */
    const void *word;             /* (nnz)    the word of each nonzero, ascending in a document */
    const void *count;            /* (nnz)    n(d, w) */
    const void *weight;           /* (D)      how often each document counts; NULL: once */
    const int32_t *state;         /* (D)      the row of the gate each document uses; NULL: row 0 */
    const void *gate;             /* (S, K)   what a state allows; NULL for `words`: everything */
    const void *prior;            /* (S, K)   pseudo-counts of a state's topics; NULL: none */
    const void *doc_topic;        /* (D, K)   P(z|d) */
    const void *word_topic;       /* (W, K)   P(w|z); NULL for `words`: sums are left as they are */
    void *ratio;                  /* (nnz)    out: n / p(w, d), zero where p is zero */
    void *doc_count;              /* (D, K)   out: expected topic counts of each document */
    void *word_count;             /* (W, K)   out: expected topic counts of each word */
    double *state_count;          /* (S, K)   out: expected topic counts of each state */
    double *log_likelihood;       /* (D)      out: sum of n log p, p being at least the smallest normal number */
    double *log_prior;            /* (D)      out: sum of prior log P(z|d); NULL where prior is */
    int32_t *impossible;          /* (D)      out: nonzeros whose p is zero */
    const int64_t *segment;       /* (parts + 1, D)  where each part's words begin in each document */
} plsa_pass;

/* What folding documents into a fixed word side needs beside the pass. */
typedef struct {
    int64_t max_rounds;
    double tolerance;             /* settled: no topic moved by more than this */
    void *topic;                  /* (D, K)   in: the start; out: P(z|d) */
    int32_t *rounds;              /* (D)      out: updates made */
} plsa_fold;

/* Rows side by side, one stride for all, and what goes with each row and each column. */
typedef struct {
    int64_t stride, n_columns;    /* columns from n_columns on are padding */
    const void *a, *b;
    void *out;
    const void *of_row;           /* (n) */
    const void *of_column, *of_column_too; /* (stride) */
    const int32_t *code;          /* (n)      the column of each row whose target is 1, not -1 */
} plsa_rows;
/* What is added up of the rows from begin to end goes to `total`, a number a column. */
typedef void (*plsa_over_rows)(const plsa_rows *, double *total, int64_t begin, int64_t end);

/* begin and end are ranges of documents, words or topics: a caller writes only what is in its range.
 * `scratch` is room for two rows. */
typedef struct {
    /* ratio, doc_count, log_likelihood, log_prior, impossible of the documents */
    void (*documents)(const plsa_pass *, int64_t begin, int64_t end, void *scratch);
    /* word_count of the words of one part, from ratio */
    void (*words)(const plsa_pass *, int64_t part, int64_t begin, int64_t end, void *scratch);
    /* state_count of the topics, from doc_count */
    void (*states)(const plsa_pass *, int64_t begin, int64_t end);
    /* topic and log_likelihood of the documents, word_topic being fixed */
    void (*fold)(const plsa_pass *, const plsa_fold *, int64_t begin, int64_t end, void *scratch);
    /* doc_count[d] := the sum of n word_topic[w] over the nonzeros of the documents */
    void (*products)(const plsa_pass *, int64_t begin, int64_t end);
    /* where[d] := the first nonzero of document d whose word is not below `word` */
    void (*find)(const plsa_pass *, int64_t word, int64_t *where, int64_t begin, int64_t end);
    /* row := (row + prior[state]) / its sum, or fallback[state] where that sum is zero */
    void (*normalize_rows)(void *rows, const void *prior, const void *fallback, const int32_t *state,
                           int64_t stride, int64_t begin, int64_t end);
    /* total[z] := the sum of column z */
    void (*sum_columns)(const void *rows, double *total, int64_t stride, int64_t begin, int64_t end);
    /* column z := (column z + smoothing) scale[z] + keep[z] old column z */
    void (*scale_columns)(void *rows, const void *old, double smoothing, const void *scale,
                          const void *keep, int64_t stride, int64_t begin, int64_t end);
    /* the sum of weight[z] log row[z] over the rows */
    double (*sum_logs)(const void *rows, const void *weight, int64_t stride, int64_t begin, int64_t end);
    /* scaled = the values of sparse rows divided by the Euclidean length of their row, if it has any */
    void (*unit_rows)(const int64_t *offset, const void *values, void *scaled, int64_t begin, int64_t end);
    /* total[0] += |r|^2, total[1] += |v|^2, where r = x1 - x0 and v = (x2 - x1) - r, a row counting
     * weight times; NULL: once */
    void (*sum_moves)(const void *x0, const void *x1, const void *x2, const void *weight, double *total,
                      int64_t stride, int64_t begin, int64_t end);
    /* x0 := max(x0 + 2 length r + length^2 v, least x2), written as it rounds best from x2 */
    void (*leap)(void *x0, const void *x1, const void *x2, double length, double least,
                 int64_t stride, int64_t begin, int64_t end);
    /* With t the target of a row in a column: */
    /* total := the sum of a b */
    plsa_over_rows column_products;
    /* out := of_column out + of_column_too a */
    plsa_over_rows combine;
    /* out := a / (1 + of_row of_column), total := the sum of a out */
    plsa_over_rows divide;
    /* out := of_row b, or of_row (t - a) where b is NULL, if t a < 1, else 0; total := the sum of of_row of
     * these */
    plsa_over_rows hinge_slopes;
    /* total := the sum of of_row max(0, 1 - t (a + of_column b))^2 */
    plsa_over_rows hinge_losses;
} plsa_loops;

enum { PLSA_BASELINE, PLSA_AVX2, PLSA_AVX512, PLSA_LEVELS };

/* The loops of a level, or NULL where they were not built. */
const plsa_loops *plsa_find_loops(int level, int real_is_double, int index_is_64_bit);
/* Whether the level was built and this processor can run it. */
int plsa_can_run(int level);
/* Whether every row is looked at before it is touched (-Dchecked=true). */
int plsa_is_checked(void);

#endif
