/* Which variants of the loops there are, and which of them this processor can run. */
#include "loops.h"

#include <stddef.h>

#define DECLARE(level)                                                                                 \
    extern const plsa_loops plsa_loops_##level##_f32_i32, plsa_loops_##level##_f32_i64,                \
        plsa_loops_##level##_f64_i32, plsa_loops_##level##_f64_i64;
#define VARIANTS(level)                                                                                \
    {{&plsa_loops_##level##_f32_i32, &plsa_loops_##level##_f32_i64},                                   \
     {&plsa_loops_##level##_f64_i32, &plsa_loops_##level##_f64_i64}}

DECLARE(baseline)
#ifdef PLSA_HAS_X86_LEVELS
DECLARE(avx2)
DECLARE(avx512)
#endif

static const plsa_loops *const all[PLSA_LEVELS][2][2] = {
    [PLSA_BASELINE] = VARIANTS(baseline),
#ifdef PLSA_HAS_X86_LEVELS
    [PLSA_AVX2] = VARIANTS(avx2),
    [PLSA_AVX512] = VARIANTS(avx512),
#endif
};

const plsa_loops *plsa_find_loops(int level, int real_is_double, int index_is_64_bit)
{
    return all[level][real_is_double][index_is_64_bit];
}

int plsa_can_run(int level)
{
    if (level < 0 || level >= PLSA_LEVELS || all[level][0][0] == NULL)
        return 0;
#ifdef PLSA_HAS_X86_LEVELS
    __builtin_cpu_init();
    /* Exactly what the compiler was allowed to use: see the flags in meson.build. */
    if (level == PLSA_AVX2)
        return __builtin_cpu_supports("avx2") != 0;
    if (level == PLSA_AVX512)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("avx512f")
               && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")
               && __builtin_cpu_supports("avx512bw");
#endif
    return 1;
}

int plsa_is_checked(void)
{
#ifdef PLSA_CHECKED
    return 1;
#else
    return 0;
#endif
}
