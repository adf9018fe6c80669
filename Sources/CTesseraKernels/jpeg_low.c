#include "tessera_jpeg.h"

#include "jpeg_lanes.h"

// The inverse DCT of a block's lowest 2 × 2, 3 × 3, 4 × 4 or 6 × 6 frequencies, to as many samples. Where N of 8 frequencies are
// used for N samples, each sample is half the sum of F(k) C(k) cos((2x + 1)kπ / 2N), C(0) = √½, in either direction, whatever
// N is. Products are those of 16 bits, which wrap around only in damaged files.

static inline int32_t product(const int16_t *coefficients, const uint16_t *steps, int index) {
    return (int16_t)((uint32_t)coefficients[index] * steps[index]);
}

/// To 2 × 2 samples: all factors are √⅛.
static inline void transform_2(const int16_t *c, const uint16_t *steps, unsigned bits, uint16_t *samples,
                               size_t stride) {
    const int32_t a = product(c, steps, 0), b = product(c, steps, 1);
    const int32_t d = product(c, steps, 8), e = product(c, steps, 9);
    samples[0] = level((a + b + d + e + 4) >> 3, bits);
    samples[1] = level((a - b + d - e + 4) >> 3, bits);
    samples[stride] = level((a + b - d - e + 4) >> 3, bits);
    samples[stride + 1] = level((a - b - d + e + 4) >> 3, bits);
}

// One pass to three values: 10033, 5793 and 11585 are 2¹³ √2 times cos(π/6), cos(π/3) and 1. `shift` has the bits to take off.
#define PASS_3(type, v, descale, shift)                                                                               \
    do {                                                                                                              \
        const type first = v[0] << CONST_BITS, turned = v[1] * 10033u, near = first + v[2] * 5793u;                   \
        v[1] = descale(first - v[2] * 11585u, shift);                                                                 \
        v[0] = descale(near + turned, shift);                                                                         \
        v[2] = descale(near - turned, shift);                                                                         \
    } while (0)

// The same to four values; `shift` has the bits to take off. Without it they are 2¹³ √8 times too large: 10703 and 4433 are
// 2¹³ √2 cos(π/8) and 2¹³ √2 sin(π/8).
#define PASS_4(type, v, descale, shift)                                                                               \
    do {                                                                                                              \
        const type sum = (v[0] + v[2]) << CONST_BITS, difference = (v[0] - v[2]) << CONST_BITS;                       \
        const type outer = v[1] * 10703u + v[3] * 4433u, inner = v[1] * 4433u - v[3] * 10703u;                        \
        v[0] = descale(sum + outer, shift);                                                                           \
        v[1] = descale(difference + inner, shift);                                                                    \
        v[2] = descale(difference - inner, shift);                                                                    \
        v[3] = descale(sum - outer, shift);                                                                           \
    } while (0)

// The same to six values: 10033, 5793, 11585 and 2998 are 2¹³ √2 times cos(π/6), cos(π/3), 1 and sin(π/12).
#define PASS_6(type, v, descale, shift)                                                                               \
    do {                                                                                                              \
        const type first = v[0] << CONST_BITS, turned = v[2] * 10033u;                                                \
        const type near = first + v[4] * 5793u, middle = first - v[4] * 11585u;                                       \
        const type shared = (v[1] + v[5]) * 2998u, third = v[3] << CONST_BITS;                                        \
        const type outer = (v[1] << CONST_BITS) + third + shared, inner = (v[5] << CONST_BITS) - third + shared;      \
        const type between = (v[1] << CONST_BITS) - third - (v[5] << CONST_BITS);                                     \
        v[0] = descale(near + turned + outer, shift);                                                                 \
        v[1] = descale(middle + between, shift);                                                                      \
        v[2] = descale(near - turned + inner, shift);                                                                 \
        v[3] = descale(near - turned - inner, shift);                                                                 \
        v[4] = descale(middle - between, shift);                                                                      \
        v[5] = descale(near + turned - outer, shift);                                                                 \
    } while (0)

/// The bits that the passes take off: the first leaves two.
enum { FIRST_SHIFT = CONST_BITS - 2, SECOND_SHIFT = CONST_BITS + 2 + 3 };

static inline void pass_scalar(uint32_t *v, int side, int shift) {
    if (side == 3)
        PASS_3(uint32_t, v, descaled, shift);
    else if (side == 4)
        PASS_4(uint32_t, v, descaled, shift);
    else
        PASS_6(uint32_t, v, descaled, shift);
}

