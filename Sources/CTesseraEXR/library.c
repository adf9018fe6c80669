#include "library.h"

#ifdef TESSERA_EXR_HEADERS

#include <pthread.h>

#include <OpenEXR/OpenEXRConfig.h>

tessera_exr_functions tessera_exr;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool loaded;

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
#define VERSION TEXT(OPENEXR_VERSION_MAJOR) "_" TEXT(OPENEXR_VERSION_MINOR)

// The structures differ between versions, which are part of the library's name; Debian's development package has the name
// without the number of the interface.
#ifdef __APPLE__
static const char *const names[] = {"libOpenEXRCore-" VERSION ".30.dylib", "libOpenEXRCore-" VERSION ".dylib"};
#else
static const char *const names[] = {"libOpenEXRCore-" VERSION ".so.30", "libOpenEXRCore-" VERSION ".so"};
#endif

static const char *const functions[] = {TESSERA_EXR_FUNCTIONS(TESSERA_FUNCTION_NAME)};

static void load(void) {
    for (size_t index = 0; !loaded && index < sizeof names / sizeof *names; index++)
        loaded =
            tessera_load_functions(names[index], functions, sizeof functions / sizeof *functions, &tessera_exr);
}

bool tessera_exr_available(void) {
    return true;
}

bool tessera_exr_load(void) {
    pthread_once(&once, load);
    return loaded;
}

#else

bool tessera_exr_available(void) {
    return false;
}

bool tessera_exr_load(void) {
    return false;
}

#endif
