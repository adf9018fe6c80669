#include "tessera_inflate.h"

#include <string.h>

#define LITERAL_BITS TESSERA_INFLATE_LITERAL_BITS
#define DISTANCE_BITS TESSERA_INFLATE_DISTANCE_BITS

enum { STATE_HEADER, STATE_STORED, STATE_SYMBOLS, STATE_END, STATE_CORRUPT };

// An entry of the literals' table: bits 4 and 5 say how many literals there are, which stand in bits 8 to 31; bits 0 to 3
// how many bits they take. Where there are none, these six bits are 0, so that taking literals off does nothing, and bits
// 6 and 7 tell what it is:
enum { KIND_LENGTH = 0, KIND_END = 1, KIND_SUBTABLE = 2, KIND_INVALID = 3 };
// a length with its base in bits 8 to 16, its extra bits in 17 to 19 and its code's bits in 20 to 23; the block's end,
// its code's bits in the same place; or a table for the bits that follow, its place in bits 8 to 19, its bits from 24.
//
// An entry of the distances' table: in bits 0 to 3 its code's bits, in 4 and 5 the kind, in 8 to 22 the base less one,
// and the extra bits from 24; subtables as above.
enum { OTHER_LENGTH_SHIFT = 20 };

static const uint16_t length_bases[29] = {
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
static const uint8_t length_extras[29] = {
    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};

static uint32_t literal_entry(unsigned symbol) {
    if (symbol < 256) return symbol << 8 | 1 << 4;
    if (symbol == 256) return KIND_END << 6;
    if (symbol > 285) return KIND_INVALID << 6;
    return (uint32_t)length_extras[symbol - 257] << 17 | (uint32_t)length_bases[symbol - 257] << 8 | KIND_LENGTH << 6;
}

static uint32_t distance_entry(unsigned symbol) {
    if (symbol > 29) return KIND_INVALID << 4;
    unsigned extra = symbol < 2 ? 0 : symbol / 2 - 1;
    unsigned base = symbol < 2 ? symbol : (2 + symbol % 2) << extra;
    return (uint32_t)extra << 24 | base << 8;
}

static unsigned reversed(unsigned code, unsigned length) {
    unsigned result = 0;
    for (unsigned i = 0; i < length; i++) result |= (code >> i & 1) << (length - 1 - i);
    return result;
}

// Fills a table, and the tables behind it for longer codes. False for lengths that make no prefix code. As zlib has it, a
// code may leave words unused only when it consists of one word of one bit, or of none.
static int build(
    uint32_t *table, const unsigned table_bits, const unsigned capacity, const uint8_t *lengths, unsigned count,
    uint32_t (*entry)(unsigned), unsigned kind_shift, unsigned other_shift) {
    unsigned counts[16] = {0};
    for (unsigned i = 0; i < count; i++) counts[lengths[i]]++;
    counts[0] = 0;
    unsigned longest = 15;
    while (longest > 0 && counts[longest] == 0) longest--;
    int left = 1;
    unsigned first[17] = {0};
    for (unsigned length = 1; length <= 15; length++) {
        left = (left << 1) - (int)counts[length];
        if (left < 0) return 0;
        first[length + 1] = (first[length] + counts[length]) << 1;
    }
    if (left > 0) {
        if (longest > 1) return 0;
        for (unsigned i = 0; i < 1u << table_bits; i++) table[i] = KIND_INVALID << kind_shift;
    }
    uint16_t sorted[320];
    unsigned offsets[16];
    offsets[1] = 0;
    for (unsigned length = 1; length < 15; length++) offsets[length + 1] = offsets[length] + counts[length];
    for (unsigned i = 0; i < count; i++)
        if (lengths[i]) sorted[offsets[lengths[i]]++] = (uint16_t)i;

    unsigned used = 1u << table_bits, index = 0;
    unsigned subtable = 0, subtable_bits = 0, subtable_prefix = ~0u;
    for (unsigned length = 1; length <= longest; length++) {
        unsigned code = first[length];
        for (unsigned n = 0; n < counts[length]; n++, code++, index++) {
            unsigned word = reversed(code, length);
            uint32_t value = entry(sorted[index]);
            const unsigned shift = value & 0x30 ? 0 : other_shift;
            if (length <= table_bits) {
                for (unsigned i = word; i < 1u << table_bits; i += 1u << length) table[i] = value | length << shift;
                continue;
            }
            unsigned prefix = word & ((1u << table_bits) - 1);
            if (prefix != subtable_prefix) {
                // As many bits as the codes with this prefix need: the next ones of this length, then longer ones.
                subtable_prefix = prefix;
                subtable_bits = length - table_bits;
                int room = (1 << subtable_bits) - (int)(counts[length] - n);
                while (room > 0 && table_bits + subtable_bits < longest) {
                    subtable_bits++;
                    room = (room << 1) - (int)counts[table_bits + subtable_bits];
                }
                subtable = used;
                used += 1u << subtable_bits;
                if (used > capacity) return 0;
                table[prefix] = (uint32_t)subtable_bits << 24 | subtable << 8 | KIND_SUBTABLE << kind_shift;
            }
            for (unsigned i = word >> table_bits; i < 1u << subtable_bits; i += 1u << (length - table_bits))
                table[subtable + i] = value | (length - table_bits) << shift;
        }
    }
    return 1;
}

// Lets an entry with a literal hold the literals that follow it, as far as the table's bits determine them. From the last
// entry down, since what an entry refers to lies below it and must still be single.
static void join_literals(uint32_t *table) {
    for (unsigned i = (1u << LITERAL_BITS); i-- > 0;) {
        uint32_t entry = table[i];
        if (!(entry & 0x30)) continue;
        unsigned length = entry & 15;
        uint32_t second = table[i >> length];
        // Where an entry refers to itself (all bits alike) it is still single, as it is for every lower one.
        unsigned total = length + (second & 15);
        if (!(second & 0x30) || total > LITERAL_BITS) continue;
        entry = (entry & 0xFF00) | (second & 0xFF00) << 8 | 2 << 4 | total;
        uint32_t third = table[i >> total];
        unsigned all = total + (third & 15);
        if ((third & 0x30) && all <= LITERAL_BITS) entry = (entry & 0xFFFF00) | (third & 0xFF00) << 16 | 3 << 4 | all;
        table[i] = entry;
    }
}

static int use_codes(struct tessera_inflate *s, const uint8_t *lengths, unsigned literals, unsigned distances) {
    if (!build(
            s->literals, LITERAL_BITS, sizeof s->literals / 4, lengths, literals, literal_entry, 6,
            OTHER_LENGTH_SHIFT))
        return 0;
    join_literals(s->literals);
    memcpy(s->literal_lengths, lengths, 256);
    return build(
        s->distances, DISTANCE_BITS, sizeof s->distances / 4, lengths + literals, distances, distance_entry, 4, 0);
}

// Bits one after the other, for block headers. Behind the end there are zeros to be looked at; taking one of them is
// noticed afterwards.
struct reader {
    const uint8_t *in, *end;
    uint64_t bits;
    unsigned count;
    /// How many of the bits, the last ones, are not the input's.
    unsigned padding;
};

static unsigned take(struct reader *r, unsigned n) {
    while (r->count < n) {
        if (r->in < r->end) r->bits |= (uint64_t)*r->in++ << r->count;
        else r->padding += 8;
        r->count += 8;
    }
    unsigned value = (unsigned)(r->bits & ((1u << n) - 1));
    r->bits >>= n;
    r->count -= n;
    return value;
}

static int read_code_lengths(struct tessera_inflate *s, struct reader *r) {
    static const uint8_t order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    unsigned literals = take(r, 5) + 257, distances = take(r, 5) + 1, codes = take(r, 4) + 4;
    if (literals > 286 || distances > 30) return 0;
    uint8_t lengths[320] = {0};
    for (unsigned i = 0; i < codes; i++) lengths[order[i]] = (uint8_t)take(r, 3);

    // Nineteen short codes: a table of 128 entries, built where the literals' table will be.
    unsigned counts[8] = {0}, next[8] = {0};
    int left = 1;
    for (unsigned i = 0; i < 19; i++) counts[lengths[i]]++;
    counts[0] = 0;
    for (unsigned length = 1; length < 8; length++) {
        next[length] = (next[length - 1] + counts[length - 1]) << 1;
        left = (left << 1) - (int)counts[length];
        if (left < 0) return 0;
    }
    if (left > 0) return 0;
    uint8_t symbols[128], symbol_lengths[128];
    for (unsigned i = 0; i < 19; i++) {
        unsigned length = lengths[i];
        if (!length) continue;
        for (unsigned j = reversed(next[length]++, length); j < 128; j += 1u << length) {
            symbols[j] = (uint8_t)i;
            symbol_lengths[j] = (uint8_t)length;
        }
    }
    memset(lengths, 0, 19);
    unsigned total = literals + distances;
    for (unsigned i = 0; i < total;) {
        unsigned peeked = take(r, 7);
        unsigned length = symbol_lengths[peeked], symbol = symbols[peeked];
        // Bits that were peeked too far go back.
        r->bits = r->bits << (7 - length) | peeked >> length;
        r->count += 7 - length;
        if (symbol < 16) {
            lengths[i++] = (uint8_t)symbol;
            continue;
        }
        unsigned repeat = symbol == 16 ? 3 + take(r, 2) : symbol == 17 ? 3 + take(r, 3) : 11 + take(r, 7);
        if (repeat > total - i || (symbol == 16 && i == 0)) return 0;
        memset(lengths + i, symbol == 16 ? lengths[i - 1] : 0, repeat);
        i += repeat;
    }
    if (lengths[256] == 0) return 0;
    return use_codes(s, lengths, literals, distances);
}

static int use_fixed_codes(struct tessera_inflate *s) {
    uint8_t lengths[320];
    memset(lengths, 8, 144);
    memset(lengths + 144, 9, 112);
    memset(lengths + 256, 7, 24);
    memset(lengths + 280, 8, 8);
    memset(lengths + 288, 5, 32);
    return use_codes(s, lengths, 288, 32);
}

static inline uint64_t load64(const uint8_t *p) {
    uint64_t v;
    memcpy(&v, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v;
}

// Copies a match with room to spare: some bytes beyond it are overwritten.
static inline void copy_match(uint8_t *out, unsigned distance, unsigned length) {
    const uint8_t *from = out - distance;
    const uint8_t *end = out + length;
    if (distance >= 16) {
        do {
            memcpy(out, from, 16);
            out += 16;
            from += 16;
        } while (out < end);
    } else if (distance >= 8) {
        do {
            memcpy(out, from, 8);
            out += 8;
            from += 8;
        } while (out < end);
    } else if (distance == 1) {
        uint64_t all = *from * 0x0101010101010101u;
        do {
            memcpy(out, &all, 8);
            out += 8;
        } while (out < end);
    } else {
        // Each word's first `distance` bytes are right, and the next word begins behind them.
        do {
            memcpy(out, from, 8);
            out += distance;
            from += distance;
        } while (out < end);
    }
}

#define REFILL() (bits |= load64(in) << count, in += (63 - count) >> 3, count |= 56)
#define DROP(n) (bits >>= (n), count -= (n))

enum { FAST_INPUT = 17, FAST_OUTPUT = 258 + 64 };

// The loop for where both ends are far away.
__attribute__((always_inline)) static inline int run_fast_body(
    struct tessera_inflate *s, const uint8_t **in_at, const uint8_t *in_end, uint8_t *history, uint8_t **out_at,
    uint8_t *out_end) {
    const uint8_t *in = *in_at;
    const uint8_t *in_last = in_end - FAST_INPUT;
    uint8_t *out = *out_at, *out_last = out_end - FAST_OUTPUT;
    uint64_t bits = s->bits;
    unsigned count = s->bit_count;
    const uint32_t *literals = s->literals, *distances = s->distances;
    const uint64_t mask = (1 << LITERAL_BITS) - 1;
    int result = -1;
    while (in <= in_last && out <= out_last) {
        REFILL();
        uint32_t entry = literals[bits & mask];
#define TAKE_LITERALS()                                                                                               \
    {                                                                                                                 \
        uint32_t three = entry >> 8;                                                                                  \
        memcpy(out, &three, 4);                                                                                       \
        out += entry >> 4 & 3;                                                                                        \
        DROP(entry & 15);                                                                                             \
    }
        // Whether a match comes next can't be predicted. Literals are taken twice without a branch, which does nothing
        // if there are none and costs less than a misprediction.
        TAKE_LITERALS()
        entry = literals[bits & mask];
        TAKE_LITERALS()
        entry = literals[bits & mask];
        if (entry & 0x30) {
            TAKE_LITERALS()
            entry = literals[bits & mask];
            TAKE_LITERALS()
            continue;
        }
#undef TAKE_LITERALS
        REFILL();
        if ((entry >> 6 & 3) == KIND_SUBTABLE) {
            DROP(LITERAL_BITS);
            entry = literals[(entry >> 8 & 0xFFF) + (bits & ((1u << (entry >> 24)) - 1))];
            if (entry & 0x30) {
                *out++ = (uint8_t)(entry >> 8);
                DROP(entry & 15);
                continue;
            }
        }
        DROP(entry >> OTHER_LENGTH_SHIFT & 15);
        if (entry & 0xC0) {
            if ((entry >> 6 & 3) == KIND_END) s->state = s->is_last_block ? STATE_END : STATE_HEADER;
            else result = TESSERA_INFLATE_CORRUPT;
            break;
        }
        unsigned extra = entry >> 17 & 7;
        unsigned length = (entry >> 8 & 0x1FF) + (unsigned)(bits & ((1u << extra) - 1));
        DROP(extra);
        entry = distances[bits & ((1 << DISTANCE_BITS) - 1)];
        if ((entry >> 4 & 3) == KIND_SUBTABLE) {
            DROP(DISTANCE_BITS);
            entry = distances[(entry >> 8 & 0xFFFF) + (bits & ((1u << (entry >> 24)) - 1))];
        }
        DROP(entry & 15);
        extra = entry >> 24;
        unsigned distance = (entry >> 8 & 0x7FFF) + 1 + (unsigned)(bits & ((1u << extra) - 1));
        DROP(extra);
        if ((entry >> 4 & 3) == KIND_INVALID || distance > (size_t)(out - history)) {
            result = TESSERA_INFLATE_CORRUPT;
            break;
        }
        copy_match(out, distance, length);
        out += length;
    }
    // Give back the whole bytes that weren't used.
    in -= count >> 3;
    count &= 7;
    s->bits = bits & ((1u << count) - 1);
    s->bit_count = count;
    *in_at = in;
    *out_at = out;
    return result;
}

static int run_fast_baseline(
    struct tessera_inflate *s, const uint8_t **in, const uint8_t *in_end, uint8_t *history, uint8_t **out,
    uint8_t *out_end) {
    return run_fast_body(s, in, in_end, history, out, out_end);
}

#if defined(__x86_64__)
// Shifts that leave the flags alone and take their count from any register.
__attribute__((target("bmi2"))) static int run_fast_bmi2(
    struct tessera_inflate *s, const uint8_t **in, const uint8_t *in_end, uint8_t *history, uint8_t **out,
    uint8_t *out_end) {
    return run_fast_body(s, in, in_end, history, out, out_end);
}
#endif

static int run_fast(
    struct tessera_inflate *s, const uint8_t **in, const uint8_t *in_end, uint8_t *history, uint8_t **out,
    uint8_t *out_end) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("bmi2")) return run_fast_bmi2(s, in, in_end, history, out, out_end);
#endif
    return run_fast_baseline(s, in, in_end, history, out, out_end);
}

