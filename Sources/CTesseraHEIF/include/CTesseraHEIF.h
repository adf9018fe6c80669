#ifndef CTESSERA_HEIF_H
#define CTESSERA_HEIF_H

#include <stdbool.h>

/// Whether the library was there when this was built.
bool tessera_heif_available(void);

#endif
