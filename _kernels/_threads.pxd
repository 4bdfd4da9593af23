# OpenMP where the compiler has it, and the same code without it.
cdef extern from *:
    """
    #ifdef _OPENMP
    #include <omp.h>
    #define PLSA_OPENMP 1
    #else
    #define PLSA_OPENMP 0
    #define omp_get_thread_num() 0
    #endif
    """
    const bint PLSA_OPENMP
    int omp_get_thread_num() noexcept nogil
