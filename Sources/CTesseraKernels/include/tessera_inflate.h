#ifndef TESSERA_INFLATE_H
#define TESSERA_INFLATE_H

#include <stddef.h>
#include <stdint.h>

/// Unpacks deflate data (RFC 1951) in pieces, made for the residuals of photographs: most symbols there are short matches, one
/// after the other, or literals of a few bits, of which one look-up yields up to three.

#define TESSERA_INFLATE_LITERAL_BITS 11
#define TESSERA_INFLATE_DISTANCE_BITS 9

enum {
    /// The room for output is full.
    TESSERA_INFLATE_OUTPUT_FULL = 0,
    /// The rest of the input isn't a whole symbol or block header.
    TESSERA_INFLATE_NEEDS_INPUT = 1,
    /// The last block has ended.
    TESSERA_INFLATE_END = 2,
    /// The input isn't deflate data.
    TESSERA_INFLATE_CORRUPT = 3,
};

/// The longest header of a block in bytes: the rest of an input that isn't the last may be this long.
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

/// Unpacks from `*in`, up to `in_end`, to `*out`, up to `out_end`, and moves both on. Between `history` and `*out` is
/// the output before, its last 32 KiB or all. `is_final`: whether no input follows.
///
/// Input that is left over must be passed again in the next call, with more after it. No whole byte is buffered, so
/// that at the end `*in` is the byte after the stream.
int tessera_inflate_run(
    struct tessera_inflate *inflate, const uint8_t **in, const uint8_t *in_end, uint8_t *history, uint8_t **out,
    uint8_t *out_end, int is_final);

#endif
