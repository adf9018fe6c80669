#if __has_include(<librsvg/rsvg.h>)
#include <librsvg/rsvg.h>
#endif
