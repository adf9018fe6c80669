#ifndef CTESSERA_SHIM_H
#define CTESSERA_SHIM_H

// What the shims of C libraries have in common: status codes, a place for the first failure, numbers for pixel formats,
// and loading a library when it is first needed.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// MARK: Status

enum {
    TESSERA_OK = 0,
    /// The call did what it could; append bytes and call again.
    TESSERA_NEED_MORE = 1,

    // Failures; the handle's message, where it has one, says what.
    TESSERA_CORRUPT = -1,
    /// The bytes end before what they announce, or before what was asked for.
    TESSERA_TRUNCATED = -2,
    /// Something that this build of the library can't do, or that no file of the format can hold.
    TESSERA_UNSUPPORTED = -3,
    TESSERA_NO_MEMORY = -4,
    /// More than the caller or the library allows.
    TESSERA_LIMIT = -5,
    /// A call out of order, or an argument out of range.
    TESSERA_MISUSE = -6,
    /// A stop was requested.
    TESSERA_CANCELLED = -7,
};

/// How a handle has fared: the first failure, and what it was. All zeros for none.
typedef struct {
    int32_t status;
    char message[512];
} tessera_outcome;

/// Records a failure unless there was one before; returns the status of the first.
int32_t tessera_fail(tessera_outcome *outcome, int32_t status, const char *message);

// MARK: Stopping

/// A flag that one thread sets and the loops of another look at.
typedef struct tessera_stop tessera_stop;

/// A flag that isn't set, or NULL without memory. `tessera_stop_destroy` frees it.
tessera_stop *tessera_stop_create(void);
void tessera_stop_destroy(tessera_stop *stop);
/// Sets the flag. From any thread.
void tessera_stop_request(tessera_stop *stop);
bool tessera_stop_is_requested(const tessera_stop *stop);

// MARK: Pixels

/// What rows hold, on the way out of a decoder or into an encoder. Sixteen bits are in the machine's order.
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

// A library's functions are listed once, by a macro that applies another one to each of their names.
#define TESSERA_FUNCTION_MEMBER(name) __typeof__(&name) name;
#define TESSERA_FUNCTION_NAME(name) #name,

/// Loads a library and fills a structure of `count` function pointers with the functions of these names. False where
/// the library or one of them isn't there. Otherwise the library is never unloaded: any thread may be using it.
bool tessera_load_functions(const char *library, const char *const *names, size_t count, void *functions);

/// Keeps a loaded library from writing to the program's standard error, which some do in place of an error code: the
/// library's own reference to `stderr` is pointed at a stream that discards everything. Call it once, before any other
/// thread uses the library. Does nothing where the C library isn't glibc.
void tessera_silence(const char *library);

#endif