/// To 3 × 3, 4 × 4 or 6 × 6 samples.
static void transform_scalar(const int16_t *c, const uint16_t *steps, unsigned bits, int side, uint16_t *samples,
                             size_t stride) {
    uint32_t values[6][6];
    for (int x = 0; x < side; x++) {
        uint32_t v[6];
        for (int y = 0; y < side; y++)
            v[y] = (uint32_t)product(c, steps, 8 * y + x);
        pass_scalar(v, side, FIRST_SHIFT);
        for (int y = 0; y < side; y++)
            values[y][x] = v[y];
    }
    for (int y = 0; y < side; y++) {
        uint32_t *v = values[y];
        pass_scalar(v, side, SECOND_SHIFT);
        for (int x = 0; x < side; x++)
            samples[(size_t)y * stride + (size_t)x] = level((int32_t)v[x], bits);
    }
}

void tessera_jpeg_low_inverse_dct_scalar(const int16_t *coefficients, size_t count, const uint16_t *steps,
                                         unsigned bits, unsigned side, uint16_t *samples, size_t stride) {
    for (size_t i = 0; i < count; i++) {
        if (side == 2)
            transform_2(coefficients + 64 * i, steps, bits, samples + 2 * i, stride);
        else
            transform_scalar(coefficients + 64 * i, steps, bits, (int)side, samples + side * i, stride);
    }
}

#if defined(TESSERA_VECTORS)

/// The first four coefficients of a row of two blocks times their steps.
LANES_INLINE void load_products_of_two(const int16_t *first, const int16_t *second, const uint16_t *steps,
                                       lanes *products) {
    signed_half_lanes values;
    half_lanes factors;
    __builtin_memcpy(&values, first, 4 * sizeof(int16_t));
    __builtin_memcpy((int16_t *)&values + 4, second, 4 * sizeof(int16_t));
    __builtin_memcpy(&factors, steps, 4 * sizeof(uint16_t));
    __builtin_memcpy((uint16_t *)&factors + 4, steps, 4 * sizeof(uint16_t));
    const signed_half_lanes product = (signed_half_lanes)((half_lanes)values * factors);
    *products = (lanes)__builtin_convertvector(product, signed_lanes);
}

/// Exchanges rows and columns of four in each half.
LANES_INLINE void transpose_halves(lanes v[4]) {
    const lanes a = __builtin_shufflevector(v[0], v[1], 0, 8, 1, 9, 4, 12, 5, 13);
    const lanes b = __builtin_shufflevector(v[0], v[1], 2, 10, 3, 11, 6, 14, 7, 15);
    const lanes c = __builtin_shufflevector(v[2], v[3], 0, 8, 1, 9, 4, 12, 5, 13);
    const lanes d = __builtin_shufflevector(v[2], v[3], 2, 10, 3, 11, 6, 14, 7, 15);
    v[0] = __builtin_shufflevector(a, c, 0, 1, 8, 9, 4, 5, 12, 13);
    v[1] = __builtin_shufflevector(a, c, 2, 3, 10, 11, 6, 7, 14, 15);
    v[2] = __builtin_shufflevector(b, d, 0, 1, 8, 9, 4, 5, 12, 13);
    v[3] = __builtin_shufflevector(b, d, 2, 3, 10, 11, 6, 7, 14, 15);
}

/// Two neighbouring blocks to 3 × 3 or 4 × 4 samples each.
LANES_INLINE void transform_two(const int16_t *blocks, const uint16_t *steps, unsigned bits, int side,
                                uint16_t *samples, size_t stride) {
    lanes v[4] = {0};
    for (int y = 0; y < side; y++)
        load_products_of_two(blocks + 8 * y, blocks + 64 + 8 * y, steps + 8 * y, &v[y]);
    for (int pass = 0; pass < 2; pass++) {
        if (side == 3)
            PASS_3(lanes, v, DESCALED_LANES, pass ? SECOND_SHIFT : FIRST_SHIFT);
        else
            PASS_4(lanes, v, DESCALED_LANES, pass ? SECOND_SHIFT : FIRST_SHIFT);
        transpose_halves(v);
    }
    for (int y = 0; y < side; y++) {
        half_lanes row;
        clamp(&v[y], bits, &row);
        uint16_t *target = samples + (size_t)y * stride;
        if (side == 3) {
            // No more than the blocks' samples: another thread may write the next ones.
            row = __builtin_shufflevector(row, row, 0, 1, 2, 4, 5, 6, -1, -1);
            __builtin_memcpy(target, &row, 6 * sizeof(uint16_t));
        } else {
            __builtin_memcpy(target, &row, sizeof row);
        }
    }
}

