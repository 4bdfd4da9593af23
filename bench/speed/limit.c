/* The limit: a loop that does nothing but move the rows that an EM pass must move.
 *
 * For every nonzero it reads the row of P(w|z) of its word and reads and writes the word's row of
 * expected counts. Rows are ROW floats. One addition a float is there so that both rows are used.
 * limit.py compiles it with the best options of the machine that it runs on.
 */
#include <stdint.h>

#ifndef ROW
#error "give the number of floats in a row: -DROW=40"
#endif

enum { AHEAD = 16, LINE = 64 / sizeof(float) };

static inline void move(const float *restrict from, float *restrict to)
{
    for (int k = 0; k < ROW; ++k)
        to[k] += from[k];
}

static inline void fetch(const float *from, const float *to)
{
    for (int k = 0; k < ROW; k += LINE) {
        __builtin_prefetch(from + k, 0);
        __builtin_prefetch(to + k, 1);
    }
    /* A row need not begin where a cache line does. */
    __builtin_prefetch(from + ROW - 1, 0);
    __builtin_prefetch(to + ROW - 1, 1);
}

void plsa_limit_plain(int64_t nonzeros, const int32_t *word, const float *from, float *to)
{
    for (int64_t i = 0; i < nonzeros; ++i)
        move(from + (int64_t)ROW * word[i], to + (int64_t)ROW * word[i]);
}

void plsa_limit_fetching(int64_t nonzeros, const int32_t *word, const float *from, float *to)
{
    int64_t i = 0;
    for (; i + AHEAD < nonzeros; ++i) {
        const int64_t later = (int64_t)ROW * word[i + AHEAD];
        fetch(from + later, to + later);
        move(from + (int64_t)ROW * word[i], to + (int64_t)ROW * word[i]);
    }
    for (; i < nonzeros; ++i)
        move(from + (int64_t)ROW * word[i], to + (int64_t)ROW * word[i]);
}
