#ifndef CTESSERA_AVIF_H
#define CTESSERA_AVIF_H

#include <stdbool.h>

/// Whether the library was there when this was built.
bool tessera_avif_available(void);

#endif