// One symbol at a time near the ends. Nothing of a symbol is taken before all of it is there.
static int run_careful(
    struct tessera_inflate *s, const uint8_t **in_at, const uint8_t *in_end, uint8_t *history, uint8_t **out_at,
    uint8_t *out_end, int is_final) {
    uint8_t *out = *out_at;
    int result = -1;
    while (s->state == STATE_SYMBOLS
           && (s->match_length || in_end - *in_at < FAST_INPUT || out_end - out < FAST_OUTPUT)) {
        while (s->match_length && out < out_end) {
            *out = out[-(ptrdiff_t)s->match_distance];
            out++;
            s->match_length--;
        }
        if (out == out_end) {
            result = TESSERA_INFLATE_OUTPUT_FULL;
            break;
        }
        const uint8_t *in = *in_at;
        uint64_t bits = s->bits;
        unsigned count = s->bit_count;
        while (count < 56 && in < in_end) {
            bits |= (uint64_t)*in++ << count;
            count += 8;
        }
        // The longest symbol has 48 bits; at the very end a shorter one may do, and zeros stand for what isn't there.
        if (count < 48 && !is_final) {
            result = TESSERA_INFLATE_NEEDS_INPUT;
            break;
        }
        const unsigned available = count;
        unsigned used = 0;
#define USE(n) (bits >>= (n), used += (n))
        uint32_t entry = s->literals[bits & ((1 << LITERAL_BITS) - 1)];
        unsigned length = 0, distance = 0;
        if (!(entry & 0x30) && (entry >> 6 & 3) == KIND_SUBTABLE) {
            USE(LITERAL_BITS);
            entry = s->literals[(entry >> 8 & 0xFFF) + (bits & ((1u << (entry >> 24)) - 1))];
            USE(entry & 0x30 ? entry & 15 : entry >> OTHER_LENGTH_SHIFT & 15);
        } else {
            // Of several literals only the first is taken, by its own length.
            USE(entry & 0x30 ? s->literal_lengths[entry >> 8 & 0xFF] : entry >> OTHER_LENGTH_SHIFT & 15);
        }
        const int is_literal = (entry & 0x30) != 0, is_end = !is_literal && (entry >> 6 & 3) == KIND_END;
        int is_wrong = !is_literal && (entry >> 6 & 3) == KIND_INVALID;
        const uint8_t literal = (uint8_t)(entry >> 8);
        if (!is_literal && !is_end && !is_wrong) {
            unsigned extra = entry >> 17 & 7;
            length = (entry >> 8 & 0x1FF) + (unsigned)(bits & ((1u << extra) - 1));
            USE(extra);
            entry = s->distances[bits & ((1 << DISTANCE_BITS) - 1)];
            if ((entry >> 4 & 3) == KIND_SUBTABLE) {
                USE(DISTANCE_BITS);
                entry = s->distances[(entry >> 8 & 0xFFFF) + (bits & ((1u << (entry >> 24)) - 1))];
            }
            USE(entry & 15);
            is_wrong = (entry >> 4 & 3) == KIND_INVALID;
            extra = is_wrong ? 0 : entry >> 24;
            distance = (entry >> 8 & 0x7FFF) + 1 + (unsigned)(bits & ((1u << extra) - 1));
            USE(extra);
            is_wrong = is_wrong || distance > (size_t)(out - history);
        }
#undef USE
        if (used > available) {
            result = TESSERA_INFLATE_NEEDS_INPUT;
            break;
        }
        if (is_wrong) {
            result = TESSERA_INFLATE_CORRUPT;
            break;
        }
        const unsigned rest = available - used;
        *in_at = in - (rest >> 3);
        s->bit_count = rest & 7;
        s->bits = bits & ((1u << s->bit_count) - 1);
        if (is_literal) *out++ = literal;
        else if (is_end) s->state = s->is_last_block ? STATE_END : STATE_HEADER;
        else s->match_length = length, s->match_distance = distance;
    }
    *out_at = out;
    return result;
}

