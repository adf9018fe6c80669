// tessera-svg: draws one SVG document for another program, and can't do it harm.
//
// A document of two kilobytes can keep librsvg busy for a minute and take half a gigabyte, and nothing stops it from
// inside. So the library runs in this program, which the system holds to limits and to a few calls, and which its parent
// can end.
//
// It is started as `tessera-svg SECONDS BYTES` (processor time and memory it may take) with open files:
//   0  a socket: lines of questions and answers
//   3  the document, from its beginning to its end
//   4  memory for the pixels, as large as the question says
// It says `size WIDTH HEIGHT`, or `error REASON`; is asked `draw WIDTH HEIGHT X Y COLUMNS ROWS`; and says `done`, or
// `error REASON`.

#define _GNU_SOURCE
#include "document.h"

#include <CTesseraSystem.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { conversation = 0, input = 3, output = 4 };

static void limit(int resource, unsigned long long value) {
    // Processor time past the soft limit is a signal that tells why, past the hard one just the end.
    struct rlimit limit = {.rlim_cur = value, .rlim_max = value + (resource == RLIMIT_CPU)};
    setrlimit(resource, &limit);
}

static void hold_back(unsigned long long seconds, unsigned long long bytes) {
    tessera_close_files_from(output + 1);
    limit(RLIMIT_CPU, seconds);
    limit(RLIMIT_AS, bytes);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_NOFILE, 64);
    // No file grows by its hand; fontconfig, which would write a cache, gets an error instead of a signal.
    signal(SIGXFSZ, SIG_IGN);
    limit(RLIMIT_FSIZE, 0);
    tessera_depend_on_parent();
}

// The system then keeps this process from everything but reading fonts, and what their library has to know of them.
static void confine(void) {
    // Names below HOME and the like are short; one that isn't is left out.
    char own[6][512] = {0};
    static const char *const variables[6][2] = {
        {"HOME", "/.fonts"}, {"HOME", "/.local/share/fonts"}, {"HOME", "/.config/fontconfig"},
        {"HOME", "/.cache/fontconfig"}, {"XDG_DATA_HOME", "/fonts"}, {"FONTCONFIG_PATH", ""},
    };
    const char *folders[16] = {
        "/usr/share", "/usr/local/share", "/usr/lib", "/lib", "/etc/fonts", "/var/cache/fontconfig", "/proc/self",
    };
    size_t count = 7;
    for (size_t index = 0; index < 6; index++) {
        const char *value = getenv(variables[index][0]);
        int length = value ? snprintf(own[index], sizeof own[index], "%s%s", value, variables[index][1]) : 0;
        if (length > 0 && (size_t)length < sizeof own[index]) folders[count++] = own[index];
    }
    // A file that is named is enough; the folder around it may be anything.
    if (getenv("FONTCONFIG_FILE")) folders[count++] = getenv("FONTCONFIG_FILE");
    // Where the system has none of this, the limits remain.
    tessera_read_only_below(folders, count);
    tessera_confine(TESSERA_MAY_READ_FILES);
}

static void say(const char *line) {
    size_t count = strlen(line);
    while (count > 0) {
        ssize_t written = write(conversation, line, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) _exit(2);
        line += written;
        count -= (size_t)written;
    }
}

static void refuse(const char *reason) {
    char line[600];
    snprintf(line, sizeof line, "error %.500s\n", reason);
    say(line);
    _exit(1);
}

static void hear(char *line, size_t capacity) {
    size_t count = 0;
    while (count + 1 < capacity) {
        ssize_t got = read(conversation, line + count, 1);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) _exit(0);
        if (line[count] == '\n') break;
        count++;
    }
    line[count] = 0;
}

int main(int count, char **arguments) {
    if (count != 3) {
        fputs("tessera-svg draws SVG documents for Tessera, which starts it when one is to be read.\n", stderr);
        return 64;
    }
    hold_back(strtoull(arguments[1], NULL, 10), strtoull(arguments[2], NULL, 10));
    confine();

    struct stat status;
    if (fstat(input, &status) != 0 || status.st_size <= 0) refuse("there is no document");
    size_t length = (size_t)status.st_size;
    const uint8_t *bytes = mmap(NULL, length, PROT_READ, MAP_PRIVATE, input, 0);
    if (bytes == MAP_FAILED) refuse("the document can't be read");

    char message[512] = "";
    document *document = document_parse(bytes, length, message, sizeof message);
    if (!document) refuse(message);
    double width, height;
    document_size(document, &width, &height);
    char line[600];
    snprintf(line, sizeof line, "size %.17g %.17g\n", width, height);
    say(line);

    for (;;) {
        hear(line, sizeof line);
        view view;
        if (sscanf(line, "draw %lf %lf %lf %lf %d %d", &view.width, &view.height, &view.x, &view.y, &view.columns,
                &view.rows) != 6
            || view.columns <= 0 || view.rows <= 0) {
            refuse("the question isn't one");
        }
        size_t size = (size_t)view.columns * (size_t)view.rows * 4;
        uint32_t *pixels = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, output, 0);
        if (pixels == MAP_FAILED) refuse("there is no memory for the pixels");
        if (!document_draw(document, view, pixels, message, sizeof message)) refuse(message);
        munmap(pixels, size);
        say("done\n");
    }
}
