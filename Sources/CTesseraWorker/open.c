#define _GNU_SOURCE
#include "CTesseraWorker.h"

// Without confinement `open` needs no replacement.
#if defined(__linux__) && !defined(TESSERA_POSIX)

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_bool opens_nothing;

void tessera_open_nothing(void) {
    atomic_store(&opens_nothing, true);
}

// Replaces the C library's function, for the program and all of its libraries.
int open(const char *path, int flags, ...) {
    if (atomic_load_explicit(&opens_nothing, memory_order_relaxed)) {
        // Descriptor 1 leads nowhere.
        if (strncmp(path, "/proc/", 6) == 0)
            return dup(1);
        errno = EACCES;
        return -1;
    }
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

#else

void tessera_open_nothing(void) {}

#endif