static int read_header(struct tessera_inflate *s, const uint8_t **in_at, const uint8_t *in_end, int is_final) {
    if (!is_final && in_end - *in_at < TESSERA_INFLATE_HEADER_BYTES) return TESSERA_INFLATE_NEEDS_INPUT;
    struct reader r = {*in_at, in_end, s->bits, s->bit_count, 0};
    unsigned is_last = take(&r, 1), type = take(&r, 2);
    int is_right = 1;
    unsigned state = STATE_SYMBOLS;
    if (type == 0) {
        take(&r, r.count & 7);
        unsigned length = take(&r, 8);
        length |= take(&r, 8) << 8;
        unsigned check = take(&r, 8);
        check |= take(&r, 8) << 8;
        is_right = length == (check ^ 0xFFFF);
        s->stored = length;
        state = STATE_STORED;
    } else if (type == 1) {
        is_right = use_fixed_codes(s);
    } else {
        is_right = type == 2 && read_code_lengths(s, &r);
    }
    if (r.padding > r.count) return TESSERA_INFLATE_NEEDS_INPUT;
    if (!is_right) return TESSERA_INFLATE_CORRUPT;
    r.count -= r.padding;
    *in_at = r.in - (r.count >> 3);
    s->bit_count = r.count & 7;
    s->bits = r.bits & ((1u << s->bit_count) - 1);
    s->is_last_block = is_last;
    s->state = state;
    return -1;
}

