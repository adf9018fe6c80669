#include "tessera_jpeg.h"

#include "jpeg_lanes.h"

// The inverse DCT of Loeffler, Ligtenberg and Moschytz (ICASSP 1989) in the fixed-point arithmetic of libjpeg's "islow",
// columns, then rows.

// One pass over values in place, for a type of 32-bit lanes or a single uint32_t. `shift` has the bits to take off.
#define PASS(type, v, shift_right)                                                                                    \
    do {                                                                                                              \
        const type e = (v[2] + v[6]) * 4433u;                                                                         \
        const type e2 = e - v[6] * 15137u, e3 = e + v[2] * 6270u;                                                     \
        const type e0 = (v[0] + v[4]) << CONST_BITS, e1 = (v[0] - v[4]) << CONST_BITS;                                \
        const type a0 = e0 + e3, a3 = e0 - e3, a1 = e1 + e2, a2 = e1 - e2;                                            \
        const type z = (v[7] + v[3] + v[5] + v[1]) * 9633u;                                                           \
        const type z1 = (v[7] + v[1]) * 7373u, z2 = (v[5] + v[3]) * 20995u;                                           \
        const type z3 = z - (v[7] + v[3]) * 16069u, z4 = z - (v[5] + v[1]) * 3196u;                                   \
        const type b0 = v[7] * 2446u - z1 + z3, b1 = v[5] * 16819u - z2 + z4;                                         \
        const type b2 = v[3] * 25172u - z2 + z3, b3 = v[1] * 12299u - z1 + z4;                                        \
        v[0] = shift_right(a0 + b3);                                                                                  \
        v[7] = shift_right(a0 - b3);                                                                                  \
        v[1] = shift_right(a1 + b2);                                                                                  \
        v[6] = shift_right(a1 - b2);                                                                                  \
        v[2] = shift_right(a2 + b1);                                                                                  \
        v[5] = shift_right(a2 - b1);                                                                                  \
        v[3] = shift_right(a3 + b0);                                                                                  \
        v[4] = shift_right(a3 - b0);                                                                                  \
    } while (0)

/// Returns the bits of all products and of the first pass's results, each added to LIMIT.
static uint32_t transform_block_scalar(const int16_t *coefficients, const uint16_t *steps, unsigned bits,
                                       uint16_t *samples, size_t stride) {
    uint32_t values[64], reached = 0;
    const int first = CONST_BITS - pass_bits(bits), second = CONST_BITS + pass_bits(bits) + 3;
    for (int x = 0; x < 8; x++) {
        uint32_t v[8];
        for (int y = 0; y < 8; y++) {
            v[y] = (uint32_t)coefficients[8 * y + x] * steps[8 * y + x];
            reached |= v[y] + LIMIT;
        }
#define SHIFT(a) descaled(a, first)
        PASS(uint32_t, v, SHIFT);
#undef SHIFT
        for (int y = 0; y < 8; y++) {
            values[8 * y + x] = v[y];
            reached |= v[y] + LIMIT;
        }
    }
    for (int y = 0; y < 8; y++) {
        uint32_t *v = values + 8 * y;
#define SHIFT(a) descaled(a, second)
        PASS(uint32_t, v, SHIFT);
#undef SHIFT
        for (int x = 0; x < 8; x++)
            samples[(size_t)y * stride + (size_t)x] = level((int32_t)v[x], bits);
    }
    return reached;
}

bool tessera_jpeg_inverse_dct_scalar(const int16_t *coefficients, const uint64_t *masks, size_t count,
                                     const uint16_t *steps, unsigned bits, uint16_t *samples, size_t stride) {
    uint32_t reached = 0;
    for (size_t i = 0; i < count; i++) {
        if (masks[i] == 0)
            reached |= fill_block(coefficients[64 * i], steps[0], bits, 8, samples + 8 * i, stride);
        else
            reached |= transform_block_scalar(coefficients + 64 * i, steps, bits, samples + 8 * i, stride);
    }
    return (reached & BEYOND) == 0;
}

#if defined(TESSERA_VECTORS)

/// A block that has coefficients only in its first `used` rows and columns, 4 or 8.
LANES_INLINE void transform_block(const int16_t *coefficients, const uint16_t *steps, unsigned bits, int used,
                                  lanes *reached, uint16_t *samples, size_t stride) {
    const int first = CONST_BITS - pass_bits(bits), second = CONST_BITS + pass_bits(bits) + 3;
    const uint32_t first_half = 1u << (first - 1), second_half = 1u << (second - 1);
    lanes v[8];
    for (int y = 0; y < used; y++) {
        load_products(coefficients + 8 * y, steps + 8 * y, &v[y]);
        *reached |= v[y] + LIMIT;
    }
    // Terms of zero are folded away.
    for (int y = used; y < 8; y++)
        v[y] = (lanes){0};
#define SHIFT(a) (lanes)((signed_lanes)((a) + first_half) >> first)
    PASS(lanes, v, SHIFT);
#undef SHIFT
    for (int y = 0; y < 8; y++)
        *reached |= v[y] + LIMIT;
    transpose(v);
    for (int y = used; y < 8; y++)
        v[y] = (lanes){0};
#define SHIFT(a) (lanes)((signed_lanes)((a) + second_half) >> second)
    PASS(lanes, v, SHIFT);
#undef SHIFT
    transpose(v);
    for (int y = 0; y < 8; y++) {
        half_lanes row;
        clamp(&v[y], bits, &row);
        __builtin_memcpy(samples + (size_t)y * stride, &row, sizeof row);
    }
}

LANES bool transform_blocks(const int16_t *coefficients, const uint64_t *masks, size_t count, const uint16_t *steps,
                            unsigned bits, uint16_t *samples, size_t stride) {
    uint32_t reached_by_dc = 0;
    lanes reached = {0};
    for (size_t i = 0; i < count; i++, samples += 8, coefficients += 64) {
        if (masks[i] == 0)
            reached_by_dc |= fill_block(coefficients[0], steps[0], bits, 8, samples, stride);
        else if (masks[i] >> 10 == 0)
            // The first ten in zigzag order.
            transform_block(coefficients, steps, bits, 4, &reached, samples, stride);
        else
            transform_block(coefficients, steps, bits, 8, &reached, samples, stride);
    }
    return is_within_limit(&reached, reached_by_dc);
}

#endif

bool tessera_jpeg_inverse_dct(const int16_t *coefficients, const uint64_t *masks, size_t count, const uint16_t *steps,
                              unsigned bits, uint16_t *samples, size_t stride) {
#if defined(TESSERA_VECTORS)
    if (HAS_LANES)
        return transform_blocks(coefficients, masks, count, steps, bits, samples, stride);
#endif
    return tessera_jpeg_inverse_dct_scalar(coefficients, masks, count, steps, bits, samples, stride);
}
