// Measures the libraries of the other formats alone: their own calls from bytes to RGBA pixels or back, and nothing else.
// Answers the comparison as the program `measure` does: a line in, a line of JSON out.

#define _GNU_SOURCE
#include "Library.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void fail(const char *reason) {
    printf("{\"error\": \"%s\"}\n", reason);
    fflush(stdout);
    exit(1);
}

void *allocate(size_t length) {
    void *memory = malloc(length ? length : 1);
    if (!memory)
        fail("no memory");
    return memory;
}

static file read_file(const char *path) {
    FILE *stream = fopen(path, "rb");
    if (!stream || fseek(stream, 0, SEEK_END) != 0)
        fail("the file can't be read");
    long length = ftell(stream);
    if (length < 0)
        fail("the file can't be read");
    rewind(stream);
    file read = {allocate((size_t)length), (size_t)length};
    if (fread(read.bytes, 1, read.length, stream) != read.length)
        fail("the file can't be read");
    fclose(stream);
    return read;
}

static void write_file(const char *path, const void *bytes, size_t length) {
    FILE *stream = fopen(path, "wb");
    if (!stream || fwrite(bytes, 1, length, stream) != length || fclose(stream) != 0)
        fail("the file can't be written");
}

/// A raw file of RGBA rows, after a line with its width and height.
static picture read_picture(const char *path) {
    file whole = read_file(path);
    picture read = {NULL, 0, 0};
    int header = 0;
    if (sscanf((char *)whole.bytes, "%d %d%n", &read.width, &read.height, &header) != 2 || read.width < 1
        || read.height < 1 || read.width > 65535 || read.height > 65535)
        fail("not a file of pixels");
    size_t start = (size_t)header + 1, length = (size_t)read.width * (size_t)read.height * 4;
    if (whole.length != start + length)
        fail("not a file of pixels");
    read.bytes = allocate(length);
    memcpy(read.bytes, whole.bytes + start, length);
    free(whole.bytes);
    return read;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int count, char **arguments) {
    const library *const libraries[] = {&avif_library, &heif_library, &jxl_library, &webp_library};
    const library *library = NULL;
    for (size_t index = 0; count == 4 && index < sizeof libraries / sizeof *libraries; index++)
        if (strcmp(arguments[2], libraries[index]->format) == 0)
            library = libraries[index];
    if (!library)
        fail("usage: library-alone decode|encode FORMAT FILE");
    bool encodes = strcmp(arguments[1], "encode") == 0;
    if (encodes && !library->encode)
        fail("that format isn't encoded here");
    int threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
    picture pixels = {NULL, 0, 0};
    file bytes = {NULL, 0};
    if (encodes)
        pixels = read_picture(arguments[3]);
    else
        bytes = read_file(arguments[3]);

    char name[256] = "";
    library->name(name, sizeof name, encodes);
    printf("{\"ready\": true, \"name\": \"%s\"}\n", name);
    fflush(stdout);
    char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        if (strcmp(line, "run") == 0) {
            // The last output is freed and its memory returned to the system, so that each run has fresh pages.
            free(encodes ? bytes.bytes : pixels.bytes);
            malloc_trim(0);
            double start = now();
            if (encodes)
                bytes = library->encode(pixels, threads);
            else
                pixels = library->decode(bytes, threads);
            printf("{\"seconds\": %.9f}\n", now() - start);
        } else if (strncmp(line, "save ", 5) == 0 && encodes) {
            write_file(line + 5, bytes.bytes, bytes.length);
            printf("{\"bytes\": %zu}\n", bytes.length);
        } else if (strncmp(line, "save ", 5) == 0) {
            write_file(line + 5, pixels.bytes, (size_t)pixels.width * (size_t)pixels.height * 4);
            printf("{\"width\": %d, \"height\": %d}\n", pixels.width, pixels.height);
        } else {
            fail("not understood");
        }
        fflush(stdout);
    }
    return 0;
}
