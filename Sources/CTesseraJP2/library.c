#include "library.h"

#ifdef TESSERA_JP2_IS_BUILT

#include <pthread.h>
#include <string.h>

#ifdef __APPLE__
static const char *const library_name = "libopenjp2.7.dylib";
#else
static const char *const library_name = "libopenjp2.so.7";
#endif

static const char *const names[] = {TESSERA_JP2_FUNCTIONS(TESSERA_FUNCTION_NAME)};
static tessera_jp2_functions functions;
static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    is_loaded = tessera_load_functions(library_name, names, sizeof names / sizeof *names, &functions);
}

const tessera_jp2_functions *tessera_jp2_library(void) {
    pthread_once(&once, load);
    return is_loaded ? &functions : NULL;
}

void tessera_jp2_complain(const char *message, void *data) {
    tessera_outcome *outcome = data;
    if (outcome->message[0] != 0)
        return;
    size_t length = strcspn(message, "\n");
    if (length >= sizeof outcome->message)
        length = sizeof outcome->message - 1;
    memcpy(outcome->message, message, length);
    outcome->message[length] = 0;
}

bool tessera_jp2_available(void) {
    return true;
}

bool tessera_jp2_load(void) {
    return tessera_jp2_library() != NULL;
}

#else

bool tessera_jp2_available(void) {
    return false;
}

bool tessera_jp2_load(void) {
    return false;
}

#endif
