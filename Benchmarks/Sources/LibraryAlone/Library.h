#ifndef LIBRARY_H
#define LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Rows of RGBA bytes without padding.
typedef struct {
    uint8_t *bytes;
    int width;
    int height;
} picture;

/// A file in memory.
typedef struct {
    uint8_t *bytes;
    size_t length;
} file;

/// A library with nothing around it. Each function ends the program if the library reports an error.
typedef struct {
    const char *format;
    /// Writes the library's name and version, and those of the codec that it decodes or encodes with.
    void (*name)(char *name, size_t capacity, bool encodes);
    /// Decodes into memory that the function allocates.
    picture (*decode)(file file, int threads);
    /// Encodes with the settings that Tessera uses at quality 0.8; null where it isn't compared.
    file (*encode)(picture picture, int threads);
} library;

extern const library avif_library, heif_library, jxl_library, webp_library;

/// Prints the reason as a line of JSON, and ends the program.
_Noreturn void fail(const char *reason);

/// Memory without contents; ends the program if there is none.
void *allocate(size_t length);

#endif
