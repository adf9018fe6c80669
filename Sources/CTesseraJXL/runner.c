#include "runner.h"

#if TESSERA_JXL_IS_BUILT

#include <pthread.h>
#include <stdatomic.h>

enum { MAXIMUM_THREADS = 16 };

typedef struct {
    void *opaque;
    JxlParallelRunFunction function;
    atomic_uint_fast64_t next;
    uint32_t end;
} run;

typedef struct {
    run *run;
    size_t number;
    pthread_t thread;
} helper;

static void work(run *run, size_t number) {
    for (;;) {
        uint64_t value = atomic_fetch_add_explicit(&run->next, 1, memory_order_relaxed);
        if (value >= run->end)
            return;
        run->function(run->opaque, (uint32_t)value, number);
    }
}

static void *start_helper(void *argument) {
    helper *helper = argument;
    work(helper->run, helper->number);
    return NULL;
}

JxlParallelRetCode tessera_jxl_run(
    void *threads, void *opaque, JxlParallelRunInit init, JxlParallelRunFunction function, uint32_t start,
    uint32_t end) {
    if (start >= end)
        return 0;
    size_t count = *(const uint16_t *)threads;
    if (count > MAXIMUM_THREADS)
        count = MAXIMUM_THREADS;
    if (count > end - start)
        count = end - start;
    if (count < 1)
        count = 1;
    JxlParallelRetCode status = init(opaque, count);
    if (status != 0)
        return status;
    run run = {.opaque = opaque, .function = function, .end = end};
    atomic_init(&run.next, start);
    // Starting a thread takes some 20 µs; libjxl runs whole groups of 256 x 256 pixels.
    helper helpers[MAXIMUM_THREADS];
    size_t started = 0;
    while (started + 1 < count) {
        helper *helper = &helpers[started];
        helper->run = &run;
        helper->number = started + 1;
        if (pthread_create(&helper->thread, NULL, start_helper, helper) != 0)
            break;
        started++;
    }
    work(&run, 0);
    for (size_t index = 0; index < started; index++)
        pthread_join(helpers[index].thread, NULL);
    return 0;
}

#endif
