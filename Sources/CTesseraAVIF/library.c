#include "library.h"

#ifdef TESSERA_AVIF_HEADERS

#include <pthread.h>
#include <stdio.h>
#include <string.h>

tessera_avif_functions tessera_avif;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool loaded;

// The structures differ between versions, so only the headers' version of the library is loaded.
#if AVIF_VERSION >= 1000000
static const char *const package = "libavif16";
#ifdef __APPLE__
static const char *const name = "libavif.16.dylib";
#else
static const char *const name = "libavif.so.16";
#endif
#else
static const char *const package = "libavif15";
#ifdef __APPLE__
static const char *const name = "libavif.15.dylib";
#else
static const char *const name = "libavif.so.15";
#endif
#endif

static const char *const functions[] = {TESSERA_AVIF_FUNCTIONS(TESSERA_FUNCTION_NAME)};

static void load(void) {
    loaded = tessera_load_functions(name, functions, sizeof functions / sizeof *functions, &tessera_avif);
}

bool tessera_avif_available(void) {
    return true;
}

bool tessera_avif_load(void) {
    pthread_once(&once, load);
    return loaded;
}

const char *tessera_avif_package(void) {
    return package;
}

bool tessera_avif_can_encode(void) {
    return tessera_avif_load() && tessera_avif.avifCodecName(AVIF_CODEC_CHOICE_AUTO, AVIF_CODEC_FLAG_CAN_ENCODE);
}

int32_t tessera_avif_status(avifResult result) {
    switch (result) {
    case AVIF_RESULT_OK:
        return TESSERA_OK;
    case AVIF_RESULT_WAITING_ON_IO:
        return TESSERA_NEED_MORE;
    case AVIF_RESULT_TRUNCATED_DATA:
    case AVIF_RESULT_IO_ERROR:
        return TESSERA_TRUNCATED;
    case AVIF_RESULT_UNSUPPORTED_DEPTH:
    case AVIF_RESULT_REFORMAT_FAILED:
    case AVIF_RESULT_NO_CODEC_AVAILABLE:
    case AVIF_RESULT_NOT_IMPLEMENTED:
    case AVIF_RESULT_NO_AV1_ITEMS_FOUND:
        return TESSERA_UNSUPPORTED;
    case AVIF_RESULT_OUT_OF_MEMORY:
        return TESSERA_NO_MEMORY;
    case AVIF_RESULT_INVALID_ARGUMENT:
    case AVIF_RESULT_IO_NOT_SET:
        return TESSERA_MISUSE;
    default:
        return TESSERA_CORRUPT;
    }
}

int32_t tessera_avif_check(tessera_outcome *outcome, avifResult result, const avifDiagnostics *diagnostics) {
    int32_t status = tessera_avif_status(result);
    if (status >= 0)
        return status;
    // The library has no separate code for its limits.
    if (strstr(diagnostics->error, "too large"))
        status = TESSERA_LIMIT;
    char message[sizeof outcome->message];
    const char *what = tessera_avif.avifResultToString(result);
    if (diagnostics->error[0])
        snprintf(message, sizeof message, "%s: %s", what, diagnostics->error);
    else
        snprintf(message, sizeof message, "%s", what);
    return tessera_fail(outcome, status, message);
}

#else

bool tessera_avif_available(void) {
    return false;
}

bool tessera_avif_load(void) {
    return false;
}

const char *tessera_avif_package(void) {
    return "libavif-dev";
}

bool tessera_avif_can_encode(void) {
    return false;
}

#endif
