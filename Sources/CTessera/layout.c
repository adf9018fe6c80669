#include "tessera.h"

// The interface's structures are part of the ABI: on every system with 64-bit pointers they have these sizes. A member is only
// ever added at the end.
_Static_assert(sizeof(tessera_error) == 1048, "tessera_error");
_Static_assert(offsetof(tessera_error, message) == 24, "tessera_error.message");
