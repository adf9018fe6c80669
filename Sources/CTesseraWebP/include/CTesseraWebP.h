#ifndef CTESSERA_WEBP_H
#define CTESSERA_WEBP_H

#include <stdbool.h>

/// Whether the library was there when this was built.
bool tessera_webp_available(void);

#endif