void tessera_inflate_begin(struct tessera_inflate *s) {
    s->bits = 0;
    s->bit_count = 0;
    s->state = STATE_HEADER;
    s->is_last_block = 0;
    s->stored = 0;
    s->match_length = 0;
    s->match_distance = 0;
}

int tessera_inflate_run(
    struct tessera_inflate *s, const uint8_t **in, const uint8_t *in_end, uint8_t *history, uint8_t **out,
    uint8_t *out_end, int is_final) {
    for (;;) {
        int result = -1;
        switch (s->state) {
        case STATE_HEADER: result = read_header(s, in, in_end, is_final); break;
        case STATE_STORED: {
            size_t count = s->stored;
            if (count > (size_t)(in_end - *in)) count = (size_t)(in_end - *in);
            if (count > (size_t)(out_end - *out)) count = (size_t)(out_end - *out);
            if (count) memcpy(*out, *in, count);
            *in += count;
            *out += count;
            s->stored -= (unsigned)count;
            if (s->stored == 0) s->state = s->is_last_block ? STATE_END : STATE_HEADER;
            else return *out == out_end ? TESSERA_INFLATE_OUTPUT_FULL : TESSERA_INFLATE_NEEDS_INPUT;
            break;
        }
        case STATE_SYMBOLS:
            if (s->match_length == 0 && in_end - *in >= FAST_INPUT && out_end - *out >= FAST_OUTPUT)
                result = run_fast(s, in, in_end, history, out, out_end);
            if (result < 0) result = run_careful(s, in, in_end, history, out, out_end, is_final);
            break;
        case STATE_END: return TESSERA_INFLATE_END;
        default: return TESSERA_INFLATE_CORRUPT;
        }
        if (result == TESSERA_INFLATE_CORRUPT) s->state = STATE_CORRUPT;
        if (result >= 0) return result;
    }
}
