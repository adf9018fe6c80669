#include "CTesseraKernels.h"
#include "harness.h"

#include <stdlib.h>
#include <string.h>

// Packs random literals and matches by codes that reach every table, notes what they unpack to, and has them unpacked: at
// once, which is what the loop with whole words is for, and a few bytes at a time.

enum { OUTPUT = 60000, INPUT = 120000 };

static uint8_t expected[OUTPUT], packed[INPUT];
static size_t output_size, input_bits;

static void put(unsigned bits, unsigned count) {
    for (unsigned i = 0; i < count; i++, input_bits++) {
        if (input_bits / 8 >= INPUT) abort();
        packed[input_bits / 8] |= (uint8_t)((bits >> i & 1) << input_bits % 8);
    }
}

struct codes {
    uint8_t lengths[288];
    unsigned words[288];
    int count;
};

// The words of RFC 1951, 3.2.2, the first bit lowest.
static void assign(struct codes *codes) {
    unsigned counts[16] = {0}, next[16] = {0};
    for (int i = 0; i < codes->count; i++) counts[codes->lengths[i]]++;
    for (int length = 2; length < 16; length++) next[length] = (next[length - 1] + counts[length - 1]) << 1;
    for (int i = 0; i < codes->count; i++) {
        const unsigned word = next[codes->lengths[i]]++;
        codes->words[i] = 0;
        for (int bit = 0; bit < codes->lengths[i]; bit++) codes->words[i] = codes->words[i] << 1 | (word >> bit & 1);
    }
}

static void put_symbol(const struct codes *codes, int symbol) { put(codes->words[symbol], codes->lengths[symbol]); }

// `steps` words of 1, 2, 3… bits and the rest of `longer` bits, as many as complete the code of one bit more.
static void make_codes(struct codes *codes, int count, int steps, int longer) {
    codes->count = count;
    for (int i = 0; i < count; i++) {
        const int all = 1 << (longer + 1 - steps), rest = count - steps;
        codes->lengths[i] = (uint8_t)(i < steps ? i + 1 : i < steps + all - rest ? longer : longer + 1);
    }
    assign(codes);
}

static void begin_dynamic(struct codes *literals, struct codes *distances, int steps) {
    make_codes(literals, 286, steps, 8 + steps);
    make_codes(distances, 30, 2 * steps, 4 + 2 * steps);
    put(2, 2);
    put(286 - 257, 5);
    put(30 - 1, 5);
    put(19 - 4, 4);
    // Lengths 0 to 15 with four bits each; runs of them aren't used.
    for (int i = 0; i < 19; i++) put(i < 3 ? 0 : 4, 3);
    struct codes lengths = {.count = 16};
    memset(lengths.lengths, 4, 16);
    assign(&lengths);
    for (int i = 0; i < 286; i++) put_symbol(&lengths, literals->lengths[i]);
    for (int i = 0; i < 30; i++) put_symbol(&lengths, distances->lengths[i]);
}

static void begin_fixed(struct codes *literals, struct codes *distances) {
    literals->count = 288;
    for (int i = 0; i < 288; i++) literals->lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    assign(literals);
    distances->count = 30;
    memset(distances->lengths, 5, 30);
    assign(distances);
    put(1, 2);
}

static void put_literal(const struct codes *literals) {
    // Small ones more often, whose words are short where words are unequal.
    const uint8_t value = (uint8_t)(next_random() % 3 ? next_random() % 4 : next_random());
    put_symbol(literals, value);
    expected[output_size++] = value;
}

