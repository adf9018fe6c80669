#define _GNU_SOURCE
#include "CTesseraSystem.h"
#include "forms.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int tessera_memory_file(void) {
#ifdef TESSERA_LINUX
    return memfd_create("tessera", MFD_CLOEXEC | MFD_ALLOW_SEALING);
#else
    char path[] = "/tmp/tessera-XXXXXX";
    int file = mkstemp(path);
    if (file >= 0) {
        unlink(path);
        fcntl(file, F_SETFD, FD_CLOEXEC);
    }
    return file;
#endif
}

int tessera_fix_size(int file, int64_t byte_count) {
    if (ftruncate(file, byte_count))
        return -1;
#ifdef TESSERA_LINUX
    // Sealed against shrinking, which would end a process that reads it.
    return fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK);
#else
    return 0;
#endif
}
