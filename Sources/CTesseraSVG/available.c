#include "CTesseraSVG.h"

bool tessera_svg_available(void) {
#if __has_include(<librsvg/rsvg.h>)
    return true;
#else
    return false;
#endif
}
