#ifndef CTESSERA_SHIM_H
#define CTESSERA_SHIM_H

// The common parts of the shims of C libraries: status codes, a record of the first failure, pixel formats, and loading
// a library on first use.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// MARK: Status

enum {
    TESSERA_OK = 0,
    /// The call needs more bytes; append some and call again.
    TESSERA_NEED_MORE = 1,

    // Failures; the handle's message, if any, explains them.
    TESSERA_CORRUPT = -1,
    /// The bytes end before the announced or requested data.
    TESSERA_TRUNCATED = -2,
    /// This build of the library can't do it, or no file of the format can hold it.
    TESSERA_UNSUPPORTED = -3,
    TESSERA_NO_MEMORY = -4,
    /// More than the caller or the library allows.
    TESSERA_LIMIT = -5,
    /// A call out of order, or an argument out of range.
    TESSERA_MISUSE = -6,
    /// A stop was requested.
    TESSERA_CANCELLED = -7,
};

/// A handle's first failure and its message. All zeros for none.
typedef struct {
    int32_t status;
    char message[512];
} tessera_outcome;

/// Records a failure unless there was one before; returns the status of the first.
int32_t tessera_fail(tessera_outcome *outcome, int32_t status, const char *message);

// MARK: Stopping

/// A flag that one thread sets and another's loops check.
typedef struct tessera_stop tessera_stop;

/// A flag that isn't set, or NULL without memory. `tessera_stop_destroy` frees it.
tessera_stop *tessera_stop_create(void);
void tessera_stop_destroy(tessera_stop *stop);
/// Sets the flag. From any thread.
void tessera_stop_request(tessera_stop *stop);
bool tessera_stop_is_requested(const tessera_stop *stop);

// MARK: Pixels

/// The layout of rows, from a decoder or for an encoder. 16-bit values are in native byte order.
enum {
    TESSERA_GRAY8 = 1,
    TESSERA_GRAY16 = 2,
    TESSERA_RGBA8 = 3,
    TESSERA_RGBA16 = 4,
};

static inline bool tessera_is_gray(uint8_t pixels) {
    return pixels == TESSERA_GRAY8 || pixels == TESSERA_GRAY16;
}

/// Whether channels have sixteen bits.
static inline bool tessera_is_wide(uint8_t pixels) {
    return pixels == TESSERA_GRAY16 || pixels == TESSERA_RGBA16;
}

// MARK: Libraries

// A library's functions are listed once, in a macro that applies another macro to each name.
#define TESSERA_FUNCTION_MEMBER(name) __typeof__(&name) name;
#define TESSERA_FUNCTION_NAME(name) #name,

/// Loads a library and fills a structure of `count` function pointers with the functions of these names. False if the
/// library or one of them is missing. Otherwise the library is never unloaded, since any thread may be using it.
bool tessera_load_functions(const char *library, const char *const *names, size_t count, void *functions);

/// Keeps a loaded library from writing to the program's standard error, which some do in place of an error code: the
/// library's own reference to `stderr` is pointed at a stream that discards everything. Call it once, before any other
/// thread uses the library. Does nothing where the C library isn't glibc.
void tessera_silence(const char *library);

#endif
