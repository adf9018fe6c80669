#define _GNU_SOURCE
#include "harness.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MARGIN = 64, CANARY = 0xA5 };

static struct {
    uint8_t *pages, *start;
    size_t size;
    enum place place;
} rows[ROWS];

unsigned long comparisons, failures;

static uint64_t state = 20;

uint32_t next_random(void) {
    // splitmix64
    uint64_t z = state += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return (uint32_t)(z >> 32);
}

int32_t random_between(int32_t low, int32_t high) {
    return low + (int32_t)(next_random() % (uint32_t)(high - low + 1));
}

void *row(int index, size_t size, enum place place) {
    if (index >= ROWS || size > LARGEST - MARGIN) abort();
    if (!rows[index].pages) {
        const size_t page = (size_t)sysconf(_SC_PAGESIZE);
        uint8_t *all = mmap(NULL, LARGEST + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (all == MAP_FAILED || mprotect(all + page, LARGEST, PROT_READ | PROT_WRITE)) {
            perror("mmap");
            exit(2);
        }
        rows[index].pages = all + page;
    }
    uint8_t *start = rows[index].pages + (place == AT_END ? LARGEST - size : 0);
    rows[index].start = start;
    rows[index].size = size;
    rows[index].place = place;
    memset(place == AT_END ? start - MARGIN : start + size, CANARY, MARGIN);
    for (size_t i = 0; i < size; i += 4) {
        // Zeros and full bytes more often than chance gives them: where all is clear or opaque, kernels go other ways.
        uint32_t word = next_random();
        const uint32_t kind = next_random() & 15;
        if (kind == 0) word = 0;
        if (kind == 1) word = 0xFFFFFFFF;
        if (kind == 2) word |= 0xFF000000;
        memcpy(start + i, &word, size - i < 4 ? size - i : 4);
    }
    return start;
}

int16_t *values_between(int index, size_t count, int32_t low, int32_t high, enum place place) {
    int16_t *values = row(index, 2 * count, place);
    for (size_t i = 0; i < count; i++) {
        const uint32_t kind = next_random() & 15;
        values[i] = (int16_t)(kind == 0 ? low : kind == 1 ? high : random_between(low, high));
    }
    return values;
}

void copy_row(int from, int to) {
    if (rows[from].size != rows[to].size) abort();
    memcpy(rows[to].start, rows[from].start, rows[from].size);
}

static void report(const char *kernel, const char *what, const char *detail, va_list arguments) {
    // The first ones tell enough.
    if (++failures > 20) return;
    printf("%s: %s; ", kernel, what);
    vprintf(detail, arguments);
    printf("\n");
}

static int is_surrounded(int index) {
    const uint8_t *margin = rows[index].start;
    margin = rows[index].place == AT_END ? margin - MARGIN : margin + rows[index].size;
    for (int i = 0; i < MARGIN; i++)
        if (margin[i] != CANARY) return 0;
    return 1;
}

static void compare_rows(const char *kernel, int fast, int scalar, size_t size, const char *detail, va_list arguments) {
    comparisons++;
    char what[100];
    if (!is_surrounded(fast) || !is_surrounded(scalar)) {
        report(kernel, "wrote outside its row", detail, arguments);
        return;
    }
    const uint8_t *a = rows[fast].start, *b = rows[scalar].start;
    for (size_t i = 0; i < size; i++) {
        if (a[i] == b[i]) continue;
        snprintf(what, sizeof what, "byte %zu of %zu is %d, and %d by the scalar form", i, size, a[i], b[i]);
        report(kernel, what, detail, arguments);
        return;
    }
}

void compare(const char *kernel, int fast, int scalar, const char *detail, ...) {
    va_list arguments;
    va_start(arguments, detail);
    compare_rows(kernel, fast, scalar, rows[fast].size, detail, arguments);
    va_end(arguments);
}

void compare_first(const char *kernel, int fast, int scalar, size_t size, const char *detail, ...) {
    va_list arguments;
    va_start(arguments, detail);
    compare_rows(kernel, fast, scalar, size, detail, arguments);
    va_end(arguments);
}

void compare_numbers(const char *kernel, uint64_t fast, uint64_t scalar, const char *detail, ...) {
    comparisons++;
    if (fast == scalar) return;
    va_list arguments;
    va_start(arguments, detail);
    char what[100];
    snprintf(what, sizeof what, "%llu, and %llu by the scalar form", (unsigned long long)fast,
             (unsigned long long)scalar);
    report(kernel, what, detail, arguments);
    va_end(arguments);
}
