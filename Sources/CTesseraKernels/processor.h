#ifndef TESSERA_PROCESSOR_H
#define TESSERA_PROCESSOR_H

#if defined(__x86_64__)

#include <immintrin.h>

/// Compiles a function for AVX2; call it only where `has_avx2`.
#define AVX2 __attribute__((target("avx2")))

/// Whether the processor has AVX2.
static inline int has_avx2(void) {
    static int known; // 0: not asked yet; every thread would find the same answer
    int answer = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (answer == 0) {
        __builtin_cpu_init();
        answer = __builtin_cpu_supports("avx2") ? 2 : 1;
        __atomic_store_n(&known, answer, __ATOMIC_RELAXED);
    }
    return answer == 2;
}

#endif
#endif
