#include "CTesseraHEIF.h"

bool tessera_heif_available(void) {
#if __has_include(<libheif/heif.h>)
    return true;
#else
    return false;
#endif
}
