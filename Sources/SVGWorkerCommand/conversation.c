#include "conversation.h"

#include <CTesseraSystem.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Requests are short: the longest begins an image, with the last few bytes of its file.
static uint8_t request[1 << 13], answer[1 << 11];
static size_t request_count, taken, answer_count = TESSERA_MESSAGE_HEAD;

static void receive(uint8_t *bytes, size_t count) {
    for (ssize_t got; count > 0; bytes += got, count -= (size_t)got) {
        while ((got = read(TESSERA_WORKER_CONVERSATION, bytes, count)) < 0 && errno == EINTR) {}
        if (got <= 0) _exit(0);
    }
}

void hear(void) {
    receive(request, TESSERA_MESSAGE_HEAD);
    request_count = TESSERA_MESSAGE_HEAD;
    taken = 0;
    size_t count = take(TESSERA_MESSAGE_HEAD);
    if (count > sizeof request) _exit(1);
    receive(request, count);
    request_count = count;
    taken = 0;
}

uint64_t take(size_t count) {
    if (request_count - taken < count) _exit(1);
    uint64_t value = 0;
    for (size_t index = 0; index < count; index++) value |= (uint64_t)request[taken++] << 8 * index;
    return value;
}

void put(uint64_t value, size_t count) {
    if (count > sizeof answer - answer_count) abort();
    for (size_t index = 0; index < count; index++) answer[answer_count++] = (uint8_t)(value >> 8 * index);
}

void put_text(const char *text) {
    put(strlen(text), 8);
    while (*text) put((uint8_t)*text++, 1);
}

void put_outcome(uint8_t outcome) {
    if (answer_count == TESSERA_MESSAGE_HEAD) put(0, 1);
    // The whole document is needed first. There are no frames.
    put(1, 1);
    put(0, 8);
    put(outcome, 1);
}

void put_failure(const char *code, const char *format, ...) {
    char text[600];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    put_outcome(TESSERA_OUTCOME_FAILED);
    put_text(code);
    put_text(text);
    put(0, 1);
}

void say(void) {
    size_t count = answer_count;
    answer_count = 0;
    put(count - TESSERA_MESSAGE_HEAD, TESSERA_MESSAGE_HEAD);
    const uint8_t *rest = answer;
    for (ssize_t said; count > 0; rest += said, count -= (size_t)said) {
        while ((said = write(TESSERA_WORKER_CONVERSATION, rest, count)) < 0 && errno == EINTR) {}
        if (said <= 0) _exit(2);
    }
}
