#ifndef CTESSERA_SVG_H
#define CTESSERA_SVG_H

#include <stdbool.h>

/// Whether the library was there when this was built.
bool tessera_svg_available(void);

#endif
