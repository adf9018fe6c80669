#ifndef TESSERA_INFLATE_H
#define TESSERA_INFLATE_H

#include <stddef.h>
#include <stdint.h>

/// Unpacks deflate data (RFC 1951) in pieces, made for the residuals of photographs: most symbols there are literals of
/// a few bits, and one look-up yields up to three of them.

#define TESSERA_INFLATE_LITERAL_BITS 11
#define TESSERA_INFLATE_DISTANCE_BITS 9

enum {
    /// The room for output is full.
    TESSERA_INFLATE_OUTPUT_FULL = 0,
    /// What is left of the input is no whole symbol, or no whole block header.
    TESSERA_INFLATE_NEEDS_INPUT = 1,
    /// The last block has ended.
    TESSERA_INFLATE_END = 2,
    /// The input is no deflate data.
    TESSERA_INFLATE_CORRUPT = 3,
};

/// How many bytes a block's header can take: what is left of an input that isn't the last may be this long.
#define TESSERA_INFLATE_HEADER_BYTES 640

struct tessera_inflate {
    uint64_t bits;
    unsigned bit_count;
    unsigned state;
    unsigned is_last_block;
    unsigned stored;
    unsigned match_length;
    unsigned match_distance;
    uint8_t literal_lengths[256];
    uint32_t literals[(1 << TESSERA_INFLATE_LITERAL_BITS) + 1024];
    uint32_t distances[(1 << TESSERA_INFLATE_DISTANCE_BITS) + 512];
};

/// Begins a stream.
void tessera_inflate_begin(struct tessera_inflate *inflate);

/// Unpacks from `*in`, up to `in_end`, to `*out`, up to `out_end`, and moves both on. Between `history` and `*out` stands
/// what was unpacked before, 32 KiB of it or all. `is_final`: whether no input follows.
///
/// Input that is left over must come again in the next call, with more behind it. No whole byte is kept back, so that at
/// the end `*in` is where the stream's next byte is.
int tessera_inflate_run(
    struct tessera_inflate *inflate, const uint8_t **in, const uint8_t *in_end, uint8_t *history, uint8_t **out,
    uint8_t *out_end, int is_final);

#endif
