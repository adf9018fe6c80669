#ifndef TESSERA_WORDS_H
#define TESSERA_WORDS_H

#include <stdint.h>
#include <string.h>

/// A word whose lowest byte is the first in memory, wherever it begins.
static inline uint64_t tessera_load_word(const uint8_t *from) {
    uint64_t word;
    memcpy(&word, from, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/// Writes a word as `tessera_load_word` reads it.
static inline void tessera_store_word(uint8_t *to, uint64_t word) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    memcpy(to, &word, sizeof word);
}

#endif
