/* Writes a thumbnail, or the whole image, as a PNG: for file managers and ImageMagick. */

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "jpng.h"

enum {
    /* The largest thumbnail; desktops ask for 128 to 1024. */
    MAXIMUM_SIZE = 65535,
    /* Seconds of processor time after which the program ends: a file manager shows an icon then. */
    MAXIMUM_SECONDS = 60,
    FAILURE = 1,
    USAGE = 64,
};

static const char usage[] = "Usage: tessera-thumbnailer [-s SIZE] INPUT OUTPUT";

static const char help[] =
    "Writes an image as a PNG, upright and reduced to fit a square.\n\n"
    "%s\n\n"
    "  INPUT    A path, or a file: address.\n"
    "  OUTPUT   The PNG; a file that exists is replaced.\n"
    "  -s SIZE  The longer side in pixels, 1 to 65535; smaller images keep their size. Without it, the image's own size,\n"
    "           with its colour profile and metadata.\n"
    "  --formats  Prints the media types that it reads, a line each.\n"
    "  --help   Prints this.\n\n"
    "  tessera-thumbnailer -s 256 file:///home/ada/My%%20photo.jpng thumbnail.png\n\n"
    "Exit status: 0 when the PNG was written, 1 when it wasn't, 64 for a wrong command line.\n";

static int fail(int status, const char *name, const char *message) {
    fprintf(stderr, "tessera-thumbnailer: %s%s%s\n", name, *name ? ": " : "", message);
    return status;
}

static int hexadecimal(char digit) {
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    digit |= 0x20;
    return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/* The path in a file: address, to be freed, or NULL: of another host, or with an invalid or zero byte. */
static char *path_of_address(const char *address) {
    const char *rest = address + strlen("file:");
    if (strncmp(rest, "//", 2) == 0) {
        const char *host = rest + 2;
        rest = strchr(host, '/');
        if (!rest)
            return NULL;
        char own[256] = "";
        size_t length = (size_t)(rest - host);
        gethostname(own, sizeof own - 1);
        if (length > 0 && !(length == 9 && strncmp(host, "localhost", 9) == 0)
            && !(length == strlen(own) && strncmp(host, own, length) == 0))
            return NULL;
    }
    if (*rest != '/')
        return NULL;
    char *path = malloc(strlen(rest) + 1), *end = path;
    if (!path)
        return NULL;
    for (; *rest; rest++) {
        if (*rest != '%') {
            *end++ = *rest;
            continue;
        }
        int high = hexadecimal(rest[1]), low = high < 0 ? -1 : hexadecimal(rest[2]);
        if (low < 0 || (high | low) == 0) {
            free(path);
            return NULL;
        }
        *end++ = (char)(high << 4 | low);
        rest += 2;
    }
    *end = 0;
    return path;
}

static int print_formats(void) {
    for (size_t index = 0; index < tessera_format_count(); index++) {
        tessera_format_info info = {.size = sizeof info};
        if (tessera_format_at(index, &info, NULL) == TESSERA_STATUS_OK && info.can_decode && *info.media_type)
            puts(info.media_type);
    }
    return 0;
}

/* Writes a file in place: file managers keep the empty file open that they have made, and read that. */
static int write_in_place(const char *output, const uint8_t *bytes, size_t count) {
    FILE *file = fopen(output, "wb");
    if (!file)
        return fail(FAILURE, output, strerror(errno));
    int failed = fwrite(bytes, 1, count, file) != count ? errno : 0;
    if (fclose(file) != 0 && !failed)
        failed = errno;
    if (!failed)
        return 0;
    /* Rather nothing than a part. */
    if (truncate(output, 0) != 0)
        unlink(output);
    return fail(FAILURE, output, strerror(failed));
}

static int write_thumbnail(const tessera_image *image, long size, const char *output, tessera_error *error) {
    tessera_image *thumbnail = NULL;
    /* The fastest level that compresses: 2 % larger than the default's at the median. */
    tessera_encode_options options = {.size = sizeof options, .format = "png", .settings = "compression-level=1"};
    uint8_t *bytes = NULL;
    size_t count = 0;
    int status = 0;
    if (tessera_thumbnail(image, size, size, NULL, &thumbnail, error) == TESSERA_STATUS_OK
        && tessera_encode(thumbnail, &options, &bytes, &count, error) == TESSERA_STATUS_OK)
        status = write_in_place(output, bytes, count);
    tessera_free(bytes);
    tessera_image_free(thumbnail);
    return status;
}

static int write_png(const char *name, const char *path, long size, const char *output) {
    tessera_image *image = NULL;
    tessera_error error = jpng_no_error();
    int status = 0;
    if (tessera_open_path(path, NULL, &image, &error) == TESSERA_STATUS_OK) {
        if (size > 0) {
            status = write_thumbnail(image, size, output, &error);
        } else {
            /* For a program that reads it at once. */
            tessera_encode_options options = {
                .size = sizeof options, .format = "png", .keeps = TESSERA_KEEP_ALL, .settings = "compression-level=1"};
            tessera_write_path(image, output, &options, &error);
        }
    }
    tessera_image_free(image);
    return error.status == TESSERA_STATUS_OK ? status : fail(FAILURE, name, error.message);
}

int main(int count, char **arguments) {
    /* For one image, memory that was freed is better used again than given back: fresh pages take longer than what they hold. */
    mallopt(M_MMAP_THRESHOLD, 64 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
    const char *names[2] = {NULL, NULL};
    int found = 0;
    long size = 0;
    for (int index = 1; index < count; index++) {
        const char *argument = arguments[index];
        if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
            printf(help, usage);
            return 0;
        }
        if (strcmp(argument, "--formats") == 0)
            return print_formats();
        if (strcmp(argument, "-s") == 0) {
            char *end = NULL;
            const char *text = index + 1 < count ? arguments[++index] : "";
            errno = 0;
            size = strtol(text, &end, 10);
            if (!*text || *end || errno || size < 1 || size > MAXIMUM_SIZE)
                return fail(USAGE, text, "the size is a number from 1 to 65535");
        } else if (argument[0] == '-' && argument[1]) {
            return fail(USAGE, argument, "there is no such option");
        } else if (found == 2) {
            return fail(USAGE, argument, "only an input and an output are taken");
        } else {
            names[found++] = argument;
        }
    }
    if (found < 2 || !*names[0] || !*names[1]) {
        fprintf(stderr, "%s\n", usage);
        return USAGE;
    }
    struct rlimit limit = {.rlim_cur = MAXIMUM_SECONDS, .rlim_max = MAXIMUM_SECONDS};
    setrlimit(RLIMIT_CPU, &limit);
    const char *colon = strchr(names[0], ':');
    char *path = NULL;
    if (strncmp(names[0], "file:", 5) == 0) {
        path = path_of_address(names[0]);
        if (!path)
            return fail(FAILURE, names[0], "the address has no path on this computer");
    } else if (colon && strncmp(colon, "://", 3) == 0) {
        return fail(FAILURE, names[0], "only file: addresses and paths can be read");
    }
    int status = write_png(names[0], path ? path : names[0], size, names[1]);
    free(path);
    return status;
}
