#include "tessera_inflate.h"
#include "words.h"

#include <string.h>

#define LITERAL_BITS TESSERA_INFLATE_LITERAL_BITS
#define DISTANCE_BITS TESSERA_INFLATE_DISTANCE_BITS

enum { STATE_HEADER, STATE_STORED, STATE_SYMBOLS, STATE_END, STATE_CORRUPT };

// An entry of a table: bits 0 to 5 say how many bits to take off, extra bits included, and bits 6 and 7 how many literals
// there are, which stand in bits 8 to 31. Where there are none, the entry has a kind in bits 27 and 28, and
enum { KIND_MATCH = 0, KIND_END = 1, KIND_SUBTABLE = 2, KIND_INVALID = 3 };
// of a length or a distance the base in bits 8 to 22 and its code's bits without the extra ones in 23 to 26; of a table for
// the bits that follow its place and its bits there. A distance's base is less by one.
enum { BITS = 63, LITERALS = 3 << 6, VALUE_SHIFT = 8, CODE_SHIFT = 23, KIND_SHIFT = 27 };

static const uint16_t length_bases[29] = {
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
static const uint8_t length_extras[29] = {
    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};

static uint32_t made_entry(unsigned kind, unsigned value, unsigned code, unsigned extra) {
    return kind << KIND_SHIFT | code << CODE_SHIFT | value << VALUE_SHIFT | (code + extra);
}

static uint32_t literal_entry(unsigned symbol, unsigned code) {
    if (symbol < 256) return symbol << VALUE_SHIFT | 1 << 6 | code;
    if (symbol == 256) return made_entry(KIND_END, 0, code, 0);
    if (symbol > 285) return made_entry(KIND_INVALID, 0, code, 0);
    return made_entry(KIND_MATCH, length_bases[symbol - 257], code, length_extras[symbol - 257]);
}

static uint32_t distance_entry(unsigned symbol, unsigned code) {
    if (symbol > 29) return made_entry(KIND_INVALID, 0, code, 0);
    unsigned extra = symbol < 2 ? 0 : symbol / 2 - 1;
    return made_entry(KIND_MATCH, symbol < 2 ? symbol : (2 + symbol % 2) << extra, code, extra);
}

static inline unsigned kind_of(uint32_t entry) { return entry >> KIND_SHIFT & 3; }
static inline unsigned value_of(uint32_t entry) { return entry >> VALUE_SHIFT & 0x7FFF; }
static inline unsigned code_of(uint32_t entry) { return entry >> CODE_SHIFT & 15; }

// The entry for the next bits in the table to which `entry` refers.
static inline uint32_t in_subtable(const uint32_t *table, uint32_t entry, uint64_t bits) {
    return table[value_of(entry) + (bits & ((1u << code_of(entry)) - 1))];
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
    uint32_t (*entry)(unsigned, unsigned)) {
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
        for (unsigned i = 0; i < 1u << table_bits; i++) table[i] = made_entry(KIND_INVALID, 0, 0, 0);
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
            if (length <= table_bits) {
                const uint32_t value = entry(sorted[index], length);
                for (unsigned i = word; i < 1u << table_bits; i += 1u << length) table[i] = value;
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
                table[prefix] =
                    KIND_SUBTABLE << KIND_SHIFT | subtable_bits << CODE_SHIFT | subtable << VALUE_SHIFT | table_bits;
            }
            const uint32_t value = entry(sorted[index], length - table_bits);
            for (unsigned i = word >> table_bits; i < 1u << subtable_bits; i += 1u << (length - table_bits))
                table[subtable + i] = value;
        }
    }
    return 1;
}

// Lets an entry with a literal hold the literals that follow it, as far as the table's bits determine them. From the last
// entry down, since what an entry refers to lies below it and must still be single.
static void join_literals(uint32_t *table) {
    for (unsigned i = (1u << LITERAL_BITS); i-- > 0;) {
        uint32_t entry = table[i];
        if (!(entry & LITERALS)) continue;
        unsigned length = entry & BITS;
        uint32_t second = table[i >> length];
        // Where an entry refers to itself (all bits alike) it is still single, as it is for every lower one.
        unsigned total = length + (second & BITS);
        if (!(second & LITERALS) || total > LITERAL_BITS) continue;
        entry = (entry & 0xFF00) | (second & 0xFF00) << 8 | 2 << 6 | total;
        uint32_t third = table[i >> total];
        unsigned all = total + (third & BITS);
        if ((third & LITERALS) && all <= LITERAL_BITS) entry = (entry & 0xFFFF00) | (third & 0xFF00) << 16 | 3 << 6 | all;
        table[i] = entry;
    }
}

