#include "library.h"

#ifdef TESSERA_HEIF_HEADERS

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

tessera_heif_functions tessera_heif;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool loaded;

#ifdef __APPLE__
static const char *const name = "libheif.1.dylib";
#else
static const char *const name = "libheif.so.1";
#endif

static void load(void) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return;
    bool complete = true;
#define X(function) \
    tessera_heif.function = (__typeof__(tessera_heif.function))dlsym(library, #function); \
    complete = complete && tessera_heif.function;
    TESSERA_HEIF_FUNCTIONS(X)
#undef X
    // An older library than the headers lacks some; it is never unloaded otherwise.
    if (!complete) {
        dlclose(library);
        return;
    }
    loaded = tessera_heif.heif_init(NULL).code == heif_error_Ok;
}

bool tessera_heif_available(void) {
    return true;
}

bool tessera_heif_load(void) {
    pthread_once(&once, load);
    return loaded;
}

bool tessera_heif_can_encode(void) {
    return tessera_heif_load() && tessera_heif.heif_have_encoder_for_format(heif_compression_HEVC);
}

int32_t tessera_heif_fail(tessera_heif_outcome *outcome, int32_t status, const char *message) {
    if (outcome->status >= 0) {
        outcome->status = status;
        strncpy(outcome->message, message, TESSERA_HEIF_MESSAGE_LENGTH - 1);
    }
    return outcome->status;
}

int32_t tessera_heif_check(tessera_heif_outcome *outcome, struct heif_error error) {
    if (error.code == heif_error_Ok)
        return TESSERA_HEIF_OK;
    int32_t status = TESSERA_HEIF_CORRUPT;
    if (error.subcode == heif_suberror_End_of_data)
        status = TESSERA_HEIF_TRUNCATED;
    else if (error.subcode == heif_suberror_Security_limit_exceeded)
        status = TESSERA_HEIF_LIMIT;
    else if (error.code == heif_error_Memory_allocation_error)
        status = TESSERA_HEIF_NO_MEMORY;
    else if (error.code == heif_error_Unsupported_feature || error.code == heif_error_Unsupported_filetype)
        status = TESSERA_HEIF_UNSUPPORTED;
    else if (error.code == heif_error_Usage_error)
        status = TESSERA_HEIF_MISUSE;
    return tessera_heif_fail(outcome, status, error.message ? error.message : "libheif says nothing more");
}

#else

bool tessera_heif_available(void) {
    return false;
}

bool tessera_heif_load(void) {
    return false;
}

bool tessera_heif_can_encode(void) {
    return false;
}

#endif
