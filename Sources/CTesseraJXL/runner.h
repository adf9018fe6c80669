#ifndef TESSERA_JXL_RUNNER_H
#define TESSERA_JXL_RUNNER_H

#include "library.h"

#if TESSERA_JXL_IS_BUILT

#include <jxl/parallel_runner.h>

/// A `JxlParallelRunner` whose opaque value points to the number of threads, a `uint16_t`.
///
/// libjxl 0.7 ends the process if its runner fails, so this one never does: without another thread the caller's does all
/// the work.
JxlParallelRetCode tessera_jxl_run(
    void *threads, void *opaque, JxlParallelRunInit init, JxlParallelRunFunction function, uint32_t start, uint32_t end);

#endif

#endif
