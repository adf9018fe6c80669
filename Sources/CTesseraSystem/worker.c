#define _GNU_SOURCE
#include "CTesseraSystem.h"
#include "forms.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#ifdef TESSERA_LINUX
#include <sys/prctl.h>
#endif

static void close_files_from(int first) {
#ifdef TESSERA_LINUX
    close_range((unsigned int)first, ~0U, 0);
#else
    long count = sysconf(_SC_OPEN_MAX);
    // Without a limit, a process's descriptors are below this.
    if (count < 0 || count > 1 << 16)
        count = 1 << 16;
    for (int file = first; file < count; file++)
        close(file);
#endif
}

static void limit(int resource, rlim_t value) {
    struct rlimit limit = {.rlim_cur = value, .rlim_max = value};
    setrlimit(resource, &limit);
}

int tessera_hold_worker_back(void) {
    close_files_from(TESSERA_WORKER_FILE_COUNT);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_NOFILE, 64);
    // It can't extend a file.
    signal(SIGXFSZ, SIG_IGN);
    limit(RLIMIT_FSIZE, 0);
#ifdef TESSERA_LINUX
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    // Once the other end is closed, the system ends this process.
    return fcntl(TESSERA_WORKER_LIFELINE, F_SETOWN, getpid()) || fcntl(TESSERA_WORKER_LIFELINE, F_SETSIG, SIGKILL)
        || fcntl(TESSERA_WORKER_LIFELINE, F_SETFL, O_ASYNC);
#else
    // It ends when it waits for a request and the socket is closed.
    return 0;
#endif
}

#ifdef TESSERA_LINUX

static int soft_limit(int process, int resource, int64_t value) {
    struct rlimit limit;
    if (prlimit(process, resource, NULL, &limit))
        return -1;
    limit.rlim_cur = value < 0 || (rlim_t)value > limit.rlim_max ? limit.rlim_max : (rlim_t)value;
    return prlimit(process, resource, &limit, NULL);
}

int tessera_limit_worker(int process, int64_t processor_seconds, int64_t address_bytes) {
    clockid_t clock;
    struct timespec used;
    if ((errno = clock_getcpuclockid(process, &clock)) || clock_gettime(clock, &used))
        return -1;
    return soft_limit(process, RLIMIT_CPU, used.tv_sec + 1 + processor_seconds)
        || soft_limit(process, RLIMIT_AS, address_bytes);
}

#else

int tessera_limit_worker(int process, int64_t processor_seconds, int64_t address_bytes) {
    (void)process, (void)processor_seconds, (void)address_bytes;
    errno = ENOSYS;
    return -1;
}

#endif
