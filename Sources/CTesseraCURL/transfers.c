#include "library.h"

#include <stdlib.h>
#include <string.h>

#ifdef TESSERA_CURL_IS_BUILT

#include <fcntl.h>
#include <sys/socket.h>

struct tessera_curl_group {
    const tessera_curl_functions *library;
    CURLM *multi;
};

struct tessera_curl_transfer {
    const tessera_curl_functions *library;
    CURL *easy;
    struct curl_slist *fields;
    struct curl_slist *connect_to;
    tessera_curl_receiver receiver;
    char message[CURL_ERROR_SIZE];
};

// MARK: Groups

tessera_curl_group *tessera_curl_group_create(void) {
    const tessera_curl_functions *library = tessera_curl_library();
    tessera_curl_group *group = library ? calloc(1, sizeof *group) : NULL;
    if (!group)
        return NULL;
    group->library = library;
    group->multi = library->curl_multi_init();
    if (!group->multi) {
        free(group);
        return NULL;
    }
    return group;
}

void tessera_curl_group_destroy(tessera_curl_group *group) {
    group->library->curl_multi_cleanup(group->multi);
    free(group);
}

void tessera_curl_perform(tessera_curl_group *group) {
    int count;
    group->library->curl_multi_perform(group->multi, &count);
}

bool tessera_curl_next_ended(tessera_curl_group *group, tessera_curl_outcome *outcome) {
    const tessera_curl_functions *library = group->library;
    int count;
    CURLMsg *message;
    while ((message = library->curl_multi_info_read(group->multi, &count))) {
        if (message->msg != CURLMSG_DONE)
            continue;
        tessera_curl_transfer *transfer = NULL;
        long system_error = 0, proxy_status = 0, new_connections = 1;
        library->curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
        library->curl_easy_getinfo(message->easy_handle, CURLINFO_OS_ERRNO, &system_error);
        library->curl_easy_getinfo(message->easy_handle, CURLINFO_HTTP_CONNECTCODE, &proxy_status);
        library->curl_easy_getinfo(message->easy_handle, CURLINFO_NUM_CONNECTS, &new_connections);
        const char *words = transfer->message[0] ? transfer->message : library->curl_easy_strerror(message->data.result);
        *outcome = (tessera_curl_outcome){
            .context = transfer->receiver.context, .code = (int32_t)message->data.result, .message = words,
            .system_error = (int32_t)system_error, .proxy_status = (int32_t)proxy_status,
            .is_reused = new_connections == 0,
        };
        return true;
    }
    return false;
}

void tessera_curl_wait(tessera_curl_group *group, int32_t milliseconds) {
    group->library->curl_multi_poll(group->multi, NULL, 0, milliseconds, NULL);
}

void tessera_curl_wake(tessera_curl_group *group) {
    group->library->curl_multi_wakeup(group->multi);
}

// MARK: Transfers

static size_t receive_line(char *bytes, size_t size, size_t count, void *data) {
    const tessera_curl_transfer *transfer = data;
    return transfer->receiver.line(transfer->receiver.context, bytes, size * count) ? size * count : 0;
}

static size_t receive_bytes(char *bytes, size_t size, size_t count, void *data) {
    const tessera_curl_transfer *transfer = data;
    const uint8_t *body = (const uint8_t *)bytes;
    return transfer->receiver.bytes(transfer->receiver.context, body, size * count) ? size * count
                                                                                    : CURL_WRITEFUNC_PAUSE;
}

/// A socket that programs started later don't inherit.
static curl_socket_t open_socket(void *data, curlsocktype purpose, struct curl_sockaddr *address) {
#ifdef SOCK_CLOEXEC
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
#else
    curl_socket_t made = socket(address->family, address->socktype, address->protocol);
    if (made != CURL_SOCKET_BAD)
        fcntl(made, F_SETFD, FD_CLOEXEC);
    return made;
#endif
}

static bool append(const tessera_curl_functions *library, struct curl_slist **list, const char *text) {
    struct curl_slist *longer = library->curl_slist_append(*list, text);
    if (longer)
        *list = longer;
    return longer;
}

static void discard(tessera_curl_transfer *transfer) {
    if (transfer->easy)
        transfer->library->curl_easy_cleanup(transfer->easy);
    transfer->library->curl_slist_free_all(transfer->fields);
    transfer->library->curl_slist_free_all(transfer->connect_to);
    free(transfer);
}

