#include "tessera_jpeg.h"

#include "jpeg_lanes.h"

// The inverse DCT at 1/2, 1/4 and 1/8 of a block's size, in the fixed-point arithmetic of libjpeg's reduced-size forms:
// the even frequencies of an 8-point transform give the sums of 8 / side neighbouring samples, the odd ones their
// differences. Columns, then rows. At 1/2 the frequency 4 doesn't matter, at 1/4 neither 2, 4 nor 6, at 1/8 none but 0.

// One pass, of which the first four or two values are the result. `shift` has the bits to take off.
#define PASS_4(type, v, shift_right)                                                                                  \
    do {                                                                                                              \
        const type even = v[0] << (CONST_BITS + 1), turned = v[2] * 15137u - v[6] * 6270u;                            \
        const type sum = even + turned, difference = even - turned;                                                   \
        const type inner = v[5] * 11893u - v[7] * 1730u - v[3] * 17799u + v[1] * 8697u;                               \
        const type outer = v[3] * 7373u - v[7] * 4176u - v[5] * 4926u + v[1] * 20995u;                                \
        v[0] = shift_right(sum + outer);                                                                              \
        v[3] = shift_right(sum - outer);                                                                              \
        v[1] = shift_right(difference + inner);                                                                       \
        v[2] = shift_right(difference - inner);                                                                       \
    } while (0)

#define PASS_2(type, v, shift_right)                                                                                  \
    do {                                                                                                              \
        const type even = v[0] << (CONST_BITS + 2);                                                                   \
        const type odd = v[5] * 6967u - v[7] * 5906u - v[3] * 10426u + v[1] * 29692u;                                 \
        v[0] = shift_right(even + odd);                                                                               \
        v[1] = shift_right(even - odd);                                                                               \
    } while (0)

/// The bits that the first pass takes off; the second takes off `second_shift`.
static inline int first_shift(unsigned bits, int side) {
    return CONST_BITS - pass_bits(bits) + (side == 4 ? 1 : 2);
}

static inline int second_shift(unsigned bits, int side) {
    return CONST_BITS + pass_bits(bits) + 3 + (side == 4 ? 1 : 2);
}

/// Returns the bits of all products and of the first pass's results, each added to LIMIT.
static uint32_t reduce_block_scalar(const int16_t *coefficients, const uint16_t *steps, unsigned bits, int side,
                                    uint16_t *samples, size_t stride) {
    uint32_t values[4][8], reached = 0;
    const int first = first_shift(bits, side), second = second_shift(bits, side);
    for (int x = 0; x < 8; x++) {
        uint32_t v[8];
        for (int y = 0; y < 8; y++) {
            v[y] = (uint32_t)coefficients[8 * y + x] * steps[8 * y + x];
            reached |= v[y] + LIMIT;
        }
#define SHIFT(a) descaled(a, first)
        if (side == 4)
            PASS_4(uint32_t, v, SHIFT);
        else
            PASS_2(uint32_t, v, SHIFT);
#undef SHIFT
        for (int y = 0; y < side; y++) {
            values[y][x] = v[y];
            reached |= v[y] + LIMIT;
        }
    }
    for (int y = 0; y < side; y++) {
        uint32_t *v = values[y];
#define SHIFT(a) descaled(a, second)
        if (side == 4)
            PASS_4(uint32_t, v, SHIFT);
        else
            PASS_2(uint32_t, v, SHIFT);
#undef SHIFT
        for (int x = 0; x < side; x++)
            samples[(size_t)y * stride + (size_t)x] = level((int32_t)v[x], bits);
    }
    return reached;
}

bool tessera_jpeg_reduced_inverse_dct_scalar(const int16_t *coefficients, const uint64_t *masks, size_t count,
                                             const uint16_t *steps, unsigned bits, unsigned side, uint16_t *samples,
                                             size_t stride) {
    uint32_t reached = 0;
    for (size_t i = 0; i < count; i++) {
        uint16_t *target = samples + side * i;
        if (side == 1 || masks[i] == 0)
            reached |= fill_block(coefficients[64 * i], steps[0], bits, (int)side, target, stride);
        else
            reached |= reduce_block_scalar(coefficients + 64 * i, steps, bits, (int)side, target, stride);
    }
    return (reached & BEYOND) == 0;
}

#if defined(TESSERA_VECTORS)

