#include "CTesseraJXL.h"

bool tessera_jxl_available(void) {
#if __has_include(<jxl/decode.h>)
    return true;
#else
    return false;
#endif
}
