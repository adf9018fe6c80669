#include "CZlibOracle.h"

#include <zlib.h>

int zlib_oracle_inflate(const uint8_t *bytes, size_t count, uint8_t *into, size_t capacity, size_t *made) {
    z_stream stream = {0};
    *made = 0;
    if (inflateInit2(&stream, -15) != Z_OK) return 0;
    stream.next_in = (Bytef *)bytes;
    stream.avail_in = (uInt)count;
    stream.next_out = into;
    stream.avail_out = (uInt)capacity;
    int status = inflate(&stream, Z_SYNC_FLUSH);
    *made = capacity - stream.avail_out;
    inflateEnd(&stream);
    return status == Z_STREAM_END ? 1 : status == Z_DATA_ERROR ? -1 : 0;
}

size_t zlib_oracle_deflate(const uint8_t *bytes, size_t count, int level, uint8_t *into, size_t capacity) {
    z_stream stream = {0};
    if (deflateInit2(&stream, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
    stream.next_in = (Bytef *)bytes;
    stream.avail_in = (uInt)count;
    stream.next_out = into;
    stream.avail_out = (uInt)capacity;
    int status = deflate(&stream, Z_FINISH);
    size_t made = capacity - stream.avail_out;
    deflateEnd(&stream);
    return status == Z_STREAM_END ? made : 0;
}

uint32_t zlib_oracle_crc32(uint32_t start, const uint8_t *bytes, size_t count) {
    return (uint32_t)crc32_z(start, bytes, count);
}
