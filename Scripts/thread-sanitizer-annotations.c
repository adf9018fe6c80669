// Synchronization inside Swift's libraries, which the thread sanitizer doesn't see and would report as races. Preloaded
// (LD_PRELOAD), these functions replace those of the same names, call them and annotate them.
//
// Swift's `Mutex` on Linux takes a free lock in code that the sanitizer has instrumented, but waits for a held one in the
// standard library, which isn't instrumented.
//
// Resuming a continuation is annotated, and so is the task's continuing after a wait. A task that was resumed before it
// began to wait isn't annotated.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

// `_MutexHandle._lockSlow(_:)`, `_tryLockSlow()` and `_unlockSlow()` of the module Synchronization.
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// Absent in a program without the sanitizer; then nothing is annotated.
void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));

#define AWAIT "swift_continuation_await"
__attribute__((swiftasynccall)) void await_continuation(void *context) __asm__(AWAIT);
SWIFT void *swift_task_getCurrent(void) __attribute__((weak));

SWIFT void lock(uint32_t thread, SELF void *mutex) __asm__(LOCK);
SWIFT bool try_lock(SELF void *mutex) __asm__(TRY_LOCK);
SWIFT void unlock(SELF void *mutex) __asm__(UNLOCK);

SWIFT void lock(uint32_t thread, SELF void *mutex) {
    SWIFT void (*next)(uint32_t, SELF void *) = dlsym(RTLD_NEXT, LOCK);
    next(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT bool try_lock(SELF void *mutex) {
    SWIFT bool (*next)(SELF void *) = dlsym(RTLD_NEXT, TRY_LOCK);
    bool locked = next(mutex);
    if (locked && __tsan_acquire) __tsan_acquire(mutex);
    return locked;
}

SWIFT void unlock(SELF void *mutex) {
    SWIFT void (*next)(SELF void *) = dlsym(RTLD_NEXT, UNLOCK);
    if (__tsan_release) __tsan_release(mutex);
    next(mutex);
}

__attribute__((swiftasynccall)) void await_continuation(void *context) {
    __attribute__((swiftasynccall)) void (*next)(void *context) = dlsym(RTLD_NEXT, AWAIT);
    // A resumption between here and the wait is still missed.
    if (__tsan_acquire && swift_task_getCurrent) __tsan_acquire(swift_task_getCurrent());
    __attribute__((musttail)) return next(context);
}
