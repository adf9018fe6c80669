#ifndef CMEMORY_H
#define CMEMORY_H

/// Returns the C library's free memory to the system, so that what is allocated next has fresh pages.
void memory_release(void);

#endif
