#define _GNU_SOURCE
#include "CTesseraSystem.h"
#include "forms.h"

#include <errno.h>

#ifdef TESSERA_LINUX

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static void close_kept(int *file) {
    int reason = errno;
    if (*file >= 0)
        close(*file);
    *file = -1;
    errno = reason;
}

// The same file under a number that none of the worker's descriptors has.
static int away(int file) {
    return file < 0 ? -1 : fcntl(file, F_DUPFD_CLOEXEC, 2 * TESSERA_WORKER_FILE_COUNT);
}

static int spawn(pid_t *process, const char *path, char *const *arguments, char *const *environment, const int ends[3]) {
    static const int numbers[3] = {TESSERA_WORKER_CONVERSATION, TESSERA_WORKER_LIFELINE, TESSERA_WORKER_MEMORY};
    posix_spawn_file_actions_t actions;
    if ((errno = posix_spawn_file_actions_init(&actions)))
        return -1;
    int status = 0;
    for (int index = 0; index < 3 && !status; index++)
        status = posix_spawn_file_actions_adddup2(&actions, ends[index], numbers[index]);
    for (int number = 1; number <= 2 && !status; number++)
        status = posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_WRONLY, 0);
    // The program may have blocked or ignored signals for itself.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    if (!status)
        status = posix_spawn(process, path, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    errno = status;
    return status ? -1 : 0;
}

int tessera_start_worker(
    const char *path, char *const *arguments, char *const *environment, int64_t memory_bytes, tessera_worker *worker) {
    int sockets[2] = {-1, -1}, line[2] = {-1, -1}, ends[3] = {-1, -1, -1};
    int result = -1;
    *worker = (tessera_worker){.process = -1, .conversation = -1, .lifeline = -1, .memory = -1};
    worker->memory = memfd_create("tessera", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    // Never made smaller: that would end who looks at it.
    if (worker->memory >= 0 && !ftruncate(worker->memory, memory_bytes)
        && !fcntl(worker->memory, F_ADD_SEALS, F_SEAL_SHRINK)
        && !socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) && !pipe2(line, O_CLOEXEC)) {
        worker->conversation = sockets[0];
        worker->lifeline = line[1];
        ends[0] = away(sockets[1]);
        ends[1] = away(line[0]);
        ends[2] = away(worker->memory);
        if (ends[0] >= 0 && ends[1] >= 0 && ends[2] >= 0)
            result = spawn(&worker->process, path, arguments, environment, ends);
    } else {
        close_kept(&sockets[0]);
        close_kept(&line[1]);
    }
    for (int index = 0; index < 3; index++)
        close_kept(&ends[index]);
    close_kept(&sockets[1]);
    close_kept(&line[0]);
    if (result) {
        close_kept(&worker->conversation);
        close_kept(&worker->lifeline);
        close_kept(&worker->memory);
    }
    return result;
}

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

static void limit(int resource, rlim_t value) {
    struct rlimit limit = {.rlim_cur = value, .rlim_max = value};
    setrlimit(resource, &limit);
}

int tessera_hold_worker_back(void) {
    tessera_close_files_from(TESSERA_WORKER_FILE_COUNT);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_NOFILE, 64);
    // No file grows by its hand.
    signal(SIGXFSZ, SIG_IGN);
    limit(RLIMIT_FSIZE, 0);
    // When the last who could write into the pipe is gone, the system ends this process.
    return fcntl(TESSERA_WORKER_LIFELINE, F_SETOWN, getpid()) || fcntl(TESSERA_WORKER_LIFELINE, F_SETSIG, SIGKILL)
        || fcntl(TESSERA_WORKER_LIFELINE, F_SETFL, O_ASYNC);
}

#else

int tessera_start_worker(
    const char *path, char *const *arguments, char *const *environment, int64_t memory_bytes, tessera_worker *worker) {
    (void)path, (void)arguments, (void)environment, (void)memory_bytes, (void)worker;
    errno = ENOSYS;
    return -1;
}

int tessera_limit_worker(int process, int64_t processor_seconds, int64_t address_bytes) {
    (void)process, (void)processor_seconds, (void)address_bytes;
    errno = ENOSYS;
    return -1;
}

int tessera_hold_worker_back(void) {
    errno = ENOSYS;
    return -1;
}

#endif