/// Sets a transfer's options, and returns the first failure.
static CURLcode prepare(tessera_curl_transfer *transfer, const tessera_curl_request *request) {
    const tessera_curl_functions *library = transfer->library;
    for (size_t index = 0; index < request->field_count; index++)
        if (!append(library, &transfer->fields, request->fields[index]))
            return CURLE_OUT_OF_MEMORY;
    // Without it, a large body waits a second for a server's leave.
    if (!append(library, &transfer->fields, "Expect:"))
        return CURLE_OUT_OF_MEMORY;
    if (request->connect_to && !append(library, &transfer->connect_to, request->connect_to))
        return CURLE_OUT_OF_MEMORY;

    CURLcode code = CURLE_OK;
#define SET(option, value)    \
    if (code == CURLE_OK)     \
    code = library->curl_easy_setopt(transfer->easy, option, value)
    SET(CURLOPT_ERRORBUFFER, transfer->message);
    SET(CURLOPT_PRIVATE, transfer);
    SET(CURLOPT_HEADERFUNCTION, receive_line);
    SET(CURLOPT_HEADERDATA, transfer);
    SET(CURLOPT_WRITEFUNCTION, receive_bytes);
    SET(CURLOPT_WRITEDATA, transfer);
    SET(CURLOPT_OPENSOCKETFUNCTION, open_socket);
    SET(CURLOPT_BUFFERSIZE, 65536L);
    // Signals are the whole program's.
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_URL, request->url);
    SET(CURLOPT_PATH_AS_IS, 1L);
    SET(CURLOPT_CONNECTTIMEOUT_MS, (long)request->connect_milliseconds);
    SET(CURLOPT_FRESH_CONNECT, (long)request->is_fresh);
    SET(CURLOPT_HTTPHEADER, transfer->fields);
    // The proxy gets none of the server's fields. An empty name stands for none, whatever the environment says.
    SET(CURLOPT_HEADEROPT, (long)CURLHEADER_SEPARATE);
    SET(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    SET(CURLOPT_NOPROXY, "");
    SET(CURLOPT_PROXY, request->proxy ? request->proxy : "");
    if (request->proxy) {
        SET(CURLOPT_HTTPPROXYTUNNEL, 1L);
        SET(CURLOPT_PROXYUSERNAME, request->proxy_name);
        SET(CURLOPT_PROXYPASSWORD, request->proxy_password);
    }
    if (transfer->connect_to)
        SET(CURLOPT_CONNECT_TO, transfer->connect_to);
    if (request->body) {
        SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_length);
        SET(CURLOPT_COPYPOSTFIELDS, request->body);
        SET(CURLOPT_CUSTOMREQUEST, request->method);
    } else if (!strcmp(request->method, "HEAD")) {
        SET(CURLOPT_NOBODY, 1L);
    } else if (strcmp(request->method, "GET")) {
        SET(CURLOPT_CUSTOMREQUEST, request->method);
    }
#undef SET
    return code;
}

tessera_curl_transfer *tessera_curl_start(
    tessera_curl_group *group, const tessera_curl_request *request, tessera_curl_receiver receiver, int32_t *code) {
    const tessera_curl_functions *library = group->library;
    tessera_curl_transfer *transfer = calloc(1, sizeof *transfer);
    *code = CURLE_OUT_OF_MEMORY;
    if (!transfer)
        return NULL;
    transfer->library = library;
    transfer->receiver = receiver;
    transfer->easy = library->curl_easy_init();
    if (transfer->easy)
        *code = (int32_t)prepare(transfer, request);
    if (*code == CURLE_OK && library->curl_multi_add_handle(group->multi, transfer->easy) != CURLM_OK)
        *code = CURLE_OUT_OF_MEMORY;
    if (*code == CURLE_OK)
        return transfer;
    discard(transfer);
    return NULL;
}

void tessera_curl_transfer_destroy(tessera_curl_group *group, tessera_curl_transfer *transfer) {
    group->library->curl_multi_remove_handle(group->multi, transfer->easy);
    discard(transfer);
}

void tessera_curl_resume(tessera_curl_transfer *transfer) {
    transfer->library->curl_easy_pause(transfer->easy, CURLPAUSE_CONT);
}

int64_t tessera_curl_progress(const tessera_curl_transfer *transfer) {
    const tessera_curl_functions *library = transfer->library;
    curl_off_t before = 0, sent = 0, received = 0;
    long header = 0;
    library->curl_easy_getinfo(transfer->easy, CURLINFO_PRETRANSFER_TIME_T, &before);
    if (before <= 0)
        return -1;
    library->curl_easy_getinfo(transfer->easy, CURLINFO_SIZE_UPLOAD_T, &sent);
    library->curl_easy_getinfo(transfer->easy, CURLINFO_SIZE_DOWNLOAD_T, &received);
    library->curl_easy_getinfo(transfer->easy, CURLINFO_HEADER_SIZE, &header);
    return sent + received + header;
}

#else

tessera_curl_group *tessera_curl_group_create(void) { return NULL; }
void tessera_curl_group_destroy(tessera_curl_group *group) {}
tessera_curl_transfer *tessera_curl_start(
    tessera_curl_group *group, const tessera_curl_request *request, tessera_curl_receiver receiver, int32_t *code) {
    return NULL;
}
void tessera_curl_transfer_destroy(tessera_curl_group *group, tessera_curl_transfer *transfer) {}
void tessera_curl_resume(tessera_curl_transfer *transfer) {}
void tessera_curl_perform(tessera_curl_group *group) {}
bool tessera_curl_next_ended(tessera_curl_group *group, tessera_curl_outcome *outcome) { return false; }
void tessera_curl_wait(tessera_curl_group *group, int32_t milliseconds) {}
void tessera_curl_wake(tessera_curl_group *group) {}
int64_t tessera_curl_progress(const tessera_curl_transfer *transfer) { return -1; }

#endif
