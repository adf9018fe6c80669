#include "tessera_tiff.h"

#include <string.h>

enum { CLEAR = 256, END = 257, FIRST = 258, TABLE = 4096, FIRST_WIDTH = 9, LAST_WIDTH = 12 };

/// The strings of codes. Each has its first bytes here, in the order of memory, since most are short, and a place in the
/// output where all of it is: there it is the string before it and the byte that follows.
typedef struct {
    uint32_t start[TABLE];
    uint32_t offset[TABLE];
    uint32_t length[TABLE];
} strings;

enum { START = sizeof(uint32_t) };

/// Copies the rest of a string, which may reach into its own copy.
static inline void copy(uint8_t *to, const uint8_t *from, size_t length, size_t room) {
    size_t distance = (size_t)(to - from);
    if (distance >= 8 && room >= length + 8) {
        for (size_t done = 0; done < length; done += 8)
            memcpy(to + done, from + done, 8);
        return;
    }
    for (size_t done = 0; done < length; done++)
        to[done] = from[done];
}

static inline uint32_t byte_at(uint32_t index, uint8_t byte) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return (uint32_t)byte << 8 * index;
#else
    return (uint32_t)byte << 8 * (START - 1 - index);
#endif
}

static inline uint8_t first_byte(uint32_t start) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return (uint8_t)start;
#else
    return (uint8_t)(start >> 24);
#endif
}

ptrdiff_t tessera_lzw_unpack(const uint8_t *from, size_t length, uint8_t *into, size_t capacity) {
    // Offsets have 32 bits; strips and tiles are smaller.
    if (capacity > UINT32_MAX / 2 || length < 2)
        return -1;
    // The first code clears the table. The oldest writers began at the lowest bit.
    if ((from[0] << 1 | from[1] >> 7) != CLEAR)
        return -1;
    strings table;
    for (unsigned code = 0; code < CLEAR; code++) {
        table.start[code] = byte_at(0, (uint8_t)code);
        table.length[code] = 1;
    }
    uint64_t bits = 0;
    unsigned count = 0, width = FIRST_WIDTH, next = FIRST;
    size_t position = 0, done = 0;
    uint32_t last_start = 0, last_length = 0, last_offset = 0;
    while (done < capacity) {
        if (count < width) {
            if (length - position >= 8) {
                uint64_t word;
                memcpy(&word, from + position, 8);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
                word = __builtin_bswap64(word);
#endif
                // As many whole bytes as fit.
                unsigned bytes = (63 - count) / 8;
                bits = bits << 8 * bytes | word >> (64 - 8 * bytes);
                count += 8 * bytes;
                position += bytes;
            } else {
                while (count < width && position < length) {
                    bits = bits << 8 | from[position++];
                    count += 8;
                }
                if (count < width)
                    break;
            }
        }
        count -= width;
        unsigned code = (unsigned)(bits >> count) & ((1u << width) - 1);
        if (code == CLEAR) {
            width = FIRST_WIDTH;
            next = FIRST;
            last_length = 0;
            continue;
        }
        if (code == END)
            break;
        uint32_t start = 0, string = 0, offset = 0;
        if (code < next) {
            start = table.start[code];
            string = table.length[code];
            offset = table.offset[code];
        } else if (code == next && last_length > 0) {
            // The string before it and its own first byte.
            start = last_start | (last_length < START ? byte_at(last_length, first_byte(last_start)) : 0);
            string = last_length + 1;
            offset = last_offset;
        } else {
            return -1;
        }
        if (last_length > 0) {
            // Some writers never clear a full table; that isn't read here.
            if (next == TABLE)
                return -1;
            table.start[next] = last_start | (last_length < START ? byte_at(last_length, first_byte(start)) : 0);
            table.length[next] = last_length + 1;
            table.offset[next] = last_offset;
            next++;
            if (next == (1u << width) - 1 && width < LAST_WIDTH)
                width++;
        }
        size_t room = capacity - done;
        if (string > room)
            string = (uint32_t)room;
        if (room >= START) {
            memcpy(into + done, &start, START);
            if (string > START)
                copy(into + done + START, into + offset + START, string - START, room - START);
        } else {
            for (uint32_t index = 0; index < string; index++)
                into[done + index] = ((const uint8_t *)&start)[index];
        }
        last_start = start;
        last_length = string;
        last_offset = (uint32_t)done;
        done += string;
    }
    return (ptrdiff_t)done;
}

void tessera_add_left(uint8_t *row, size_t length, size_t step) {
    if (step == 3) {
        uint8_t first = 0, second = 0, third = 0;
        for (size_t index = 0; index + 3 <= length; index += 3) {
            row[index] = first = (uint8_t)(first + row[index]);
            row[index + 1] = second = (uint8_t)(second + row[index + 1]);
            row[index + 2] = third = (uint8_t)(third + row[index + 2]);
        }
        for (size_t index = length - length % 3; index < length && index >= 3; index++)
            row[index] = (uint8_t)(row[index] + row[index - 3]);
        return;
    }
    for (size_t index = step; index < length; index++)
        row[index] = (uint8_t)(row[index] + row[index - step]);
}

void tessera_add_left_wide(uint8_t *row, size_t count, size_t step) {
    for (size_t index = step; index < count; index++) {
        uint16_t value, left;
        memcpy(&value, row + 2 * index, 2);
        memcpy(&left, row + 2 * (index - step), 2);
        value = (uint16_t)(value + left);
        memcpy(row + 2 * index, &value, 2);
    }
}
