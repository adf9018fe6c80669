#include "CTesseraTIFF.h"

bool tessera_tiff_available(void) {
#if __has_include(<tiffio.h>)
    return true;
#else
    return false;
#endif
}
