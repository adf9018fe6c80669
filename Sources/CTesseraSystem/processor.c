#define _GNU_SOURCE
#include "CTesseraSystem.h"
#include "forms.h"

#include <pthread.h>
#include <sched.h>

uintptr_t tessera_thread(void) {
    return (uintptr_t)pthread_self();
}

int tessera_processor(void) {
#ifdef TESSERA_LINUX
    return sched_getcpu();
#else
    return -1;
#endif
}

void tessera_leave_processor(int processor) {
#ifdef TESSERA_LINUX
    cpu_set_t all, others;
    if (processor < 0 || processor >= CPU_SETSIZE || sched_getcpu() != processor
        || sched_getaffinity(0, sizeof all, &all) != 0)
        return;
    others = all;
    CPU_CLR(processor, &others);
    // The first call moves the thread; the second lets it go where it likes from there.
    if (CPU_COUNT(&others) > 0 && sched_setaffinity(0, sizeof others, &others) == 0)
        sched_setaffinity(0, sizeof all, &all);
#else
    (void)processor;
#endif
}
