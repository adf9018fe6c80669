#define _GNU_SOURCE
#include "CTesseraSystem.h"
#include "forms.h"

#include <errno.h>
#include <stddef.h>

#ifdef TESSERA_LINUX
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif
#endif

#if defined(TESSERA_LINUX) && defined(ARCHITECTURE)

#include <fcntl.h>

// Calls that touch nothing outside of the process and what it was handed.
static const int harmless[] = {
    // Open files.
    SYS_read, SYS_readv, SYS_pread64, SYS_write, SYS_writev, SYS_lseek, SYS_fstat, SYS_dup, SYS_ppoll,
    SYS_pselect6, SYS_pipe2, SYS_fadvise64,
    SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait, SYS_eventfd2, SYS_timerfd_create, SYS_timerfd_settime,
    // Memory.
    SYS_munmap, SYS_mremap, SYS_madvise, SYS_brk, SYS_membarrier,
    // Threads.
    SYS_futex, SYS_set_robust_list, SYS_get_robust_list, SYS_sched_yield, SYS_sched_getaffinity, SYS_sched_getscheduler,
    SYS_sched_getparam, SYS_sched_getattr, SYS_sched_get_priority_max, SYS_sched_get_priority_min, SYS_gettid,
    SYS_getpid, SYS_getppid, SYS_exit, SYS_exit_group, SYS_getcpu,
#ifdef SYS_rseq
    SYS_rseq,
#endif
    // Signals to itself.
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_restart_syscall,
    // Clocks, random numbers, and information about the system.
    SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday, SYS_getrusage, SYS_times,
    SYS_getrandom, SYS_sysinfo, SYS_uname, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid,
    SYS_getresuid, SYS_getresgid,
#ifdef __x86_64__
    SYS_poll, SYS_epoll_wait, SYS_time,
#endif
};

// Calls that name files. Libraries try them for optional information; they fail with EACCES. Those up to the zero only
// read.
static const int named[] = {
    SYS_readlinkat, SYS_faccessat, SYS_statx, SYS_newfstatat, SYS_getcwd, SYS_statfs, SYS_fstatfs, SYS_getdents64,
#ifdef SYS_faccessat2
    SYS_faccessat2,
#endif
#ifdef __x86_64__
    SYS_stat, SYS_lstat, SYS_access, SYS_readlink,
#endif
    -1,
    SYS_mkdirat, SYS_unlinkat, SYS_renameat, SYS_renameat2, SYS_linkat, SYS_symlinkat, SYS_fchmod, SYS_fchmodat,
    SYS_utimensat, SYS_ftruncate, SYS_fallocate, SYS_flock,
#ifdef SYS_openat2
    SYS_openat2,
#endif
#ifdef __x86_64__
    SYS_mkdir, SYS_rmdir, SYS_unlink, SYS_rename, SYS_link, SYS_symlink, SYS_chmod, SYS_creat,
#endif
};

typedef struct {
    struct sock_filter steps[512];
    unsigned short count;
} program;

static void step(program *program, unsigned short code, unsigned int value, unsigned char if_true, unsigned char if_false) {
    if (program->count < sizeof program->steps / sizeof *program->steps)
        program->steps[program->count] = (struct sock_filter)BPF_JUMP(code, value, if_true, if_false);
    program->count++;
}

static void answer(program *program, unsigned int value) {
    step(program, BPF_RET | BPF_K, value, 0, 0);
}

static void load(program *program, size_t offset) {
    step(program, BPF_LD | BPF_W | BPF_ABS, (unsigned int)offset, 0, 0);
}

// The lower half of an argument, then the upper one. Both machines are little-endian.
static size_t low(int argument) {
    return offsetof(struct seccomp_data, args) + 8 * (size_t)argument;
}

static size_t high(int argument) {
    return low(argument) + 4;
}

static const unsigned int allowed = SECCOMP_RET_ALLOW;
static const unsigned int fatal = SECCOMP_RET_KILL_PROCESS;

static unsigned int failing(int code) {
    return SECCOMP_RET_ERRNO | (unsigned int)code;
}

// Goes on with the next `count` steps for this call, else beyond them. They must end in an answer.
static void when(program *program, int call, unsigned char count) {
    step(program, BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)call, 0, count);
}

static void rule(program *program, int call, unsigned int action) {
    when(program, call, 1);
    answer(program, action);
}

// `otherwise` where any of `bits` is set in an argument.
static void rule_without_bits(program *program, int call, int argument, unsigned int bits, unsigned int otherwise) {
    when(program, call, 4);
    load(program, low(argument));
    step(program, BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0);
    answer(program, allowed);
    answer(program, otherwise);
}

// `otherwise` unless an argument is one of `values`.
static void rule_for_values(
    program *program, int call, int argument, const unsigned int *values, unsigned char count, unsigned int otherwise) {
    when(program, call, (unsigned char)(count + 3));
    load(program, low(argument));
    for (unsigned char index = 0; index < count; index++)
        step(program, BPF_JMP | BPF_JEQ | BPF_K, values[index], (unsigned char)(count - index), 0);
    answer(program, otherwise);
    answer(program, allowed);
}

