#define _GNU_SOURCE
#include "CTesseraSystem.h"
#include "forms.h"

#include <errno.h>
#include <stdio.h>

#ifdef TESSERA_LINUX
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

int tessera_exchange(const char *one, const char *other) {
#if defined(TESSERA_LINUX) && defined(SYS_renameat2)
    // RENAME_EXCHANGE (linux/fs.h); not every C library has the call.
    return (int)syscall(SYS_renameat2, AT_FDCWD, one, AT_FDCWD, other, 2u);
#elif defined(__APPLE__) && !defined(TESSERA_POSIX)
    return renamex_np(one, other, RENAME_SWAP);
#else
    // Two renames would leave one of the names without a file for a moment, so the caller must handle it.
    (void)one;
    (void)other;
    errno = ENOSYS;
    return -1;
#endif
}
