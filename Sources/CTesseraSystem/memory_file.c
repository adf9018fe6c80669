#define _GNU_SOURCE
#include "CTesseraSystem.h"
#include "forms.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int tessera_memory_file(void) {
#ifdef TESSERA_LINUX
    return memfd_create("tessera", MFD_CLOEXEC);
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
