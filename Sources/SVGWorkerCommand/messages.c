#define _GNU_SOURCE
#include "messages.h"

#include <CTesseraSystem.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// MARK: Requests

static void receive(uint8_t *bytes, size_t count) {
    while (count > 0) {
        ssize_t got = read(TESSERA_WORKER_CONVERSATION, bytes, count);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) _exit(0);
        bytes += got;
        count -= (size_t)got;
    }
}

message hear(void) {
    // Larger than all but a beginning, whose suffix has a limit.
    static uint8_t request[1 << 13];
    uint8_t head[TESSERA_MESSAGE_HEAD];
    receive(head, sizeof head);
    size_t count = 0;
    for (int index = 0; index < TESSERA_MESSAGE_HEAD; index++) count |= (size_t)head[index] << 8 * index;
    if (count > sizeof request) _exit(1);
    receive(request, count);
    return (message){request, count};
}

static uint64_t take(message *request, size_t count) {
    if (request->count < count) _exit(1);
    uint64_t value = 0;
    for (size_t index = 0; index < count; index++) value |= (uint64_t)request->bytes[index] << 8 * index;
    request->bytes += count;
    request->count -= count;
    return value;
}

uint8_t take_byte(message *request) {
    return (uint8_t)take(request, 1);
}

uint64_t take_number(message *request) {
    return take(request, 8);
}

// MARK: The answer, behind room for its length

static uint8_t reply[1024];
static size_t count = TESSERA_MESSAGE_HEAD;

static void put(uint64_t value, size_t byte_count) {
    if (byte_count > sizeof reply - count) abort();
    for (size_t index = 0; index < byte_count; index++) reply[count++] = (uint8_t)(value >> 8 * index);
}

void put_byte(uint8_t value) {
    put(value, 1);
}

void put_number(uint64_t value) {
    put(value, 8);
}

static void put_text(const char *text) {
    put_number(strlen(text));
    while (*text) put_byte((uint8_t)*text++);
}

void put_header(uint64_t width, uint64_t height) {
    put_byte(1);
    put_text("public.svg-image");
    put_number(width);
    put_number(height);
    put_text("rgb");
    put_number(8);
    // Alpha; sRGB; neither progressive nor a sequence.
    put(1, 4);
    // Upright, and no other metadata.
    put(1, 6);
}

void put_outcome(uint8_t outcome) {
    if (count == TESSERA_MESSAGE_HEAD) put_byte(0);
    // The whole document is needed first. There are no frames.
    put_byte(1);
    put_number(0);
    put_byte(outcome);
}

void put_pixels(uint64_t width, uint64_t height) {
    put_number(width);
    put_number(height);
    put_text("rgba8");
    put_text("premultiplied");
    put_byte(0);
}

void fail(const char *code, const char *format, ...) {
    char text[600];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    put_outcome(TESSERA_OUTCOME_FAILED);
    put_text(code);
    put_text(text);
    put_byte(0);
}

void answer(void) {
    for (int index = 0; index < TESSERA_MESSAGE_HEAD; index++)
        reply[index] = (uint8_t)((count - TESSERA_MESSAGE_HEAD) >> 8 * index);
    for (size_t sent = 0; sent < count;) {
        ssize_t written = write(TESSERA_WORKER_CONVERSATION, reply + sent, count - sent);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) _exit(2);
        sent += (size_t)written;
    }
    count = TESSERA_MESSAGE_HEAD;
}
