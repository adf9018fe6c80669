#include "CTesseraKernels.h"
#include "harness.h"

#include <string.h>

// Tokens, read as a decoder reads them, against the blocks that they were made of; and their bits, with codes of eight bits.

enum { BLOCK = 64, WIDEST = 24 };

/// Reads the bits that `tessera_jpeg_write_tokens` wrote.
typedef struct {
    const uint8_t *bytes;
    size_t bit_count, position;
} reader;

static unsigned bits_of(reader *reader, unsigned count) {
    unsigned value = 0;
    for (; count > 0; count--) {
        const size_t byte = reader->position / 8, bit = reader->position % 8;
        value = value << 1 | (reader->position < reader->bit_count ? reader->bytes[byte] >> (7 - bit) & 1 : 1);
        reader->position++;
    }
    return value;
}

static int value_of(reader *reader, unsigned size) {
    const int bits = (int)bits_of(reader, size);
    return size == 0 || bits >> (size - 1) ? bits : bits - (1 << size) + 1;
}

/// Writes the tokens of a row with the symbols as their codes, without stuffed zeros.
static reader written(const uint32_t *tokens, size_t count, const int16_t *predictions, enum place place) {
    static uint32_t codes[4 * 256];
    static uint8_t bytes[1 << 17];
    for (unsigned entry = 0; entry < 4 * 256; entry++) codes[entry] = 8 << 16 | (entry & 255);
    tessera_jpeg_bits pending = {0};
    uint8_t *target = row(40, 8 * count + 8, place);
    size_t length = tessera_jpeg_write_tokens(tokens, count, predictions, codes, &pending, target);
    compare_numbers("tessera_jpeg_write_tokens", length <= 8 * count, 1, "%zu bytes of %zu tokens", length, count);
    memcpy(bytes, target, length);
    length += tessera_jpeg_write_last_bits(&pending, bytes + length);
    size_t kept = 0;
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && bytes[i] == 0 && bytes[i - 1] == 0xFF) continue;
        compare_numbers("tessera_jpeg_write_tokens", bytes[i] != 0xFF || (i + 1 < length && bytes[i + 1] == 0), 1, "zero after 255");
        // In place: bytes behind are read no more, but the one before is.
        bytes[kept++] = bytes[i];
        if (bytes[i] == 0xFF) i++;
    }
    return (reader){.bytes = bytes, .bit_count = 8 * kept};
}

static tessera_jpeg_blocks random_blocks(int index, size_t count, int density, enum place place) {
    tessera_jpeg_blocks blocks = {row(index, count * BLOCK * sizeof(int16_t), place), row(index + 1, count * sizeof(uint64_t), place)};
    for (size_t block = 0; block < count; block++) {
        blocks.masks[block] = 0;
        for (size_t at = 0; at < BLOCK; at++) {
            const int size = random_between(0, 10);
            int value = random_between(0, 99) < density ? random_between(-(1 << size) + 1, (1 << size) - 1) : 0;
            blocks.values[block * BLOCK + at] = (int16_t)value;
            blocks.masks[block] |= (uint64_t)(value != 0) << at;
        }
    }
    return blocks;
}

/// Reads coefficients from `place` on, up to the end of the block or of the band; the symbol that ended it, or -1.
static int read_coefficients(reader *reader, unsigned place, unsigned last, int16_t *values) {
    while (place <= last) {
        const unsigned symbol = bits_of(reader, 8), run = symbol >> 4, size = symbol & 15;
        if (size == 0 && run < 15) return (int)symbol;
        place += run;
        if (place > last) return -2;
        if (size > 0) values[place] = (int16_t)value_of(reader, size);
        place++;
    }
    return -1;
}

static void check_values(const tessera_jpeg_blocks *blocks, size_t block, unsigned first, unsigned last, const int16_t *values,
                         const char *kernel) {
    compare_numbers(kernel, memcmp(blocks->values + block * BLOCK + first, values + first, (last - first + 1) * sizeof *values), 0,
                    "block %zu", block);
}

