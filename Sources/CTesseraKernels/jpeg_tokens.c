#include "tessera_jpeg_coding.h"

#include <string.h>

// Quantized coefficients to tokens, and tokens to bits (ITU-T T.81, annexes F and G).

#define INLINE static inline __attribute__((always_inline))

enum { BLOCK = 64, ZEROS = 0xF0, TABLE = 29, SYMBOL = 21, COUNT = 16 };

INLINE uint32_t token(unsigned kind, unsigned symbol, unsigned count, unsigned bits) {
    return kind << TABLE | symbol << SYMBOL | count << COUNT | bits;
}

INLINE unsigned size_of(unsigned magnitude) {
    return magnitude ? 32 - (unsigned)__builtin_clz(magnitude) : 0;
}

/// A value's token, whose symbol has the run of zeros before it (T.81, F.1.2.1 and F.1.2.2).
INLINE uint32_t value_token(unsigned table, unsigned run, int value) {
    const unsigned size = size_of((unsigned)(value < 0 ? -value : value));
    const unsigned bits = (unsigned)(value < 0 ? value - 1 : value) & ((1u << size) - 1);
    return token(table, run << 4 | size, size, bits);
}

/// The tokens of a block's coefficients at the places of `mask`, which begin at `first`.
INLINE uint32_t *add_coefficients(const int16_t *values, uint64_t mask, unsigned first, unsigned table, uint32_t *next) {
    for (; mask; mask &= mask - 1) {
        const unsigned place = (unsigned)__builtin_ctzll(mask);
        unsigned run = place - first;
        for (; run > 15; run -= 16)
            *next++ = token(table, ZEROS, 0, 0);
        *next++ = value_token(table, run, values[place]);
        first = place + 1;
    }
    return next;
}

/// DC values so far, of which each but the first is coded as the difference from the one before.
typedef struct {
    int16_t last_values[3];
    bool has_value[3];
} predictor;

INLINE uint32_t *add_unit_block(const tessera_jpeg_blocks *blocks, size_t index, unsigned component, bool has_ac,
                                predictor *predictor, uint32_t *next) {
    const int16_t *values = blocks->values + index * BLOCK;
    const unsigned table = component > 0;
    if (predictor->has_value[component])
        *next++ = value_token(table, 0, values[0] - predictor->last_values[component]);
    else
        *next++ = token(TESSERA_JPEG_FIRST_VALUE, component, 0, (uint16_t)values[0]);
    predictor->has_value[component] = true;
    predictor->last_values[component] = values[0];
    if (!has_ac) return next;
    const uint64_t mask = blocks->masks[index] & ~1ull;
    next = add_coefficients(values, mask, 1, 2 + table, next);
    // The end of the block, unless its last coefficient was there.
    if (mask >> 63 == 0) *next++ = token(2 + table, 0, 0, 0);
    return next;
}

tessera_jpeg_token_row tessera_jpeg_unit_tokens(const tessera_jpeg_blocks *luma, const tessera_jpeg_blocks *chroma,
                                                unsigned horizontal, unsigned vertical, size_t unit_count, bool has_ac,
                                                uint32_t *tokens) {
    predictor predictor;
    memset(&predictor, 0, sizeof predictor);
    uint32_t *next = tokens;
    for (size_t unit = 0; unit < unit_count; unit++) {
        for (unsigned y = 0; y < vertical; y++)
            for (unsigned x = 0; x < horizontal; x++)
                next = add_unit_block(luma + y, unit * horizontal + x, 0, has_ac, &predictor, next);
        for (unsigned plane = 0; chroma && plane < 2; plane++)
            next = add_unit_block(chroma + plane, unit, 1 + plane, has_ac, &predictor, next);
    }
    tessera_jpeg_token_row row = {.count = (size_t)(next - tokens)};
    memcpy(row.last_values, predictor.last_values, sizeof row.last_values);
    return row;
}

