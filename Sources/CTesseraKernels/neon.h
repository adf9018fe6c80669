#ifndef TESSERA_NEON_H
#define TESSERA_NEON_H

// The SSE2 operations that the kernels use, by NEON, under the names that Intel gave them, so that one body serves both.
// Each gives what SSE2 gives for every input, apart from two that say otherwise. NEON always rounds by IEEE 754 on ARM64,
// and a product and a sum stay two operations as long as the compiler doesn't join them (GCC: -ffp-contract=off).

#include <arm_neon.h>
#include <stdint.h>

typedef int64x2_t __m128i;
typedef float32x4_t __m128;
typedef float64x2_t __m128d;

// Loading and storing

static inline __m128i _mm_loadu_si128(const __m128i *p) { return (__m128i)vld1q_u8((const uint8_t *)p); }
static inline __m128i _mm_loadl_epi64(const __m128i *p) {
    return (__m128i)vcombine_u8(vld1_u8((const uint8_t *)p), vdup_n_u8(0));
}
static inline void _mm_storeu_si128(__m128i *p, __m128i v) { vst1q_u8((uint8_t *)p, (uint8x16_t)v); }
static inline void _mm_storel_epi64(__m128i *p, __m128i v) { vst1_u8((uint8_t *)p, vget_low_u8((uint8x16_t)v)); }

static inline __m128i _mm_setzero_si128(void) { return vdupq_n_s64(0); }
static inline __m128i _mm_set1_epi8(int8_t v) { return (__m128i)vdupq_n_s8(v); }
static inline __m128i _mm_set1_epi16(int16_t v) { return (__m128i)vdupq_n_s16(v); }
static inline __m128i _mm_set1_epi32(int32_t v) { return (__m128i)vdupq_n_s32(v); }
static inline __m128i _mm_set1_epi64x(int64_t v) { return vdupq_n_s64(v); }
static inline __m128i _mm_setr_epi16(int16_t a, int16_t b, int16_t c, int16_t d, int16_t e, int16_t f, int16_t g,
                                     int16_t h) {
    return (__m128i)(int16x8_t){a, b, c, d, e, f, g, h};
}
static inline __m128i _mm_cvtsi32_si128(int32_t v) { return (__m128i)vsetq_lane_s32(v, vdupq_n_s32(0), 0); }
static inline int32_t _mm_cvtsi128_si32(__m128i v) { return vgetq_lane_s32((int32x4_t)v, 0); }
static inline int64_t _mm_cvtsi128_si64(__m128i v) { return vgetq_lane_s64(v, 0); }

// Lane by lane

#define BINARY(name, lanes, operation)                                                                                \
    static inline __m128i name(__m128i a, __m128i b) { return (__m128i)operation((lanes)a, (lanes)b); }

BINARY(_mm_and_si128, uint8x16_t, vandq_u8)
BINARY(_mm_or_si128, uint8x16_t, vorrq_u8)
BINARY(_mm_xor_si128, uint8x16_t, veorq_u8)
BINARY(_mm_add_epi8, uint8x16_t, vaddq_u8)
BINARY(_mm_add_epi16, uint16x8_t, vaddq_u16)
BINARY(_mm_add_epi32, uint32x4_t, vaddq_u32)
BINARY(_mm_add_epi64, uint64x2_t, vaddq_u64)
BINARY(_mm_adds_epu8, uint8x16_t, vqaddq_u8)
BINARY(_mm_adds_epi16, int16x8_t, vqaddq_s16)
BINARY(_mm_sub_epi8, uint8x16_t, vsubq_u8)
BINARY(_mm_sub_epi16, uint16x8_t, vsubq_u16)
BINARY(_mm_subs_epu8, uint8x16_t, vqsubq_u8)
BINARY(_mm_avg_epu8, uint8x16_t, vrhaddq_u8)
BINARY(_mm_min_epu8, uint8x16_t, vminq_u8)
BINARY(_mm_min_epi16, int16x8_t, vminq_s16)
BINARY(_mm_max_epi16, int16x8_t, vmaxq_s16)
BINARY(_mm_cmpeq_epi8, uint8x16_t, vceqq_u8)
BINARY(_mm_cmpeq_epi16, uint16x8_t, vceqq_u16)
BINARY(_mm_mullo_epi16, uint16x8_t, vmulq_u16)
// (a × b + 16384) >> 15, of SSSE3. -32768 × -32768 gives 32767 here and -32768 there.
BINARY(_mm_mulhrs_epi16, int16x8_t, vqrdmulhq_s16)

static inline __m128i _mm_andnot_si128(__m128i a, __m128i b) { return (__m128i)vbicq_u8((uint8x16_t)b, (uint8x16_t)a); }

static inline __m128i _mm_mulhi_epi16(__m128i a, __m128i b) {
    const int32x4_t lo = vmull_s16(vget_low_s16((int16x8_t)a), vget_low_s16((int16x8_t)b));
    return (__m128i)vuzp2q_s16((int16x8_t)lo, (int16x8_t)vmull_high_s16((int16x8_t)a, (int16x8_t)b));
}
static inline __m128i _mm_mulhi_epu16(__m128i a, __m128i b) {
    const uint32x4_t lo = vmull_u16(vget_low_u16((uint16x8_t)a), vget_low_u16((uint16x8_t)b));
    return (__m128i)vuzp2q_u16((uint16x8_t)lo, (uint16x8_t)vmull_high_u16((uint16x8_t)a, (uint16x8_t)b));
}
static inline __m128i _mm_madd_epi16(__m128i a, __m128i b) {
    const int32x4_t lo = vmull_s16(vget_low_s16((int16x8_t)a), vget_low_s16((int16x8_t)b));
    return (__m128i)vpaddq_s32(lo, vmull_high_s16((int16x8_t)a, (int16x8_t)b));
}
static inline __m128i _mm_sad_epu8(__m128i a, __m128i b) {
    return (__m128i)vpaddlq_u32(vpaddlq_u16(vpaddlq_u8(vabdq_u8((uint8x16_t)a, (uint8x16_t)b))));
}

