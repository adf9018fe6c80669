#include "library.h"

#ifdef TESSERA_CURL_IS_BUILT

#include <pthread.h>

#ifdef __APPLE__
static const char *const library_names[] = {"libcurl.4.dylib"};
#else
// Debian has one with OpenSSL, which is the usual one, and one with GnuTLS.
static const char *const library_names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
#endif

static const char *const names[] = {TESSERA_CURL_FUNCTIONS(TESSERA_FUNCTION_NAME)};
static tessera_curl_functions functions;
static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    for (size_t index = 0; index < sizeof library_names / sizeof *library_names && !is_loaded; index++)
        is_loaded = tessera_load_functions(library_names[index], names, sizeof names / sizeof *names, &functions);
    is_loaded = is_loaded && functions.curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

const tessera_curl_functions *tessera_curl_library(void) {
    pthread_once(&once, load);
    return is_loaded ? &functions : NULL;
}

bool tessera_curl_load(void) {
    return tessera_curl_library() != NULL;
}

#else

bool tessera_curl_load(void) {
    return false;
}

#endif
