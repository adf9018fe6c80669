#include "file.h"

bool tessera_tiff_available(void) {
#if __has_include(<tiffio.h>)
    return true;
#else
    return false;
#endif
}

#if __has_include(<tiffio.h>)

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void tessera_tiff_complain(tessera_tiff_file *file, const char *text) {
    if (file->message[0] == 0) snprintf(file->message, sizeof file->message, "%s", text);
}

static int keep_error(TIFF *tiff, void *user_data, const char *module, const char *format, va_list arguments) {
    (void)tiff;
    (void)module;
    tessera_tiff_file *file = user_data;
    if (file->message[0] == 0) vsnprintf(file->message, sizeof file->message, format, arguments);
    // The message doesn't go on to the global handlers.
    return 1;
}

static int drop_warning(TIFF *tiff, void *user_data, const char *module, const char *format, va_list arguments) {
    (void)tiff;
    (void)user_data;
    (void)module;
    (void)format;
    (void)arguments;
    return 1;
}

static tmsize_t read_bytes(thandle_t client, void *into, tmsize_t count) {
    tessera_tiff_file *file = (tessera_tiff_file *)client;
    if (count <= 0 || file->position >= file->input.length) return 0;
    uint64_t left = file->input.length - file->position;
    size_t wanted = (uint64_t)count < left ? (size_t)count : (size_t)left;
    size_t taken = 0;
    if (file->input.bytes != NULL) {
        memcpy(into, file->input.bytes + file->position, wanted);
        taken = wanted;
    }
    while (taken < wanted) {
        ssize_t got = pread(
            file->input.file, (uint8_t *)into + taken, wanted - taken, (off_t)(file->position + taken));
        if (got < 0 && errno == EINTR) continue;
        // An early end means that the file has become shorter, which libtiff detects.
        if (got <= 0) break;
        taken += (size_t)got;
    }
    file->position += taken;
    return (tmsize_t)taken;
}

static tmsize_t write_nothing(thandle_t client, void *from, tmsize_t count) {
    (void)client;
    (void)from;
    (void)count;
    return 0;
}

static toff_t seek_bytes(thandle_t client, toff_t offset, int whence) {
    tessera_tiff_file *file = (tessera_tiff_file *)client;
    switch (whence) {
    case SEEK_CUR: file->position += offset; break;
    case SEEK_END: file->position = file->input.length + offset; break;
    default: file->position = offset; break;
    }
    return file->position;
}

static toff_t count_bytes(thandle_t client) { return ((tessera_tiff_file *)client)->input.length; }

static int close_nothing(thandle_t client) {
    (void)client;
    return 0;
}

static int map_nothing(thandle_t client, void **base, toff_t *size) {
    (void)client;
    (void)base;
    (void)size;
    return 0;
}

static void unmap_nothing(thandle_t client, void *base, toff_t size) {
    (void)client;
    (void)base;
    (void)size;
}

bool tessera_tiff_open(
    tessera_tiff_file *file, const char *mode, TIFFReadWriteProc write, uint64_t maximum_allocation) {
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (options == NULL) return false;
    // 0 would mean no limit.
    uint64_t cap = maximum_allocation == 0 ? 1 : maximum_allocation > INT64_MAX ? INT64_MAX : maximum_allocation;
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)cap);
    TIFFOpenOptionsSetErrorHandlerExtR(options, keep_error, file);
    TIFFOpenOptionsSetWarningHandlerExtR(options, drop_warning, NULL);
    file->tiff = TIFFClientOpenExt(
        "memory", mode, file, read_bytes, write != NULL ? write : write_nothing, seek_bytes, close_nothing, count_bytes,
        map_nothing, unmap_nothing, options);
    TIFFOpenOptionsFree(options);
    return file->tiff != NULL;
}

#endif