tessera_jpeg_token_row tessera_jpeg_band_tokens(const tessera_jpeg_blocks *blocks, size_t block_count, unsigned first,
                                                unsigned last, unsigned table, uint32_t *tokens) {
    // The bits from `first` to `last`.
    const uint64_t places = ~0ull << first & ~0ull >> (63 - last);
    uint32_t *next = tokens;
    // Blocks without coefficients so far, whose number isn't written yet.
    unsigned blank_count = 0;
    for (size_t index = 0; index < block_count; index++) {
        const uint64_t mask = blocks->masks[index] & places;
        if (mask) {
            if (blank_count > 0) *next++ = token(TESSERA_JPEG_RUN, table, 0, blank_count);
            blank_count = 0;
            next = add_coefficients(blocks->values + index * BLOCK, mask, first, table, next);
        }
        // The run begins with the rest of a block that has coefficients (T.81, G.1.2.2).
        if (mask >> last == 0) blank_count++;
        if (blank_count < TESSERA_JPEG_LONGEST_RUN) continue;
        *next++ = token(TESSERA_JPEG_RUN, table, 0, blank_count);
        blank_count = 0;
    }
    if (blank_count > 0) *next++ = token(TESSERA_JPEG_RUN, table, 0, blank_count);
    return (tessera_jpeg_token_row){.count = (size_t)(next - tokens)};
}

/// A token with a table, of one that depends on what is around it.
INLINE uint32_t resolved(uint32_t unresolved, const int16_t *predictions) {
    const unsigned kind = unresolved >> TABLE, field = unresolved >> SYMBOL & 255;
    if (kind == TESSERA_JPEG_FIRST_VALUE)
        return value_token(field > 0, 0, (int16_t)(uint16_t)unresolved - predictions[field]);
    if (kind != TESSERA_JPEG_RUN) return unresolved;
    // The number's bits after its first one (T.81, table G.1).
    const unsigned number = unresolved & 0xFFFF, size = size_of(number) - 1;
    return token(field, size << 4, size, number & ((1u << size) - 1));
}

void tessera_jpeg_count_tokens(const uint32_t *tokens, size_t count, const int16_t *predictions, uint32_t *counts) {
    for (size_t index = 0; index < count; index++) {
        const uint32_t next = tokens[index] >> TABLE < 4 ? tokens[index] : resolved(tokens[index], predictions);
        if (next >> TABLE < 4) counts[next >> SYMBOL]++;
    }
}

/// Writes the upper 32 of the pending bits.
INLINE uint8_t *write_word(uint32_t word, uint8_t *target) {
    // A byte of ones is one whose complement is zero.
    const uint32_t inverse = ~word;
    if (!((inverse - 0x01010101u) & ~inverse & 0x80808080u)) {
        const uint32_t bytes = __builtin_bswap32(word);
        memcpy(target, &bytes, sizeof bytes);
        return target + sizeof bytes;
    }
    for (int shift = 24; shift >= 0; shift -= 8) {
        const uint8_t byte = (uint8_t)(word >> shift);
        *target++ = byte;
        if (byte == 0xFF) *target++ = 0;
    }
    return target;
}

size_t tessera_jpeg_write_tokens(const uint32_t *tokens, size_t count, const int16_t *predictions,
                                 const uint32_t *codes, tessera_jpeg_bits *pending, uint8_t *target) {
    uint8_t *next = target;
    uint64_t bits = pending->bits;
    unsigned bit_count = pending->count;
    for (size_t index = 0; index < count; index++) {
        const uint32_t token = tokens[index] >> TABLE < 4 ? tokens[index] : resolved(tokens[index], predictions);
        const unsigned kind = token >> TABLE, extra_count = token >> COUNT & 31;
        const uint32_t entry = kind < 4 ? codes[token >> SYMBOL] : 0;
        // At most 16 bits of a code and 16 more, beside at most 31.
        const unsigned length = (entry >> 16) + extra_count;
        bits = bits << length | (uint64_t)(entry & 0xFFFF) << extra_count | (token & 0xFFFF);
        bit_count += length;
        if (bit_count < 32) continue;
        bit_count -= 32;
        next = write_word((uint32_t)(bits >> bit_count), next);
    }
    pending->bits = bits;
    pending->count = bit_count;
    return (size_t)(next - target);
}

size_t tessera_jpeg_write_last_bits(tessera_jpeg_bits *pending, uint8_t *target) {
    const unsigned missing = -pending->count & 7;
    uint8_t *next = target;
    pending->bits = pending->bits << missing | ((1u << missing) - 1);
    for (unsigned left = pending->count + missing; left > 0;) {
        left -= 8;
        *next++ = (uint8_t)(pending->bits >> left);
        if (next[-1] == 0xFF) *next++ = 0;
    }
    memset(pending, 0, sizeof *pending);
    return (size_t)(next - target);
}
