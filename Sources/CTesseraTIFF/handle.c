#include "handle.h"

bool tessera_tiff_available(void) {
#if __has_include(<tiffio.h>)
    return true;
#else
    return false;
#endif
}

#if __has_include(<tiffio.h>)

#include <stdarg.h>
#include <stdio.h>

void tessera_tiff_complain(tessera_tiff_message *message, const char *text) {
    if (message->text[0] == 0) snprintf(message->text, sizeof message->text, "%s", text);
}

static int keep_error(TIFF *tiff, void *user_data, const char *module, const char *format, va_list arguments) {
    (void)tiff;
    (void)module;
    tessera_tiff_message *message = user_data;
    if (message->text[0] == 0) vsnprintf(message->text, sizeof message->text, format, arguments);
    // Not on to the global handlers.
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

TIFF *tessera_tiff_open(
    const char *mode, thandle_t client, TIFFReadWriteProc read, TIFFReadWriteProc write, TIFFSeekProc seek,
    TIFFSizeProc size, tessera_tiff_message *message, uint64_t maximum_allocation) {
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (options == NULL) return NULL;
    // 0 would stand for no cap.
    uint64_t cap = maximum_allocation == 0 ? 1 : maximum_allocation > INT64_MAX ? INT64_MAX : maximum_allocation;
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)cap);
    TIFFOpenOptionsSetErrorHandlerExtR(options, keep_error, message);
    TIFFOpenOptionsSetWarningHandlerExtR(options, drop_warning, message);
    TIFF *tiff = TIFFClientOpenExt(
        "memory", mode, client, read, write, seek, close_nothing, size, map_nothing, unmap_nothing, options);
    TIFFOpenOptionsFree(options);
    return tiff;
}

#endif
