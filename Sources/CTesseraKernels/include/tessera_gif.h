#ifndef TESSERA_GIF_KERNELS_H
#define TESSERA_GIF_KERNELS_H

#include <stddef.h>
#include <stdint.h>

enum {
    TESSERA_GIF_CODES = 4096,
    /// Bytes that may be written beyond those wanted: the longest string, and the rest of a word.
    TESSERA_GIF_OVERRUN = TESSERA_GIF_CODES + 8
};

/// Why unpacking stopped.
enum {
    /// The output has as many bytes as are wanted.
    TESSERA_GIF_FULL,
    /// The input has been used up.
    TESSERA_GIF_NEEDS_INPUT,
    /// The end code was read.
    TESSERA_GIF_ENDED,
    /// A code was read that has no string yet.
    TESSERA_GIF_CORRUPT
};

/// A code's string: its last one to eight bytes, the lowest first, and the code of those before them.
typedef struct {
    uint64_t suffix;
    uint16_t prefix;
    /// The string's length minus one.
    uint16_t last;
} tessera_gif_string;

/// The place in the codes, and the table.
typedef struct {
    uint64_t bits;
    uint32_t bit_count;
    uint32_t width;
    /// The clear code; the end code follows it.
    uint32_t clear;
    /// The code of the next string.
    uint32_t next;
    /// The code before, or -1 behind a clear code, and the first byte of its string.
    int32_t previous;
    uint8_t first;
} tessera_gif_state;

/// Begins with codes that stand for bytes of `code_size` bits, 1 to 8.
void tessera_gif_begin(tessera_gif_state *state, tessera_gif_string strings[TESSERA_GIF_CODES], uint32_t code_size);

/// Unpacks LZW as GIF89a (appendix F) has it: codes that grow to 12 bits, the lowest bits first. Goes on from `position` and
/// `filled`, which it advances, to `wanted` bytes of output.
int32_t tessera_gif_unpack(
    tessera_gif_state *state, tessera_gif_string strings[TESSERA_GIF_CODES], const uint8_t *from, size_t length,
    size_t *position, uint8_t *into, size_t *filled, size_t wanted);

#endif
