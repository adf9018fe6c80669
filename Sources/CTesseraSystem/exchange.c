#define _GNU_SOURCE
#include "CTesseraSystem.h"

#include <errno.h>
#include <stdio.h>

#ifdef __linux__
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

int tessera_exchange(const char *one, const char *other) {
#if defined(__linux__) && defined(SYS_renameat2)
    // RENAME_EXCHANGE (linux/fs.h); not every C library has the call.
    return (int)syscall(SYS_renameat2, AT_FDCWD, one, AT_FDCWD, other, 2u);
#elif defined(__APPLE__)
    return renamex_np(one, other, RENAME_SWAP);
#else
    (void)one;
    (void)other;
    errno = ENOSYS;
    return -1;
#endif
}
