#include "library.h"

#include <pthread.h>

#include "include/CTesseraJXL.h"

#if TESSERA_JXL_IS_BUILT

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

// Before 1.0 each minor version may change the interface, and is part of the library's name.
#if JPEGXL_MAJOR_VERSION == 0
#define VERSION TEXT(JPEGXL_MAJOR_VERSION) "." TEXT(JPEGXL_MINOR_VERSION)
#else
#define VERSION TEXT(JPEGXL_MAJOR_VERSION)
#endif

#if __APPLE__
#define LIBRARY_NAME "libjxl." VERSION ".dylib"
#else
#define LIBRARY_NAME "libjxl.so." VERSION
#endif

static tessera_jxl_functions functions;
static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const char *const names[] = {TESSERA_JXL_FUNCTIONS(TESSERA_FUNCTION_NAME)};

static void load(void) {
    is_loaded = tessera_load_functions(LIBRARY_NAME, names, sizeof names / sizeof *names, &functions);
    // Debian's build prints a line for every function that a failure passes through; this silences it.
    if (is_loaded)
        tessera_silence(LIBRARY_NAME);
}

const tessera_jxl_functions *tessera_jxl_library(void) {
    pthread_once(&once, load);
    return is_loaded ? &functions : NULL;
}

bool tessera_jxl_available(void) {
    return true;
}

bool tessera_jxl_load(void) {
    return tessera_jxl_library() != NULL;
}

const char *tessera_jxl_library_name(void) {
    return LIBRARY_NAME;
}

#else

bool tessera_jxl_available(void) {
    return false;
}

bool tessera_jxl_load(void) {
    return false;
}

const char *tessera_jxl_library_name(void) {
    return "libjxl";
}

#endif
