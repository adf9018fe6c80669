// Calls of the system that Swift's view of the C library leaves out.
#ifndef CTESSERA_SYSTEM_H
#define CTESSERA_SYSTEM_H

#include <stdint.h>

/// Opens a file without a name, in memory where the system can, which programs started later don't inherit.
/// -1 with the reason in errno.
int tessera_memory_file(void);

/// Has the system write what the process wrote to a part of a file, or more of it, to the disk, and waits for that: the
/// memory that held it can be used for something else then. -1 with the reason in errno.
int tessera_write_back(int file, int64_t offset, int64_t length);

#endif
