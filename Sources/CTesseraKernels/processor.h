#ifndef TESSERA_PROCESSOR_H
#define TESSERA_PROCESSOR_H

// Kernels are written for vectors of 128 bits in the terms of SSE2, which neon.h maps to NEON, and again for AVX2 where
// it pays. Elsewhere the scalar forms run.

#if defined(__x86_64__)

#include <immintrin.h>

#define TESSERA_VECTORS 1

/// Compiles a function for AVX2; call it only where `tessera_has_avx2`.
#define AVX2 __attribute__((target("avx2")))

/// Whether kernels use AVX2: the processor has it, and no test has disallowed it.
int tessera_has_avx2(void);

/// The form for AVX2 where it may run, else the one for 128 bits.
#define WIDEST(avx2, form_128) (tessera_has_avx2() ? avx2 : form_128)

#elif defined(__aarch64__)

#include "neon.h"

#define TESSERA_VECTORS 1
#define WIDEST(avx2, form_128) (form_128)

#endif
#endif
