#include "tessera_gif.h"
#include "words.h"

enum { LAST_WIDTH = 12 };

/// Gives `code` the string of `previous` and a byte behind it.
static inline void add(tessera_gif_string *strings, uint32_t code, uint32_t previous, uint8_t byte) {
    tessera_gif_string string = strings[previous];
    string.last++;
    if (string.last & 7) {
        string.suffix |= (uint64_t)byte << 8 * (string.last & 7);
    } else {
        string.suffix = byte;
        string.prefix = (uint16_t)previous;
    }
    strings[code] = string;
}

void tessera_gif_begin(tessera_gif_state *state, tessera_gif_string strings[TESSERA_GIF_CODES], uint32_t code_size) {
    uint32_t clear = 1u << code_size;
    *state = (tessera_gif_state){.width = code_size + 1, .clear = clear, .next = clear + 2, .previous = -1};
    // Other codes are read only once they have strings.
    for (uint32_t value = 0; value < clear; value++)
        strings[value] = (tessera_gif_string){.suffix = value};
}

int32_t tessera_gif_unpack(
    tessera_gif_state *state, tessera_gif_string strings[TESSERA_GIF_CODES], const uint8_t *from, size_t length,
    size_t *position, uint8_t *into, size_t *filled, size_t wanted) {
    const uint32_t clear = state->clear;
    uint64_t bits = state->bits;
    uint32_t bit_count = state->bit_count, width = state->width, next = state->next;
    int32_t previous = state->previous;
    uint8_t first = state->first;
    size_t at = *position, done = *filled;
    int32_t stop = TESSERA_GIF_FULL;
    while (done < wanted) {
        if (bit_count < width) {
            if (length - at >= 8) {
                bits |= tessera_load_word(from + at) << bit_count;
                uint32_t bytes = (63 - bit_count) >> 3;
                at += bytes;
                bit_count += bytes << 3;
                // The bits above are loaded again.
                bits &= ~(uint64_t)0 >> (64 - bit_count);
            } else {
                while (bit_count < width && at < length) {
                    bits |= (uint64_t)from[at++] << bit_count;
                    bit_count += 8;
                }
                if (bit_count < width) {
                    stop = TESSERA_GIF_NEEDS_INPUT;
                    break;
                }
            }
        }
        uint32_t code = (uint32_t)bits & ((1u << width) - 1);
        bits >>= width;
        bit_count -= width;
        if (code == clear) {
            width = 32 - (uint32_t)__builtin_clz(clear);
            next = clear + 2;
            previous = -1;
            continue;
        }
        if (code == clear + 1) {
            stop = TESSERA_GIF_ENDED;
            break;
        }
        // A byte is a string like others: a branch for bytes would be mispredicted half the time.
        if (code >= next) {
            if (code > next || previous < 0) {
                stop = TESSERA_GIF_CORRUPT;
                break;
            }
            // The string before and its own first byte.
            add(strings, next, (uint32_t)previous, first);
        }
        tessera_gif_string string = strings[code];
        size_t count = (size_t)string.last + 1, place = done + (string.last & ~7u);
        tessera_store_word(into + place, string.suffix);
        while (place > done) {
            place -= 8;
            string = strings[string.prefix];
            tessera_store_word(into + place, string.suffix);
        }
        done += count;
        first = (uint8_t)string.suffix;
        // A full table stays as it is until it is cleared.
        if (previous >= 0 && next < TESSERA_GIF_CODES) {
            add(strings, next, (uint32_t)previous, first);
            next++;
            if (next >> width > 0 && width < LAST_WIDTH)
                width++;
        }
        previous = (int32_t)code;
    }
    state->bits = bits;
    state->bit_count = bit_count;
    state->width = width;
    state->next = next;
    state->previous = previous;
    state->first = first;
    *position = at;
    *filled = done;
    return stop;
}
