#include "CTesseraKernels.h"
#include "harness.h"
#include "processor.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Runs every kernel of CTesseraKernels against a scalar form of it, bit by bit, once for each vector extension that this
// processor has. Ends with 1 where a result is different, and by a signal where a kernel leaves its rows.

static const struct {
    const char *name;
    void (*run)(enum place);
} tests[] = {
    {"alpha", test_alpha},       {"resampling", test_resampling},   {"turning", test_turning},
    {"blurring", test_blurring}, {"compositing", test_compositing}, {"halving", test_halving},
    {"PNG", test_png},           {"inflate", test_inflate},         {"JPEG", test_jpeg},
    {"similarity", test_similarity}, {"JPEG, forward", test_jpeg_forward}, {"JPEG, tokens", test_jpeg_tokens},
};

static const char *current;

// Says where before the process ends by the signal.
static void report_crash(int signal_number) {
    static const char text[] = ": a kernel read or wrote outside its rows\n";
    (void)!write(STDOUT_FILENO, current, strlen(current));
    (void)!write(STDOUT_FILENO, text, sizeof text - 1);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void run(const char *body) {
    const unsigned long before = comparisons;
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        current = tests[i].name;
        tests[i].run(AT_END);
        tests[i].run(AT_START);
    }
    printf("%s: %lu comparisons\n", body, comparisons - before);
    fflush(stdout);
}

int main(void) {
    signal(SIGSEGV, report_crash);
    signal(SIGBUS, report_crash);
#if defined(__x86_64__)
    if (tessera_has_avx2()) run("AVX2");
    else printf("AVX2: this processor has none\n");
    tessera_allow_avx2(0);
    run("SSE2");
#elif defined(__aarch64__)
    run("NEON");
#else
#error "Kernels have vectors on x86-64 and ARM64 only."
#endif
    if (failures) printf("%lu of %lu comparisons failed\n", failures, comparisons);
    return failures != 0;
}
