#ifndef CZLIB_ORACLE_H
#define CZLIB_ORACLE_H

#include <stddef.h>
#include <stdint.h>

/// Unpacks raw deflate data (RFC 1951) with zlib, to at most `capacity` bytes. `made` says how many there are.
/// Returns 1 at the stream's end, 0 where input or room ran out, -1 where the data is no deflate stream.
int zlib_oracle_inflate(const uint8_t *bytes, size_t count, uint8_t *into, size_t capacity, size_t *made);

/// Packs with zlib at `level`, to at most `capacity` bytes; how many there are, 0 where they don't fit.
size_t zlib_oracle_deflate(const uint8_t *bytes, size_t count, int level, uint8_t *into, size_t capacity);

/// The CRC-32 of bytes that come after those of which it is `start`.
uint32_t zlib_oracle_crc32(uint32_t start, const uint8_t *bytes, size_t count);

#endif
