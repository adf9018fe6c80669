/*
 * The other end of a glycin loader's connection, as glycin has it: a server that allows anonymous clients only, files that
 * arrive over a socket, and shared memory that it seals.
 *
 * glycin PROGRAM 1|2 FILE OUTPUT [WIDTH HEIGHT]   writes width, height and RGBA, or prints the error's name, or that it is
 *                                                opaque, and exits with 3; the size scales
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <gio/gio.h>
#include <gio/gunixfdlist.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void fail(const char *message) {
    fprintf(stderr, "glycin: %s\n", message);
    exit(1);
}

static gboolean allow(GDBusAuthObserver *observer, const char *mechanism, gpointer data) {
    (void)observer, (void)data;
    return strcmp(mechanism, "ANONYMOUS") == 0;
}

static gboolean authorize(GDBusAuthObserver *observer, GIOStream *stream, GCredentials *credentials, gpointer data) {
    (void)observer, (void)stream, (void)credentials, (void)data;
    return TRUE;
}

static GDBusConnection *start(const char *program, GPid *pid) {
    int pair[2];
    char number[16];
    GError *error = NULL;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) != 0)
        fail("no socket");
    fcntl(pair[0], F_SETFD, FD_CLOEXEC);
    snprintf(number, sizeof number, "%d", pair[1]);
    char *arguments[] = {(char *)program, (char *)"--dbus-fd", number, NULL};
    if (!g_spawn_async(
            NULL, arguments, NULL, G_SPAWN_LEAVE_DESCRIPTORS_OPEN | G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, pid, &error))
        fail(error->message);
    close(pair[1]);
    GDBusAuthObserver *observer = g_dbus_auth_observer_new();
    g_signal_connect(observer, "allow-mechanism", G_CALLBACK(allow), NULL);
    g_signal_connect(observer, "authorize-authenticated-peer", G_CALLBACK(authorize), NULL);
    GSocketConnection *stream = g_socket_connection_factory_create_connection(g_socket_new_from_fd(pair[0], NULL));
    char *guid = g_dbus_generate_guid();
    GDBusConnection *connection = g_dbus_connection_new_sync(
        G_IO_STREAM(stream), guid,
        G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_SERVER | G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_ALLOW_ANONYMOUS, observer,
        NULL, &error);
    if (!connection)
        fail(error->message);
    return connection;
}

typedef struct {
    const char *path;
    int descriptor;
} sending;

static gpointer send_file(gpointer data) {
    sending *job = data;
    char *bytes = NULL;
    gsize count = 0, done = 0;
    if (g_file_get_contents(job->path, &bytes, &count, NULL)) {
        while (done < count) {
            /* The loader may not read to the end. */
            ssize_t sent = send(job->descriptor, bytes + done, MIN(count - done, 5000), MSG_NOSIGNAL);
            if (sent <= 0)
                break;
            done += (gsize)sent;
        }
    }
    close(job->descriptor);
    return NULL;
}

static GVariant *call(
    GDBusConnection *connection, const char *path, const char *interface, const char *method, GVariant *parameters,
    const char *type, GUnixFDList *sent, GUnixFDList **received) {
    GError *error = NULL;
    GVariant *reply = g_dbus_connection_call_with_unix_fd_list_sync(
        connection, NULL, path, interface, method, parameters, G_VARIANT_TYPE(type), G_DBUS_CALL_FLAGS_NONE, 30000, sent,
        received, NULL, &error);
    if (!reply) {
        char *name = g_dbus_error_get_remote_error(error);
        printf("%s\n", name ? name : error->message);
        exit(3);
    }
    return reply;
}

int main(int count, char **arguments) {
    if (count != 5 && count != 7)
        fail("wrong arguments");
    gboolean is_version_1 = strcmp(arguments[2], "1") == 0;
    GPid pid;
    GDBusConnection *connection = start(arguments[1], &pid);

    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
        fail("no socket");
    sending job = {arguments[3], pair[0]};
    GThread *thread = g_thread_new("file", send_file, &job);
    GUnixFDList *list = g_unix_fd_list_new();
    int handle = g_unix_fd_list_append(list, pair[1], NULL);
    close(pair[1]);
    GVariant *request = g_variant_new("((hs@a{sv}))", handle, "image/x-jpng", g_variant_new("a{sv}", NULL));
    GVariant *info = call(
        connection, "/org/gnome/glycin", "org.gnome.glycin.Loader", "Init", request, is_version_1 ? "(uua{sv})" : "(oa{sv})",
        list, NULL);
    g_thread_join(thread);
    guint32 width = 0, height = 0;
    const char *path = "/org/gnome/glycin";
    if (is_version_1) {
        g_variant_get(info, "(uu@a{sv})", &width, &height, NULL);
    } else {
        GVariant *details = g_variant_get_child_value(info, 1);
        g_variant_get_child(info, 0, "&o", &path);
        if (!g_variant_lookup(details, "width", "u", &width) || !g_variant_lookup(details, "height", "u", &height))
            fail("the image has no size");
    }

    GVariantDict frame_request;
    g_variant_dict_init(&frame_request, NULL);
    if (count == 7)
        g_variant_dict_insert(
            &frame_request, "scale", "(uu)", (guint32)atoi(arguments[5]), (guint32)atoi(arguments[6]));
    const char *interface = is_version_1 ? "org.gnome.glycin.Loader" : "org.gnome.glycin.Image";
    GUnixFDList *received = NULL;
    GVariant *frame = call(
        connection, path, interface, "Frame", g_variant_new("(@a{sv})", g_variant_dict_end(&frame_request)),
        "(uuuuh(tu)a{sv})", NULL, &received);
    guint32 frame_width, frame_height, stride, layout;
    gint32 memory;
    g_variant_get(frame, "(uuuuh(tu)@a{sv})", &frame_width, &frame_height, &stride, &layout, &memory, NULL, NULL, NULL);
    if (count == 5 && (frame_width != width || frame_height != height))
        fail("the frame's size isn't the image's");
    /* R8g8b8, of a file that has lost its footer. */
    if (layout == 7) {
        printf("opaque\n");
        return 3;
    }
    /* R8g8b8a8. */
    if (layout != 5 || stride < 4 * frame_width)
        fail("the frame isn't RGBA");
    int descriptor = received ? g_unix_fd_list_get(received, memory, NULL) : -1;
    if (fcntl(descriptor, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_WRITE | F_SEAL_SEAL) != 0)
        fail("the memory can't be sealed");
    uint8_t *pixels = mmap(NULL, (size_t)stride * frame_height, PROT_READ, MAP_PRIVATE, descriptor, 0);
    FILE *output = fopen(arguments[4], "wb");
    if (pixels == MAP_FAILED || !output)
        fail("no pixels");
    fprintf(output, "%u %u\n", frame_width, frame_height);
    for (guint32 y = 0; y < frame_height; y++) fwrite(pixels + (size_t)y * stride, 4, frame_width, output);
    fclose(output);
    if (!is_version_1)
        g_variant_unref(call(connection, path, interface, "Done", NULL, "()", NULL, NULL));

    /* The loader ends with the connection. */
    g_dbus_connection_close_sync(connection, NULL, NULL);
    int status;
    waitpid(pid, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail("the loader ended with an error");
    return 0;
}