static int use_codes(struct tessera_inflate *s, const uint8_t *lengths, unsigned literals, unsigned distances) {
    if (!build(s->literals, LITERAL_BITS, sizeof s->literals / 4, lengths, literals, literal_entry)) return 0;
    join_literals(s->literals);
    memcpy(s->literal_lengths, lengths, 256);
    return build(
        s->distances, DISTANCE_BITS, sizeof s->distances / 4, lengths + literals, distances, distance_entry);
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

#define REFILL() (bits |= tessera_load_word(in) << count, in += (63 - count) >> 3, count |= 56)
// Shifts take the low six bits of their count, so that an entry is one.
#define DROP(entry) (bits >>= (entry) & BITS, count -= (entry) & BITS)

// The bytes that a pass of the loop may read and write; the input for the first look-up comes before.
enum { PASS_INPUT = 16, FAST_INPUT = PASS_INPUT + 8, FAST_OUTPUT = 258 + 64 };

// The value of a length or a distance whose entry and extra bits begin `bits`.
static inline unsigned with_extra(uint32_t entry, uint64_t bits) {
    return value_of(entry) + (unsigned)((bits & ((1ull << (entry & BITS)) - 1)) >> code_of(entry));
}

// The loop for where both ends are far away.
__attribute__((always_inline)) static inline int run_fast_body(
    struct tessera_inflate *s, const uint8_t **in_at, const uint8_t *in_end, uint8_t *history, uint8_t **out_at,
    uint8_t *out_end) {
    const uint8_t *in = *in_at;
    const uint8_t *in_last = in_end - PASS_INPUT;
    uint8_t *out = *out_at, *out_last = out_end - FAST_OUTPUT;
    uint64_t bits = s->bits;
    unsigned count = s->bit_count;
    const uint32_t *literals = s->literals, *distances = s->distances;
    const uint64_t mask = (1 << LITERAL_BITS) - 1;
    int result = -1;
    REFILL();
    // The next entry is looked up before a match is copied, which takes longer.
    uint32_t entry = literals[bits & mask];
#define TAKE_LITERALS()                                                                                               \
    {                                                                                                                 \
        uint32_t three = entry >> VALUE_SHIFT;                                                                        \
        memcpy(out, &three, 4);                                                                                       \
        out += entry >> 6 & 3;                                                                                        \
        DROP(entry);                                                                                                  \
        entry = literals[bits & mask];                                                                                \
    }
    // At most 33 bits of literals, and then 48 of a length and a distance, are taken between two refills.
    while (in <= in_last && out <= out_last) {
        if (entry & LITERALS) {
            TAKE_LITERALS()
            if (entry & LITERALS) {
                TAKE_LITERALS()
                if (entry & LITERALS) {
                    TAKE_LITERALS()
                    REFILL();
                    continue;
                }
            }
            REFILL();
        }
        if (kind_of(entry) != KIND_MATCH) {
            if (kind_of(entry) == KIND_SUBTABLE) {
                DROP(entry);
                entry = in_subtable(literals, entry, bits);
                if (entry & LITERALS) {
                    TAKE_LITERALS()
                    REFILL();
                    continue;
                }
            }
            if (kind_of(entry) != KIND_MATCH) {
                DROP(entry);
                if (kind_of(entry) == KIND_END) s->state = s->is_last_block ? STATE_END : STATE_HEADER;
                else result = TESSERA_INFLATE_CORRUPT;
                break;
            }
        }
        const unsigned length = with_extra(entry, bits);
        DROP(entry);
        entry = distances[bits & ((1 << DISTANCE_BITS) - 1)];
        if (kind_of(entry) == KIND_SUBTABLE) {
            DROP(entry);
            entry = in_subtable(distances, entry, bits);
        }
        const unsigned distance = with_extra(entry, bits) + 1;
        DROP(entry);
        if (kind_of(entry) != KIND_MATCH || distance > (size_t)(out - history)) {
            result = TESSERA_INFLATE_CORRUPT;
            break;
        }
        REFILL();
        entry = literals[bits & mask];
        copy_match(out, distance, length);
        out += length;
    }
#undef TAKE_LITERALS
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
        if (entry & LITERALS) {
            // Of several literals only the first is taken, by its own length.
            const uint8_t first = (uint8_t)(entry >> VALUE_SHIFT);
            entry = literal_entry(first, s->literal_lengths[first]);
        } else if (kind_of(entry) == KIND_SUBTABLE) {
            USE(LITERAL_BITS);
            entry = in_subtable(s->literals, entry, bits);
        }
        const int is_literal = (entry & LITERALS) != 0, is_end = !is_literal && kind_of(entry) == KIND_END;
        int is_wrong = !is_literal && kind_of(entry) == KIND_INVALID;
        const uint8_t literal = (uint8_t)(entry >> VALUE_SHIFT);
        if (!is_literal && !is_end && !is_wrong) {
            length = with_extra(entry, bits);
            USE(entry & BITS);
            entry = s->distances[bits & ((1 << DISTANCE_BITS) - 1)];
            if (kind_of(entry) == KIND_SUBTABLE) {
                USE(DISTANCE_BITS);
                entry = in_subtable(s->distances, entry, bits);
            }
            is_wrong = kind_of(entry) == KIND_INVALID;
            distance = with_extra(entry, bits) + 1;
            is_wrong = is_wrong || distance > (size_t)(out - history);
        }
        USE(entry & BITS);
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
