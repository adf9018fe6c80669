#ifndef TESSERA_PROCESSOR_H
#define TESSERA_PROCESSOR_H

#if defined(__x86_64__)

#include <immintrin.h>

/// Compiles a function for AVX2; call it only where `tessera_has_avx2`.
#define AVX2 __attribute__((target("avx2")))

/// Whether AVX2 is to be used.
int tessera_has_avx2(void);

#endif
#endif
