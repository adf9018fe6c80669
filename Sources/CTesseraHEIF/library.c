#include "avc.h"
#include "hevc.h"
#include "library.h"

#ifdef TESSERA_HEIF_HEADERS

#include <pthread.h>

tessera_heif_functions tessera_heif;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool loaded;

#ifdef __APPLE__
static const char *const name = "libheif.1.dylib";
#else
static const char *const name = "libheif.so.1";
#endif

static const char *const functions[] = {TESSERA_HEIF_FUNCTIONS(TESSERA_FUNCTION_NAME)};

static void load(void) {
    loaded = tessera_load_functions(name, functions, sizeof functions / sizeof *functions, &tessera_heif)
             && tessera_heif.heif_init(NULL).code == heif_error_Ok;
    // libheif decodes with libde265, which prints a line for damage that it also reports.
    if (loaded) {
        tessera_silence("libde265.so.0");
        tessera_hevc_register();
        tessera_avc_register();
    }
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

int32_t tessera_heif_check(tessera_outcome *outcome, struct heif_error error) {
    if (error.code == heif_error_Ok)
        return TESSERA_OK;
    int32_t status = TESSERA_CORRUPT;
    if (error.subcode == heif_suberror_End_of_data)
        status = TESSERA_TRUNCATED;
    else if (error.subcode == heif_suberror_Security_limit_exceeded)
        status = TESSERA_LIMIT;
    else if (error.code == heif_error_Memory_allocation_error)
        status = TESSERA_NO_MEMORY;
    else if (error.code == heif_error_Unsupported_feature || error.code == heif_error_Unsupported_filetype)
        status = TESSERA_UNSUPPORTED;
    else if (error.code == heif_error_Usage_error)
        status = TESSERA_MISUSE;
    return tessera_fail(outcome, status, error.message ? error.message : "libheif says nothing more");
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
