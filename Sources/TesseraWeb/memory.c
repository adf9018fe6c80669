// What Embedded Swift needs of a C library: memory, and copying it. There is no other runtime in the module.
#include <stddef.h>
#include <stdint.h>

// Blocks have sizes of four steps to each power of two, and a free list for each size. A freed block serves the next request
// for its size, so memory is at most a fourth more than the most that was ever in use of each size.

typedef struct block {
    uint32_t kind;
    struct block *next;
} block;

enum { header = 16, page = 65536, kinds = 128 };

extern unsigned char __heap_base;
static uintptr_t top;
static block *freed[kinds];

static size_t size_of(uint32_t kind) { return (size_t)(4 + kind % 4) << (kind / 4 + 3); }

void *malloc(size_t count) {
    uint32_t kind = 0;
    if (count > (size_t)1 << 30) return NULL;
    if (count > 64) kind = (uint32_t)(31 - __builtin_clzl(count) - 5) * 4;
    while (kind > 0 && size_of(kind - 1) >= count) kind--;
    while (size_of(kind) < count) kind++;
    block *found = freed[kind];
    if (found) {
        freed[kind] = found->next;
        return (char *)found + header;
    }
    if (!top) top = ((uintptr_t)&__heap_base + header - 1) & -(uintptr_t)header;
    uint64_t end = (uint64_t)top + header + size_of(kind);
    uint64_t present = (uint64_t)__builtin_wasm_memory_size(0) * page;
    if (end > UINT32_MAX - page) return NULL;
    if (end > present && __builtin_wasm_memory_grow(0, (end - present + page - 1) / page) == (size_t)-1) return NULL;
    found = (block *)top;
    top = (uintptr_t)end;
    found->kind = kind;
    return (char *)found + header;
}

void free(void *bytes) {
    if (!bytes) return;
    block *unused = (block *)((char *)bytes - header);
    unused->next = freed[unused->kind];
    freed[unused->kind] = unused;
}

int posix_memalign(void **result, size_t alignment, size_t count) {
    // All blocks are aligned to 16 bytes, more than any type here needs.
    if (alignment > header || !(*result = malloc(count))) return 12;
    return 0;
}

// Single instructions of WebAssembly.
void *memcpy(void *target, const void *source, size_t count) { return __builtin_memcpy(target, source, count); }
void *memmove(void *target, const void *source, size_t count) { return __builtin_memmove(target, source, count); }
void *memset(void *target, int byte, size_t count) { return __builtin_memset(target, byte, count); }

int memcmp(const void *left, const void *right, size_t count) {
    const unsigned char *a = left, *b = right;
    for (; count > 0; count--, a++, b++) {
        if (*a != *b) return *a - *b;
    }
    return 0;
}

// Seeds the hashes of sets. The only sets are of a few small numbers, so the seed needs no randomness.
void arc4random_buf(void *bytes, size_t count) { __builtin_memset(bytes, 0x5A, count); }