static void put_match(const struct codes *literals, const struct codes *distances) {
    int symbol = random_between(0, 28), extra = symbol < 8 || symbol == 28 ? 0 : symbol / 4 - 1;
    int more = extra ? random_between(0, (1 << extra) - 1) : 0;
    int length = symbol < 8 ? 3 + symbol : symbol == 28 ? 258 : 3 + ((4 + symbol % 4) << extra) + more;
    if (length > 258 || (length == 258 && symbol != 28)) symbol = 28, extra = 0, more = 0, length = 258;
    int far = random_between(0, 29), bits = far < 2 ? 0 : far / 2 - 1;
    int rest = bits ? random_between(0, (1 << bits) - 1) : 0;
    const int distance = 1 + (far < 2 ? far : (2 + far % 2) << bits) + rest;
    if ((size_t)distance > output_size || output_size + (size_t)length > OUTPUT) {
        put_literal(literals);
        return;
    }
    put_symbol(literals, 257 + symbol);
    put((unsigned)more, (unsigned)extra);
    put_symbol(distances, far);
    put((unsigned)rest, (unsigned)bits);
    for (int i = 0; i < length; i++, output_size++) expected[output_size] = expected[output_size - (size_t)distance];
}

static void put_stored(unsigned size) {
    put(0, 2);
    put(0, (unsigned)(8 - input_bits % 8) % 8);
    put(size, 16);
    put(~size & 0xFFFF, 16);
    for (unsigned i = 0; i < size; i++) {
        expected[output_size] = (uint8_t)next_random();
        put(expected[output_size++], 8);
    }
}

static void pack(size_t size) {
    output_size = input_bits = 0;
    memset(packed, 0, sizeof packed);
    int block = random_between(0, 4);
    do {
        struct codes literals = {0}, distances = {0};
        const size_t left = size - output_size, some = left < 20000 ? left : 20000;
        const size_t end = output_size + some;
        put(end == size, 1);
        if (block == 0) put_stored((unsigned)some);
        else {
            if (block == 1) begin_fixed(&literals, &distances);
            else {
                // Words of up to 9, 10 and 12 bits for literals; the last ones need second tables.
                static const int steps[] = {0, 1, 3};
                begin_dynamic(&literals, &distances, steps[block - 2]);
            }
            while (output_size < end) {
                if (end - output_size >= 258 && next_random() % 4 == 0) put_match(&literals, &distances);
                else put_literal(&literals);
            }
            put_symbol(&literals, 256);
        }
        block = (block + 1) % 5;
    } while (output_size < size);
}

// Unpacks in pieces of `step` bytes of input and output, or at once.
static void unpack(size_t step, enum place place) {
    static struct tessera_inflate state;
    const size_t input_size = (input_bits + 7) / 8;
    // The stream's end is read while there is room for a byte more.
    const size_t room = output_size + 1;
    uint8_t *fast = row(0, room, place), *slow = row(1, room, place), *input = row(2, input_size, place);
    copy_row(0, 1);
    memcpy(input, packed, input_size);
    memcpy(slow, expected, output_size);
    tessera_inflate_begin(&state);
    const uint8_t *in = input, *in_end = step ? input : input + input_size;
    uint8_t *out = fast, *out_end = step ? fast : fast + room;
    int result = TESSERA_INFLATE_NEEDS_INPUT;
    for (size_t round = 0; round < 2 * (input_size + output_size) + 4; round++) {
        if (result == TESSERA_INFLATE_NEEDS_INPUT && step)
            in_end = (size_t)(input + input_size - in_end) < step ? input + input_size : in_end + step;
        if (result == TESSERA_INFLATE_OUTPUT_FULL && step)
            out_end = (size_t)(fast + room - out_end) < step ? fast + room : out_end + step;
        result = tessera_inflate_run(&state, &in, in_end, fast, &out, out_end, in_end == input + input_size);
        if (result == TESSERA_INFLATE_END || result == TESSERA_INFLATE_CORRUPT) break;
    }
    compare_numbers("tessera_inflate_run", (uint64_t)result, TESSERA_INFLATE_END, "%zu bytes, %zu at a time", output_size,
                    step);
    compare_numbers("tessera_inflate_run", (uint64_t)(in - input), input_size, "%zu bytes in, %zu at a time", input_size,
                    step);
    compare("tessera_inflate_run", 0, 1, "%zu bytes, %zu at a time", output_size, step);
}

void test_inflate(enum place place) {
    for (size_t size = 1; size < OUTPUT; size += 1 + size / 2) {
        for (int round = 0; round < 4; round++) {
            pack(size);
            unpack(0, place);
            unpack(1000, place);
        }
        unpack(7, place);
    }
}
