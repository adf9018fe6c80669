#include "tessera_similarity.h"

#include "processor.h"

#include <stdint.h>
#include <string.h>

// Written once, in vectors of eight floats, which the compiler makes of what the processor has. The same operations in the
// same order everywhere: no product is contracted with a sum.
#pragma STDC FP_CONTRACT OFF

typedef float Floats __attribute__((vector_size(32)));
typedef int32_t Words __attribute__((vector_size(32)));
typedef double Doubles __attribute__((vector_size(64)));

enum { LANES = 8, REACH = 4, ROWS = 2 * REACH + 1 };

#define INLINE static inline __attribute__((always_inline))

INLINE void load(Floats *vector, const float *values) {
    memcpy(vector, values, sizeof *vector);
}

INLINE void store(float *values, const Floats *vector) {
    memcpy(values, vector, sizeof *vector);
}

/// The cube root of positive values: a guess by the exponent, and two of Halley's steps, each of which triples its digits.
INLINE void take_cube_root(Floats *values) {
    const Floats x = *values;
    const Words third = __builtin_convertvector(__builtin_convertvector((Words)x, Floats) * (1.0f / 3), Words);
    Floats y = (Floats)(third + 709952000);
    for (int step = 0; step < 2; step++) {
        const Floats cube = y * y * y;
        y = y * (cube + x + x) / (cube + cube + x);
    }
    *values = y;
}

/// XYB as JPEG XL defines it (ISO/IEC 18181-1, L.2.2), for a white of 1.
INLINE void xyb_of(const float *red, const float *green, const float *blue, float *x, float *y, float *b) {
    const float bias = 0.0037930732552754493f, root = 0.15595420054936f;
    Floats r, g, l;
    load(&r, red);
    load(&g, green);
    load(&l, blue);
    Floats first = 0.30f * r + 0.622f * g + 0.078f * l + bias;
    Floats second = 0.23f * r + 0.692f * g + 0.078f * l + bias;
    Floats third = 0.24342268924547819f * r + 0.20476744424496821f * g + 0.5518098665095536f * l + bias;
    take_cube_root(&first);
    take_cube_root(&second);
    take_cube_root(&third);
    first -= root;
    second -= root;
    third -= root;
    const Floats middle = 0.5f * (first + second);
    const Floats opponent = 0.5f * (first - second) * 14 + 0.42f, light = middle + 0.01f, rest = third - middle + 0.55f;
    store(x, &opponent);
    store(y, &light);
    store(b, &rest);
}

INLINE void xyb(const float *red, const float *green, const float *blue, float *x, float *y, float *b, size_t count) {
    size_t at = 0;
    for (; at + LANES <= count; at += LANES)
        xyb_of(red + at, green + at, blue + at, x + at, y + at, b + at);
    if (at == count) return;
    float rest[6][LANES] = {{0}};
    const size_t left = (count - at) * sizeof(float);
    memcpy(rest[0], red + at, left);
    memcpy(rest[1], green + at, left);
    memcpy(rest[2], blue + at, left);
    xyb_of(rest[0], rest[1], rest[2], rest[3], rest[4], rest[5]);
    memcpy(x + at, rest[3], left);
    memcpy(y + at, rest[4], left);
    memcpy(b + at, rest[5], left);
}

/// The values at a distance from a place, or their products.
INLINE void load_product(Floats *vector, const float *first, const float *second, ptrdiff_t distance) {
    load(vector, first + distance);
    if (!second) return;
    Floats other;
    load(&other, second + distance);
    *vector *= other;
}

INLINE void blur(const float *first, const float *second, const float *weights, float *result, size_t count) {
    size_t at = 0;
    for (; at + LANES <= count; at += LANES) {
        const float *one = first + at, *two = second ? second + at : NULL;
        Floats sum, before, after;
        load_product(&sum, one, two, 0);
        sum *= weights[0];
        for (int distance = 1; distance <= REACH; distance++) {
            load_product(&before, one, two, -distance);
            load_product(&after, one, two, distance);
            sum += weights[distance] * (before + after);
        }
        store(result + at, &sum);
    }
    for (; at < count; at++) {
        float sum = weights[0] * (first[at] * (second ? second[at] : 1));
        for (size_t distance = 1; distance <= REACH; distance++) {
            const float before = first[at - distance] * (second ? second[at - distance] : 1);
            const float after = first[at + distance] * (second ? second[at + distance] : 1);
            sum += weights[distance] * (before + after);
        }
        result[at] = sum;
    }
}

INLINE void blur_down(Floats *sum, const float *const *rows, const float *weights, size_t at) {
    Floats above, below;
    load(sum, rows[REACH] + at);
    *sum *= weights[0];
    for (int distance = 1; distance <= REACH; distance++) {
        load(&above, rows[REACH - distance] + at);
        load(&below, rows[REACH + distance] + at);
        *sum += weights[distance] * (above + below);
    }
}

INLINE void make_positive(Floats *values) {
    *values = (Floats)((Words)*values & (Words)(*values > 0));
}

INLINE void make_absolute(Floats *values) {
    *values = (Floats)((Words)*values & 0x7FFFFFFF);
}