static void add_threads(program *program) {
    // A thread, but no process and no namespace. The newer call has its flags in memory, where a filter can't see them;
    // C libraries then fall back to the older one.
#ifdef SYS_clone3
    rule(program, SYS_clone3, failing(ENOSYS));
#endif
    const unsigned int thread = CLONE_VM | CLONE_SIGHAND | CLONE_THREAD;
    const unsigned int namespaces = CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID
        | CLONE_NEWNET | CLONE_NEWNS;
    when(program, SYS_clone, 6);
    load(program, low(0));
    step(program, BPF_JMP | BPF_JSET | BPF_K, namespaces, 3, 0);
    step(program, BPF_ALU | BPF_AND | BPF_K, thread, 0, 0);
    step(program, BPF_JMP | BPF_JEQ | BPF_K, thread, 0, 1);
    answer(program, allowed);
    answer(program, fatal);
    // abort() signals the thread it is called on.
    when(program, SYS_tgkill, 4);
    load(program, low(0));
    step(program, BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)getpid(), 0, 1);
    answer(program, allowed);
    answer(program, fatal);
    // Limits may be asked for, not set.
    when(program, SYS_prlimit64, 8);
    load(program, low(0));
    step(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 5);
    load(program, low(2));
    step(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3);
    load(program, high(2));
    step(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1);
    answer(program, allowed);
    answer(program, fatal);
    // A thread's name (PR_SET_NAME, PR_GET_NAME), and that of memory (PR_SET_VMA).
    rule_for_values(program, SYS_prctl, 0, (const unsigned int[]){15, 16, 0x53564d41}, 3, fatal);
    rule(program, SYS_sched_setscheduler, failing(EPERM));
    rule(program, SYS_sched_setattr, failing(EPERM));
    rule(program, SYS_sched_setaffinity, failing(EPERM));
    // Succeeds without effect: otherwise Dispatch opens a socket to complain.
    rule(program, SYS_setpriority, failing(0));
    // Libraries for large machines work without it.
    rule(program, SYS_get_mempolicy, failing(ENOSYS));
    rule(program, SYS_set_mempolicy, failing(ENOSYS));
    rule(program, SYS_mbind, failing(ENOSYS));
}

static void add_files(program *program, enum tessera_confinement confinement) {
    // The descriptors that the process was started with stay what they are.
    when(program, SYS_close, 4);
    load(program, low(0));
    step(program, BPF_JMP | BPF_JGE | BPF_K, TESSERA_WORKER_FILE_COUNT, 0, 1);
    answer(program, allowed);
    answer(program, fatal);
    // Flags are read (F_GETFD, F_SETFD, F_GETFL).
    rule_for_values(program, SYS_fcntl, 1, (const unsigned int[]){F_GETFD, F_SETFD, F_GETFL}, 3, failing(EPERM));
    // No descriptor is a terminal, which is what libraries ask.
    rule(program, SYS_ioctl, failing(ENOTTY));
    if (confinement == TESSERA_MAY_READ_FILES) {
        const unsigned int writing = O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND | O_PATH;
        rule_without_bits(program, SYS_openat, 2, writing, failing(EACCES));
#ifdef SYS_open
        rule_without_bits(program, SYS_open, 1, writing, failing(EACCES));
#endif
    } else {
        // An open file asked about itself, as C libraries do.
        when(program, SYS_newfstatat, 4);
        load(program, low(3));
        step(program, BPF_JMP | BPF_JSET | BPF_K, AT_EMPTY_PATH, 1, 0);
        answer(program, failing(EACCES));
        answer(program, allowed);
        rule(program, SYS_openat, failing(EACCES));
#ifdef SYS_open
        rule(program, SYS_open, failing(EACCES));
#endif
    }
    unsigned int action = confinement == TESSERA_MAY_READ_FILES ? allowed : failing(EACCES);
    for (size_t index = 0; index < sizeof named / sizeof *named; index++) {
        if (named[index] < 0)
            action = failing(EACCES);
        else
            rule(program, named[index], action);
    }
}

int tessera_confine(enum tessera_confinement confinement) {
    program program = {.count = 0};
    load(&program, offsetof(struct seccomp_data, arch));
    step(&program, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    answer(&program, fatal);
    load(&program, offsetof(struct seccomp_data, nr));
    for (size_t index = 0; index < sizeof harmless / sizeof *harmless; index++)
        rule(&program, harmless[index], allowed);
    // Nothing that was written becomes a program; libraries that would be loaded aren't.
    rule_without_bits(&program, SYS_mmap, 2, PROT_EXEC, failing(EACCES));
    rule_without_bits(&program, SYS_mprotect, 2, PROT_EXEC, fatal);
    add_threads(&program);
    add_files(&program, confinement);
    // Everything else: sockets, programs, processes, other processes' memory, and what later systems bring.
    answer(&program, fatal);
    if (program.count > sizeof program.steps / sizeof *program.steps) {
        errno = ENOSPC;
        return -1;
    }
    struct sock_fprog filter = {.len = program.count, .filter = program.steps};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return -1;
    // For all existing threads. A positive result is the id of one that can't.
    long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
    if (result > 0)
        errno = EBUSY;
    return result ? -1 : 0;
}

#else

int tessera_confine(enum tessera_confinement confinement) {
    (void)confinement;
    errno = ENOSYS;
    return -1;
}

#endif