LANES void transform_to_3(const int16_t *coefficients, size_t count, const uint16_t *steps, unsigned bits,
                          uint16_t *samples, size_t stride) {
    for (size_t i = 0; i + 2 <= count; i += 2)
        transform_two(coefficients + 64 * i, steps, bits, 3, samples + 3 * i, stride);
    if (count % 2)
        transform_scalar(coefficients + 64 * (count - 1), steps, bits, 3, samples + 3 * (count - 1), stride);
}

LANES void transform_to_4(const int16_t *coefficients, size_t count, const uint16_t *steps, unsigned bits,
                          uint16_t *samples, size_t stride) {
    for (size_t i = 0; i + 2 <= count; i += 2)
        transform_two(coefficients + 64 * i, steps, bits, 4, samples + 4 * i, stride);
    if (count % 2)
        transform_scalar(coefficients + 64 * (count - 1), steps, bits, 4, samples + 4 * (count - 1), stride);
}

/// The first two coefficients of a row of four blocks times their steps.
LANES_INLINE void load_pairs(const int16_t *blocks, const uint16_t *steps, lanes *products) {
    uint32_t pairs[4];
    for (int i = 0; i < 4; i++)
        __builtin_memcpy(&pairs[i], blocks + 64 * i, sizeof pairs[i]);
    half_lanes values;
    __builtin_memcpy(&values, pairs, sizeof values);
    const uint16_t a = steps[0], b = steps[1];
    *products = (lanes)__builtin_convertvector((signed_half_lanes)(values * (half_lanes){a, b, a, b, a, b, a, b}), signed_lanes);
}

LANES void transform_to_2(const int16_t *coefficients, size_t count, const uint16_t *steps, unsigned bits,
                          uint16_t *samples, size_t stride) {
    const lanes signs = {1, -1u, 1, -1u, 1, -1u, 1, -1u};
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        lanes upper, lower;
        load_pairs(coefficients + 64 * i, steps, &upper);
        load_pairs(coefficients + 64 * i + 8, steps + 8, &lower);
        const lanes down[2] = {upper + lower, upper - lower};
        for (int y = 0; y < 2; y++) {
            const lanes turned = __builtin_shufflevector(down[y], down[y], 1, 0, 3, 2, 5, 4, 7, 6);
            const lanes sums = DESCALED_LANES(turned + down[y] * signs, 3);
            half_lanes row;
            clamp(&sums, bits, &row);
            __builtin_memcpy(samples + 2 * i + (size_t)y * stride, &row, sizeof row);
        }
    }
    for (; i < count; i++)
        transform_2(coefficients + 64 * i, steps, bits, samples + 2 * i, stride);
}

/// A row of eight coefficients times their steps.
LANES_INLINE void load_short_products(const int16_t *coefficients, const uint16_t *steps, lanes *products) {
    half_lanes values, factors;
    __builtin_memcpy(&values, coefficients, sizeof values);
    __builtin_memcpy(&factors, steps, sizeof factors);
    *products = (lanes)__builtin_convertvector((signed_half_lanes)(values * factors), signed_lanes);
}

LANES void transform_to_6(const int16_t *coefficients, size_t count, const uint16_t *steps, unsigned bits,
                          uint16_t *samples, size_t stride) {
    for (size_t i = 0; i < count; i++) {
        lanes v[8] = {0};
        for (int y = 0; y < 6; y++)
            load_short_products(coefficients + 64 * i + 8 * y, steps + 8 * y, &v[y]);
        PASS_6(lanes, v, DESCALED_LANES, FIRST_SHIFT);
        transpose(v);
        PASS_6(lanes, v, DESCALED_LANES, SECOND_SHIFT);
        transpose(v);
        for (int y = 0; y < 6; y++) {
            half_lanes row;
            clamp(&v[y], bits, &row);
            // No more than the block's samples: another thread may write the next ones.
            __builtin_memcpy(samples + 6 * i + (size_t)y * stride, &row, 6 * sizeof(uint16_t));
        }
    }
}

#endif

void tessera_jpeg_low_inverse_dct(const int16_t *coefficients, size_t count, const uint16_t *steps, unsigned bits,
                                  unsigned side, uint16_t *samples, size_t stride) {
#if defined(TESSERA_VECTORS)
    if (HAS_LANES) {
        (side == 2 ? transform_to_2 : side == 3 ? transform_to_3 : side == 4 ? transform_to_4 : transform_to_6)(
            coefficients, count, steps, bits, samples, stride);
        return;
    }
#endif
    tessera_jpeg_low_inverse_dct_scalar(coefficients, count, steps, bits, side, samples, stride);
}
