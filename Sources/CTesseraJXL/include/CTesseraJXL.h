#ifndef CTESSERA_JXL_H
#define CTESSERA_JXL_H

#include <stdbool.h>

/// Whether the library was there when this was built.
bool tessera_jxl_available(void);

#endif
