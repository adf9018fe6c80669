#include "CTesseraWebP.h"

bool tessera_webp_available(void) {
#if __has_include(<webp/decode.h>)
    return true;
#else
    return false;
#endif
}