INLINE void add_error(Doubles *sums, const Floats *error) {
    const Doubles value = __builtin_convertvector(*error, Doubles);
    const Doubles square = value * value;
    sums[0] += value;
    sums[1] += square * square;
}

/// Adds the errors of eight pixels to six vectors of sums; those that `mask` excludes count nothing.
INLINE void compare_at(const float *const rows[5][ROWS], const float *weights, const float *first, const float *second,
                       size_t at, const Words *mask, Doubles *sums) {
    Floats mean1, mean2, square1, square2, product, value1, value2;
    blur_down(&mean1, rows[0], weights, at);
    blur_down(&mean2, rows[1], weights, at);
    blur_down(&square1, rows[2], weights, at);
    blur_down(&square2, rows[3], weights, at);
    blur_down(&product, rows[4], weights, at);
    load(&value1, first);
    load(&value2, second);
    const float stabilizer = 0.0009f;
    const Floats light = 1 - (mean1 - mean2) * (mean1 - mean2);
    const Floats common = 2 * (product - mean1 * mean2) + stabilizer;
    const Floats variances = (square1 - mean1 * mean1) + (square2 - mean2 * mean2) + stabilizer;
    Floats structure = 1 - light * common / variances;
    make_positive(&structure);
    Floats edge1 = value1 - mean1, edge2 = value2 - mean2;
    make_absolute(&edge1);
    make_absolute(&edge2);
    const Floats change = (1 + edge2) / (1 + edge1) - 1;
    Floats added = change, lost = -change;
    make_positive(&added);
    make_positive(&lost);
    if (mask) {
        structure = (Floats)((Words)structure & *mask);
        added = (Floats)((Words)added & *mask);
        lost = (Floats)((Words)lost & *mask);
    }
    add_error(sums, &structure);
    add_error(sums + 2, &added);
    add_error(sums + 4, &lost);
}

INLINE void compare(const float *blurred, size_t stride, size_t rowStride, size_t oldest, const float *weights,
                    const float *first, const float *second, size_t count, double *sums) {
    const float *rows[5][ROWS];
    for (size_t plane = 0; plane < 5; plane++)
        for (size_t row = 0; row < ROWS; row++)
            rows[plane][row] = blurred + (oldest + row) % ROWS * rowStride + plane * stride;
    Doubles totals[6];
    memset(totals, 0, sizeof totals);
    size_t at = 0;
    for (; at + LANES <= count; at += LANES)
        compare_at(rows, weights, first + at, second + at, at, NULL, totals);
    if (at < count) {
        // The last pixels, copied so that eight can be read.
        float rest[5][ROWS][LANES] = {{{0}}}, values[2][LANES] = {{0}};
        const float *copies[5][ROWS];
        const size_t left = (count - at) * sizeof(float);
        for (size_t plane = 0; plane < 5; plane++)
            for (size_t row = 0; row < ROWS; row++) {
                memcpy(rest[plane][row], rows[plane][row] + at, left);
                copies[plane][row] = rest[plane][row];
            }
        memcpy(values[0], first + at, left);
        memcpy(values[1], second + at, left);
        Words mask;
        for (size_t lane = 0; lane < LANES; lane++)
            mask[lane] = lane < count - at ? -1 : 0;
        compare_at(copies, weights, values[0], values[1], 0, &mask, totals);
    }
    for (size_t sum = 0; sum < 6; sum++)
        for (size_t lane = 0; lane < LANES; lane++)
            sums[sum] += totals[sum][lane];
}

INLINE void halve(const float *upper, const float *lower, float *result, size_t count) {
    for (size_t at = 0; at < count / 2; at++)
        result[at] = (upper[2 * at] + upper[2 * at + 1] + lower[2 * at] + lower[2 * at + 1]) * 0.25f;
    if (count % 2) result[count / 2] = (2 * upper[count - 1] + 2 * lower[count - 1]) * 0.25f;
}

// Each part in two forms: for AVX2, and for what every processor of its kind has.
#if defined(AVX2)
#define FORMS(name, parameters, arguments)                                                                                 \
    AVX2 static void name##_avx2 parameters {                                                                              \
        name arguments;                                                                                                    \
    }                                                                                                                      \
    void tessera_similarity_##name parameters {                                                                            \
        if (tessera_has_avx2())                                                                                            \
            name##_avx2 arguments;                                                                                         \
        else                                                                                                               \
            name arguments;                                                                                                \
    }
#else
#define FORMS(name, parameters, arguments)                                                                                 \
    void tessera_similarity_##name parameters {                                                                            \
        name arguments;                                                                                                    \
    }
#endif

FORMS(xyb, (const float *red, const float *green, const float *blue, float *x, float *y, float *b, size_t count),
      (red, green, blue, x, y, b, count))
FORMS(blur, (const float *first, const float *second, const float *weights, float *result, size_t count),
      (first, second, weights, result, count))
FORMS(compare,
      (const float *blurred, size_t stride, size_t rowStride, size_t oldest, const float *weights, const float *first,
       const float *second, size_t count, double *sums),
      (blurred, stride, rowStride, oldest, weights, first, second, count, sums))
FORMS(halve, (const float *upper, const float *lower, float *result, size_t count), (upper, lower, result, count))
