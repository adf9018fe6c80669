#ifndef CTESSERA_CURL_H
#define CTESSERA_CURL_H

// libcurl's multi interface with its variadic options behind one call per step. The library is loaded on first use. A group
// of transfers belongs to one thread, which performs them all; only `tessera_curl_wake` may be called from others.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// MARK: The library

/// Loads the library if it isn't loaded; false if it isn't installed, or its headers weren't when this was built.
bool tessera_curl_load(void);

// MARK: Transfers

typedef struct tessera_curl_group tessera_curl_group;
typedef struct tessera_curl_transfer tessera_curl_transfer;

/// What is asked of a server. Everything is copied.
typedef struct {
    const char *method;
    const char *url;
    /// Header fields as `Name: value`, or `Name;` without a value.
    const char *const *fields;
    size_t field_count;
    /// The body; NULL for none.
    const uint8_t *body;
    size_t body_length;
    /// The proxy's URL; NULL for none. libcurl's own environment variables are never used.
    const char *proxy;
    /// The proxy's credentials, or NULL.
    const char *proxy_name;
    const char *proxy_password;
    /// Where to connect instead, as in CURLOPT_CONNECT_TO, or NULL.
    const char *connect_to;
    int64_t connect_milliseconds;
    /// Whether to make a new connection.
    bool is_fresh;
} tessera_curl_request;

/// Where a response goes. The functions are called by `tessera_curl_perform` and `tessera_curl_resume`.
typedef struct {
    void *context;
    /// Takes a line of a header: a status line, a field, or the empty line at the end, each with its line break. False ends the
    /// transfer.
    bool (*line)(void *context, const char *bytes, size_t count);
    /// Takes bytes of the body; false pauses the transfer, and the bytes come again after `tessera_curl_resume`.
    bool (*bytes)(void *context, const uint8_t *bytes, size_t count);
} tessera_curl_receiver;

/// How a transfer ended.
typedef struct {
    /// The receiver's context.
    void *context;
    /// libcurl's CURLcode; 0 for success.
    int32_t code;
    /// libcurl's words for a failure.
    const char *message;
    /// The `errno` of a failed connection; 0 for none.
    int32_t system_error;
    /// Whether the request was sent on a connection that an earlier one had used.
    bool is_reused;
    /// The status that a proxy answered to CONNECT with; 0 for none.
    int32_t proxy_status;
} tessera_curl_outcome;

/// A group without transfers, or NULL without memory or the library.
tessera_curl_group *tessera_curl_group_create(void);
/// Frees the group, whose transfers must have been destroyed, and closes its connections.
void tessera_curl_group_destroy(tessera_curl_group *group);
/// Adds a transfer; NULL without memory or where libcurl refuses the request, for the reason in `code`.
tessera_curl_transfer *tessera_curl_start(
    tessera_curl_group *group, const tessera_curl_request *request, tessera_curl_receiver receiver, int32_t *code);
/// Frees a transfer. If it hasn't ended, its connection is closed.
void tessera_curl_transfer_destroy(tessera_curl_group *group, tessera_curl_transfer *transfer);
/// Goes on with a transfer that was paused.
void tessera_curl_resume(tessera_curl_transfer *transfer);
/// Reads and writes what can be without waiting.
void tessera_curl_perform(tessera_curl_group *group);
/// Takes the next transfer that has ended; false if there is none. The message lasts as long as the transfer.
bool tessera_curl_next_ended(tessera_curl_group *group, tessera_curl_outcome *outcome);
/// Waits until something can be read or written, for `tessera_curl_wake`, or for that long.
void tessera_curl_wait(tessera_curl_group *group, int32_t milliseconds);
/// Ends the current or the next wait. From any thread.
void tessera_curl_wake(tessera_curl_group *group);
/// A number that grows with each byte sent or received; -1 until there is a connection to send the request on.
int64_t tessera_curl_progress(const tessera_curl_transfer *transfer);

#endif
