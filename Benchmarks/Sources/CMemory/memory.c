#include "CMemory.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>

void memory_release(void) {
    malloc_trim(0);
}

/// The peak that the kernel has noted for a process; 0 if it has ended.
static size_t peak_of(pid_t process) {
    char name[64], line[256];
    snprintf(name, sizeof name, "/proc/%d/status", process);
    FILE *file = fopen(name, "r");
    size_t kilobytes = 0;
    while (file && fgets(line, sizeof line, file) && sscanf(line, "VmHWM: %zu kB", &kilobytes) != 1) {}
    if (file)
        fclose(file);
    return kilobytes * 1024;
}

int memory_wait(pid_t child, size_t *peak) {
    *peak = 0;
    // Stops the child when it ends, while it still has its memory; nothing else of it is traced. It may have ended.
    ptrace(PTRACE_SEIZE, child, 0, PTRACE_O_TRACEEXIT);
    for (;;) {
        int status = 0;
        struct rusage usage;
        if (wait4(child, &status, __WALL, &usage) < 0) {
            if (errno == EINTR)
                continue;
            return -1;
        }
        if (!WIFSTOPPED(status)) {
            if (*peak == 0)
                *peak = (size_t)usage.ru_maxrss * 1024;
            return status;
        }
        int signal = WSTOPSIG(status), event = status >> 16;
        if (event == PTRACE_EVENT_EXIT)
            *peak = peak_of(child);
        ptrace(PTRACE_CONT, child, 0, event == 0 ? signal : 0);
    }
}
