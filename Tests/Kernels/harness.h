#ifndef HARNESS_H
#define HARNESS_H

#include <stddef.h>
#include <stdint.h>

// A row lies between two guard pages: it ends where the one behind begins, or begins where the one in front ends, so that
// reading or writing a byte too far is a crash. On its open side stand bytes that must not change.

enum { ROWS = 48, LARGEST = 1 << 17 };

/// Where rows lie: at the guard page behind them or at the one in front.
enum place { AT_END, AT_START };

/// `size` bytes of the row with this index, filled with random ones.
void *row(int index, size_t size, enum place place);

/// Whether two rows hold the same and nothing around them has changed; else says which kernel and what is different.
/// `detail` describes the case: sizes and parameters.
void compare(const char *kernel, int fast, int scalar, const char *detail, ...) __attribute__((format(printf, 4, 5)));

/// As `compare`, for the first `size` bytes of what may be longer rows.
void compare_first(const char *kernel, int fast, int scalar, size_t size, const char *detail, ...)
    __attribute__((format(printf, 5, 6)));

/// As `compare`, for numbers.
void compare_numbers(const char *kernel, uint64_t fast, uint64_t scalar, const char *detail, ...)
    __attribute__((format(printf, 4, 5)));

/// The next number of a sequence that is the same in every run.
uint32_t next_random(void);

/// A number from `low` to `high`.
int32_t random_between(int32_t low, int32_t high);

/// Makes a row of `count` sixteen-bit values from `low` to `high`.
int16_t *values_between(int index, size_t count, int32_t low, int32_t high, enum place place);

/// Copies a row's bytes to another of the same size.
void copy_row(int from, int to);

/// How many comparisons were made and how many of them failed.
extern unsigned long comparisons, failures;

void test_alpha(enum place place);
void test_resampling(enum place place);
void test_turning(enum place place);
void test_blurring(enum place place);
void test_compositing(enum place place);
void test_halving(enum place place);
void test_png(enum place place);
void test_inflate(enum place place);
void test_jpeg(enum place place);
void test_similarity(enum place place);
void test_jpeg_forward(enum place place);
void test_jpeg_tokens(enum place place);

#endif
