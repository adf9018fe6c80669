#include "CTesseraAVIF.h"

bool tessera_avif_available(void) {
#if __has_include(<avif/avif.h>)
    return true;
#else
    return false;
#endif
}
