#ifndef CTESSERA_PNG_ORACLE_H
#define CTESSERA_PNG_ORACLE_H

#include <stddef.h>
#include <stdint.h>

/// Decodes a PNG file with libpng: four channels of sixteen bits, values as stored, in the machine's byte order.
/// Returns 0 and memory for the caller to free, or another number when libpng gives up.
int tessera_oracle_read_png(const uint8_t *bytes, size_t count, uint32_t *width, uint32_t *height, uint16_t **pixels);

#endif
