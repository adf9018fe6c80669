#ifndef TESSERA_JPEG_DESTINATION_H
#define TESSERA_JPEG_DESTINATION_H

// The growing buffer that libjpeg's encoders write to, and their common settings. Private to this target.

#include <stdlib.h>

#include "trap.h"

typedef struct {
    // First, so that libjpeg's pointer to it is one to the whole.
    struct jpeg_destination_mgr manager;
    tessera_jpeg_trap *trap;
    uint8_t *buffer;
    size_t capacity;
} tessera_jpeg_destination;

static inline void tessera_destination_noop(j_compress_ptr info) {
    (void)info;
}

/// The buffer is full: enlarges it. The caller limits its size by draining it.
static inline boolean tessera_destination_grow(j_compress_ptr info) {
    tessera_jpeg_destination *destination = (tessera_jpeg_destination *)info->dest;
    size_t capacity = destination->capacity;
    uint8_t *buffer = capacity <= SIZE_MAX / 2 ? realloc(destination->buffer, capacity * 2) : NULL;
    if (!buffer) {
        tessera_fail(&destination->trap->outcome, TESSERA_NO_MEMORY, "Insufficient memory");
        longjmp(destination->trap->entry, 1);
    }
    destination->buffer = buffer;
    destination->manager.next_output_byte = buffer + capacity;
    destination->manager.free_in_buffer = capacity;
    destination->capacity = capacity * 2;
    return TRUE;
}

/// Forgets the bytes that are there.
static inline void tessera_destination_drain(tessera_jpeg_destination *destination) {
    destination->manager.next_output_byte = destination->buffer;
    destination->manager.free_in_buffer = destination->capacity;
}

/// How many bytes are there.
static inline size_t tessera_destination_length(const tessera_jpeg_destination *destination) {
    return destination->capacity - destination->manager.free_in_buffer;
}

/// Takes over a buffer of `length` bytes in place of the present one.
static inline void tessera_destination_take(tessera_jpeg_destination *destination, uint8_t *buffer, size_t length) {
    free(destination->buffer);
    destination->buffer = buffer;
    destination->capacity = length;
    destination->manager.next_output_byte = buffer + length;
    destination->manager.free_in_buffer = 0;
}

/// Allocates the buffer, which `free(destination->buffer)` releases; false without memory.
static inline bool tessera_destination_create(tessera_jpeg_destination *destination, tessera_jpeg_trap *trap) {
    enum { FIRST_CAPACITY = 65536 };
    destination->manager.init_destination = tessera_destination_noop;
    destination->manager.empty_output_buffer = tessera_destination_grow;
    destination->manager.term_destination = tessera_destination_noop;
    destination->trap = trap;
    destination->buffer = malloc(FIRST_CAPACITY);
    destination->capacity = destination->buffer ? FIRST_CAPACITY : 0;
    tessera_destination_drain(destination);
    return destination->buffer != NULL;
}

/// Sets the kind of pixels and the quality. False for an unsupported kind.
static inline bool tessera_set_encoding(struct jpeg_compress_struct *info, int32_t pixels, int32_t quality) {
    switch (pixels) {
    case TESSERA_JPEG_PIXELS_GRAY8:
        info->input_components = 1;
        info->in_color_space = JCS_GRAYSCALE;
        break;
    case TESSERA_JPEG_PIXELS_RGBA8:
        info->input_components = 4;
        info->in_color_space = JCS_EXT_RGBX;
        break;
    case TESSERA_JPEG_PIXELS_CMYK8:
        info->input_components = 4;
        info->in_color_space = JCS_CMYK;
        break;
    case TESSERA_JPEG_PIXELS_PLANES:
        info->input_components = 3;
        info->in_color_space = JCS_YCbCr;
        break;
    default:
        return false;
    }
    jpeg_set_defaults(info);
    jpeg_set_quality(info, quality, TRUE);
    info->dct_method = JDCT_ISLOW;
    return true;
}

#endif