// Shifts

#define _mm_slli_epi16(v, n) ((__m128i)((uint16x8_t)(v) << (n)))
#define _mm_slli_epi32(v, n) ((__m128i)((uint32x4_t)(v) << (n)))
#define _mm_srli_epi16(v, n) ((__m128i)((uint16x8_t)(v) >> (n)))
#define _mm_srli_epi32(v, n) ((__m128i)((uint32x4_t)(v) >> (n)))
#define _mm_srai_epi16(v, n) ((__m128i)((int16x8_t)(v) >> (n)))
#define _mm_srai_epi32(v, n) ((__m128i)((int32x4_t)(v) >> (n)))
#define _mm_slli_si128(v, n) ((__m128i)vextq_u8(vdupq_n_u8(0), (uint8x16_t)(v), 16 - (n)))
#define _mm_srli_si128(v, n) ((__m128i)vextq_u8((uint8x16_t)(v), vdupq_n_u8(0), (n)))

// By the count in the first lane, 0 to 31.
static inline __m128i _mm_sra_epi32(__m128i v, __m128i count) {
    return (__m128i)vshlq_s32((int32x4_t)v, vdupq_n_s32(-_mm_cvtsi128_si32(count)));
}

// Rearranging

BINARY(_mm_unpacklo_epi8, uint8x16_t, vzip1q_u8)
BINARY(_mm_unpackhi_epi8, uint8x16_t, vzip2q_u8)
BINARY(_mm_unpacklo_epi16, uint16x8_t, vzip1q_u16)
BINARY(_mm_unpackhi_epi16, uint16x8_t, vzip2q_u16)
BINARY(_mm_unpacklo_epi32, uint32x4_t, vzip1q_u32)
BINARY(_mm_unpackhi_epi32, uint32x4_t, vzip2q_u32)
BINARY(_mm_unpacklo_epi64, uint64x2_t, vzip1q_u64)
BINARY(_mm_unpackhi_epi64, uint64x2_t, vzip2q_u64)

#undef BINARY

static inline __m128i _mm_packs_epi32(__m128i a, __m128i b) {
    return (__m128i)vqmovn_high_s32(vqmovn_s32((int32x4_t)a), (int32x4_t)b);
}
static inline __m128i _mm_packus_epi16(__m128i a, __m128i b) {
    return (__m128i)vqmovun_high_s16(vqmovun_s16((int16x8_t)a), (int16x8_t)b);
}
static inline int _mm_movemask_epi8(__m128i v) {
    const uint8x16_t places = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t bits = vandq_u8((uint8x16_t)((int8x16_t)v >> 7), places);
    return vaddv_u8(vget_low_u8(bits)) | vaddv_u8(vget_high_u8(bits)) << 8;
}

#define _mm_shuffle_epi32(v, i)                                                                                       \
    ((__m128i)__builtin_shufflevector((int32x4_t)(v), (int32x4_t)(v), (i) & 3, (i) >> 2 & 3, (i) >> 4 & 3, (i) >> 6))
#define _mm_shufflelo_epi16(v, i)                                                                                     \
    ((__m128i)__builtin_shufflevector((int16x8_t)(v), (int16x8_t)(v), (i) & 3, (i) >> 2 & 3, (i) >> 4 & 3, (i) >> 6, 4, \
                                      5, 6, 7))
#define _mm_shufflehi_epi16(v, i)                                                                                     \
    ((__m128i)__builtin_shufflevector((int16x8_t)(v), (int16x8_t)(v), 0, 1, 2, 3, 4 + ((i) & 3), 4 + ((i) >> 2 & 3),    \
                                      4 + ((i) >> 4 & 3), 4 + ((i) >> 6)))
#define _mm_shuffle_ps(a, b, i)                                                                                       \
    __builtin_shufflevector((__m128)(a), (__m128)(b), (i) & 3, (i) >> 2 & 3, 4 + ((i) >> 4 & 3), 4 + ((i) >> 6))
#define _mm_shuffle_pd(a, b, i) __builtin_shufflevector((__m128d)(a), (__m128d)(b), (i) & 1, 2 + ((i) >> 1 & 1))
#define _mm_castsi128_pd(v) ((__m128d)(v))
#define _mm_castpd_si128(v) ((__m128i)(v))

// Floating point

static inline __m128 _mm_setzero_ps(void) { return vdupq_n_f32(0); }
static inline __m128 _mm_set1_ps(float v) { return vdupq_n_f32(v); }
static inline __m128 _mm_add_ps(__m128 a, __m128 b) { return vaddq_f32(a, b); }
static inline __m128 _mm_sub_ps(__m128 a, __m128 b) { return vsubq_f32(a, b); }
static inline __m128 _mm_mul_ps(__m128 a, __m128 b) { return vmulq_f32(a, b); }
static inline __m128 _mm_div_ps(__m128 a, __m128 b) { return vdivq_f32(a, b); }
static inline __m128 _mm_min_ps(__m128 a, __m128 b) { return vminq_f32(a, b); }
static inline __m128 _mm_max_ps(__m128 a, __m128 b) { return vmaxq_f32(a, b); }
static inline __m128 _mm_cvtepi32_ps(__m128i v) { return vcvtq_f32_s32((int32x4_t)v); }
// Values that 32 bits hold; others are limited here and become INT32_MIN there.
static inline __m128i _mm_cvttps_epi32(__m128 v) { return (__m128i)vcvtq_s32_f32(v); }

#endif