static void test_units(unsigned horizontal, unsigned vertical, int is_gray, int has_ac, int density, enum place place) {
    const size_t units = (size_t)random_between(1, WIDEST / 2);
    tessera_jpeg_blocks rows[4];
    for (unsigned i = 0; i < vertical; i++) rows[i] = random_blocks(2 * (int)i, units * horizontal, density, place);
    for (unsigned i = 0; i < 2; i++) rows[vertical + i] = random_blocks(8 + 2 * (int)i, units, density, place);
    const tessera_jpeg_blocks *chroma = is_gray ? NULL : rows + vertical;
    const size_t block_count = units * (horizontal * vertical + (is_gray ? 0 : 2));
    uint32_t *tokens = row(20, block_count * TESSERA_JPEG_TOKENS_A_BLOCK * sizeof(uint32_t), place);
    const tessera_jpeg_token_row made = tessera_jpeg_unit_tokens(rows, chroma, horizontal, vertical, units, has_ac, tokens);
    int16_t predictions[3] = {5, -700, 1000};
    reader reader = written(tokens, made.count, predictions, place);
    for (size_t unit = 0; unit < units; unit++)
        for (unsigned part = 0; part < horizontal * vertical + (is_gray ? 0 : 2); part++) {
            const unsigned component = part < horizontal * vertical ? 0 : part - horizontal * vertical + 1;
            const tessera_jpeg_blocks *blocks = component ? chroma + component - 1 : rows + part / horizontal;
            int16_t values[BLOCK] = {0};
            predictions[component] = (int16_t)(predictions[component] + value_of(&reader, bits_of(&reader, 8)));
            values[0] = predictions[component];
            if (has_ac) read_coefficients(&reader, 1, 63, values);
            const size_t block = component ? unit : unit * horizontal + part % horizontal;
            check_values(blocks, block, 0, has_ac ? 63 : 0, values, "tessera_jpeg_unit_tokens");
        }
    for (int component = 0; component < (is_gray ? 1 : 3); component++)
        compare_numbers("tessera_jpeg_unit_tokens", (uint16_t)made.last_values[component], (uint16_t)predictions[component], "last value");
    compare_numbers("tessera_jpeg_unit_tokens", (reader.position + 7) / 8, reader.bit_count / 8, "length");
}

static void test_band(unsigned first, unsigned last, int density, enum place place) {
    const size_t count = (size_t)random_between(1, WIDEST);
    const tessera_jpeg_blocks blocks = random_blocks(0, count, density, place);
    uint32_t *tokens = row(20, count * TESSERA_JPEG_TOKENS_A_BLOCK * sizeof(uint32_t), place);
    const tessera_jpeg_token_row made = tessera_jpeg_band_tokens(&blocks, count, first, last, 3, tokens);
    const int16_t predictions[3] = {0};
    uint32_t counts[4 * 256] = {0};
    tessera_jpeg_count_tokens(tokens, made.count, predictions, counts);
    reader reader = written(tokens, made.count, predictions, place);
    unsigned blank = 0, symbols = 0;
    for (size_t block = 0; block < count; block++) {
        int16_t values[BLOCK] = {0};
        if (blank > 0) {
            blank--;
        } else {
            const int end = read_coefficients(&reader, first, last, values);
            if (end >= 0) blank = (1u << (end >> 4)) + bits_of(&reader, (unsigned)end >> 4) - 1;
        }
        check_values(&blocks, block, first, last, values, "tessera_jpeg_band_tokens");
    }
    compare_numbers("tessera_jpeg_band_tokens", blank, 0, "blocks left");
    for (int symbol = 0; symbol < 256; symbol++) symbols += counts[3 * 256 + symbol];
    compare_numbers("tessera_jpeg_count_tokens", symbols, made.count, "tokens");
}

void test_jpeg_tokens(enum place place) {
    for (int density = 0; density <= 100; density += 20)
        for (int round = 0; round < 8; round++) {
            test_units(1 + round % 2, 1 + round / 2 % 2, 0, round < 4, density, place);
            test_units(1, 1, 1, round % 2, density, place);
            test_band(1, 2, density, place);
            test_band(1, 63, density, place);
            test_band(3, 63, density, place);
        }
}
