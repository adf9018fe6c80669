#ifndef CTESSERA_TIFF_H
#define CTESSERA_TIFF_H

#include <stdbool.h>

/// Whether the library was there when this was built.
bool tessera_tiff_available(void);

#endif