/// Two blocks: their four rows each fill the lanes of the second pass.
LANES_INLINE void reduce_to_4(const int16_t *const blocks[2], const uint16_t *steps, unsigned bits, lanes *reached,
                              uint16_t *const samples[2], size_t stride) {
    const int first = first_shift(bits, 4), second = second_shift(bits, 4);
    const uint32_t first_half = 1u << (first - 1), second_half = 1u << (second - 1);
    lanes rows[8];
    for (int i = 0; i < 2; i++) {
        lanes v[8];
        for (int y = 0; y < 8; y++) {
            load_products(blocks[i] + 8 * y, steps + 8 * y, &v[y]);
            *reached |= v[y] + LIMIT;
        }
#define SHIFT(a) (lanes)((signed_lanes)((a) + first_half) >> first)
        PASS_4(lanes, v, SHIFT);
#undef SHIFT
        for (int y = 0; y < 4; y++) {
            *reached |= v[y] + LIMIT;
            rows[4 * i + y] = v[y];
        }
    }
    transpose(rows);
#define SHIFT(a) (lanes)((signed_lanes)((a) + second_half) >> second)
    PASS_4(lanes, rows, SHIFT);
#undef SHIFT
    for (int x = 4; x < 8; x++)
        rows[x] = rows[0];
    transpose(rows);
    for (int y = 0; y < 8; y++) {
        half_lanes row;
        clamp(&rows[y], bits, &row);
        __builtin_memcpy(samples[y / 4] + (size_t)(y % 4) * stride, &row, 4 * sizeof(uint16_t));
    }
}

/// Four blocks: their two rows each fill the lanes of the second pass.
LANES_INLINE void reduce_to_2(const int16_t *const blocks[4], const uint16_t *steps, unsigned bits, lanes *reached,
                              uint16_t *const samples[4], size_t stride) {
    const int first = first_shift(bits, 2), second = second_shift(bits, 2);
    const uint32_t first_half = 1u << (first - 1), second_half = 1u << (second - 1);
    lanes rows[8];
    for (int i = 0; i < 4; i++) {
        lanes v[8];
        for (int y = 0; y < 8; y++) {
            load_products(blocks[i] + 8 * y, steps + 8 * y, &v[y]);
            *reached |= v[y] + LIMIT;
        }
#define SHIFT(a) (lanes)((signed_lanes)((a) + first_half) >> first)
        PASS_2(lanes, v, SHIFT);
#undef SHIFT
        for (int y = 0; y < 2; y++) {
            *reached |= v[y] + LIMIT;
            rows[2 * i + y] = v[y];
        }
    }
    transpose(rows);
#define SHIFT(a) (lanes)((signed_lanes)((a) + second_half) >> second)
    PASS_2(lanes, rows, SHIFT);
#undef SHIFT
    half_lanes left, right;
    clamp(&rows[0], bits, &left);
    clamp(&rows[1], bits, &right);
    for (int i = 0; i < 4; i++)
        for (int y = 0; y < 2; y++) {
            samples[i][(size_t)y * stride] = left[2 * i + y];
            samples[i][(size_t)y * stride + 1] = right[2 * i + y];
        }
}

/// Transforms as many blocks at a time as fill the lanes; those that have only DC don't count.
LANES bool reduce_blocks(const int16_t *coefficients, const uint64_t *masks, size_t count, const uint16_t *steps,
                         unsigned bits, unsigned side, uint16_t *samples, size_t stride) {
    uint32_t reached_by_dc = 0;
    lanes reached = {0};
    const int16_t *blocks[4];
    uint16_t *targets[4];
    unsigned waiting = 0;
    for (size_t i = 0; i < count; i++) {
        const int16_t *block = coefficients + 64 * i;
        uint16_t *target = samples + side * i;
        if (masks[i] == 0) {
            reached_by_dc |= fill_block(block[0], steps[0], bits, (int)side, target, stride);
            if (i + 1 < count)
                continue;
        } else {
            blocks[waiting] = block;
            targets[waiting++] = target;
        }
        if (waiting == 0 || (waiting < 8 / side && i + 1 < count))
            continue;
        // The last ones are completed by their first.
        for (; waiting < 8 / side; waiting++) {
            blocks[waiting] = blocks[0];
            targets[waiting] = targets[0];
        }
        waiting = 0;
        if (side == 4)
            reduce_to_4(blocks, steps, bits, &reached, targets, stride);
        else
            reduce_to_2(blocks, steps, bits, &reached, targets, stride);
    }
    return is_within_limit(&reached, reached_by_dc);
}

#endif

bool tessera_jpeg_reduced_inverse_dct(const int16_t *coefficients, const uint64_t *masks, size_t count,
                                      const uint16_t *steps, unsigned bits, unsigned side, uint16_t *samples,
                                      size_t stride) {
#if defined(TESSERA_VECTORS)
    if (side > 1 && HAS_LANES)
        return reduce_blocks(coefficients, masks, count, steps, bits, side, samples, stride);
#endif
    return tessera_jpeg_reduced_inverse_dct_scalar(coefficients, masks, count, steps, bits, side, samples, stride);
}
