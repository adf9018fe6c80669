#ifndef CMEMORY_H
#define CMEMORY_H

#include <sys/types.h>

/// Returns the C library's free memory to the system, so that what is allocated next has fresh pages.
void memory_release(void);

/// Waits for the end of a child that has just been started, and returns its status; -1 if that can't be done.
/// @param peak The most of its memory that was resident, in bytes. Its resource usage, which stands in for a child that ended at
///     once, also counts what the process that started it had resident.
int memory_wait(pid_t child, size_t *peak);

#endif
