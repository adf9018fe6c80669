#define _GNU_SOURCE
#include "CTesseraSystem.h"
#include "forms.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int tessera_write_back(int file, int64_t offset, int64_t length) {
    int result;
#ifdef TESSERA_LINUX
    do {
        result = sync_file_range(
            file, offset, length,
            SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
    } while (result < 0 && errno == EINTR);
    if (result == 0 || (errno != ENOSYS && errno != EINVAL && errno != ESPIPE))
        return result;
    do {
        result = fdatasync(file);
    } while (result < 0 && errno == EINTR);
#else
    // The whole file, which includes the requested part.
    (void)offset;
    (void)length;
    do {
        result = fsync(file);
    } while (result < 0 && errno == EINTR);
#endif
    return result;
}
