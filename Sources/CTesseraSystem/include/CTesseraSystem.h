// Calls of the system that Swift's view of the C library leaves out.
#ifndef CTESSERA_SYSTEM_H
#define CTESSERA_SYSTEM_H

/// Opens a file without a name, in memory where the system can, which programs started later don't inherit.
/// -1 with the reason in errno.
int tessera_memory_file(void);

#endif
