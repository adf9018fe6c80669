/*
 * The loader of glycin (GNOME 45 and later): answers requests over a D-Bus connection, the other end of which is in the
 * program that shows images.
 *
 * glycin 2 asks for an object of each image and for its frames; glycin 1 asks one object for both. Programs named
 * tessera-glycin-1 speak the older form.
 */

#define _GNU_SOURCE
#include <gio/gio.h>
#include <gio/gunixfdlist.h>
#include <sys/mman.h>
#include <unistd.h>

#include "jpng.h"

enum {
    /* The most bytes that a file may have. */
    MAXIMUM_FILE = 1 << 30,
    /* glycin's numbers of pixel layouts. */
    LAYOUT_RGBA = 5,
    LAYOUT_RGB = 7,
};

static const char loader_2[] =
    "<node><interface name='org.gnome.glycin.Loader'><method name='Init'>"
    "<arg type='(hsa{sv})' direction='in'/><arg type='o' direction='out'/><arg type='a{sv}' direction='out'/>"
    "</method></interface></node>";

static const char image_2[] =
    "<node><interface name='org.gnome.glycin.Image'><method name='Frame'><arg type='a{sv}' direction='in'/>"
    "<arg type='u' direction='out'/><arg type='u' direction='out'/><arg type='u' direction='out'/>"
    "<arg type='u' direction='out'/><arg type='h' direction='out'/><arg type='(tu)' direction='out'/>"
    "<arg type='a{sv}' direction='out'/></method><method name='Done'/></interface></node>";

static const char loader_1[] =
    "<node><interface name='org.gnome.glycin.Loader'><method name='Init'>"
    "<arg type='(hsa{sv})' direction='in'/><arg type='u' direction='out'/><arg type='u' direction='out'/>"
    "<arg type='a{sv}' direction='out'/></method><method name='Frame'><arg type='a{sv}' direction='in'/>"
    "<arg type='u' direction='out'/><arg type='u' direction='out'/><arg type='u' direction='out'/>"
    "<arg type='u' direction='out'/><arg type='h' direction='out'/><arg type='(tu)' direction='out'/>"
    "<arg type='a{sv}' direction='out'/></method></interface></node>";

/* The connection's side of the process. Everything happens on the main loop's thread. */
typedef struct {
    GMainLoop *loop;
    GDBusConnection *connection;
    gboolean is_version_1;
    GDBusInterfaceInfo *image_interface;
    guint last_number;
    /* In version 1, the only image. */
    jpng_picture picture;
} server;

/* An image in version 2. */
typedef struct {
    server *server;
    guint registration;
    jpng_picture picture;
} served_image;

static void fail(GDBusMethodInvocation *invocation, const char *name, const char *message) {
    char *full = g_strconcat("org.gnome.glycin.Error.", name, NULL);
    g_dbus_method_invocation_return_dbus_error(invocation, full, message);
    g_free(full);
}

static void fail_with(GDBusMethodInvocation *invocation, const tessera_error *error) {
    switch (error->status) {
    case TESSERA_STATUS_UNKNOWN_FORMAT:
    case TESSERA_STATUS_UNSUPPORTED: return fail(invocation, "UnsupportedImageFormat", error->message);
    case TESSERA_STATUS_OUT_OF_MEMORY:
    case TESSERA_STATUS_LIMIT_EXCEEDED: return fail(invocation, "OutOfMemory", error->message);
    default: return fail(invocation, "LoadingError", error->message);
    }
}

/* Reads a file that arrives over a socket to its end. */
static GByteArray *read_all(int descriptor) {
    GByteArray *bytes = g_byte_array_new();
    uint8_t *buffer = g_malloc(1 << 16);
    gssize count;
    /* The socket may be non-blocking. */
    GPollFD poll = {.fd = descriptor, .events = G_IO_IN};
    for (;;) {
        count = read(descriptor, buffer, 1 << 16);
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
            g_poll(&poll, 1, -1);
            continue;
        }
        if (count <= 0 || bytes->len + (gsize)count > MAXIMUM_FILE)
            break;
        g_byte_array_append(bytes, buffer, (guint)count);
    }
    g_free(buffer);
    if (count != 0)
        g_clear_pointer(&bytes, g_byte_array_unref);
    return bytes;
}

/* Memory that another process can map, and where it is mapped here; -1 without memory. */
static int make_memory(size_t count, void **address) {
    int descriptor = memfd_create("tessera", MFD_ALLOW_SEALING | MFD_CLOEXEC);
    *address = MAP_FAILED;
    if (descriptor >= 0 && ftruncate(descriptor, (off_t)count) == 0)
        *address = mmap(NULL, count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (*address == MAP_FAILED && descriptor >= 0) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}

/* Appends a descriptor to a list, and closes it; its index in the list. */
static int append(GUnixFDList *list, int descriptor) {
    int index = g_unix_fd_list_append(list, descriptor, NULL);
    close(descriptor);
    return index;
}

/* Opens the file of a request `(hsa{sv})`. False if the request has been answered with an error. */
static gboolean open_picture(GVariant *parameters, GDBusMethodInvocation *invocation, jpng_picture *picture) {
    gint32 handle;
    g_variant_get(parameters, "((hsa{sv}))", &handle, NULL, NULL);
    GUnixFDList *list = g_dbus_message_get_unix_fd_list(g_dbus_method_invocation_get_message(invocation));
    int descriptor = list ? g_unix_fd_list_get(list, handle, NULL) : -1;
    if (descriptor < 0) {
        fail(invocation, "LoadingError", "the request has no file");
        return FALSE;
    }
    GByteArray *bytes = read_all(descriptor);
    close(descriptor);
    if (!bytes) {
        fail(invocation, "LoadingError", "the file can't be read, or has more than 1 GiB");
        return FALSE;
    }
    tessera_error error = jpng_no_error();
    tessera_status status = jpng_open_with_profile(bytes->data, bytes->len, picture, &error);
    g_byte_array_unref(bytes);
    if (status != TESSERA_STATUS_OK)
        fail_with(invocation, &error);
    return status == TESSERA_STATUS_OK;
}

/* Answers a request for a frame: pixels in shared memory, whole or a part, scaled or not. */
static void answer_frame(
    const jpng_picture *picture, gboolean is_version_1, GVariant *parameters, GDBusMethodInvocation *invocation) {
    gboolean has_alpha = picture->info.has_alpha != 0;
    tessera_decode_options options = jpng_decoding(
        has_alpha ? TESSERA_PIXELS_RGBA8 : TESSERA_PIXELS_RGB8, has_alpha ? TESSERA_ALPHA_STRAIGHT : TESSERA_ALPHA_NONE, 0, 0);
    GVariant *request = g_variant_get_child_value(parameters, 0);
    guint32 x, y, width, height;
    if (g_variant_lookup(request, "clip", "(uuuu)", &x, &y, &width, &height)) {
        options.x = x;
        options.y = y;
        options.width = width;
        options.height = height;
    }
    if (g_variant_lookup(request, "scale", "(uu)", &width, &height)) {
        options.target_width = width;
        options.target_height = height;
    }
    g_variant_unref(request);

    tessera_error error = jpng_no_error();
    tessera_layout layout = {.size = sizeof layout};
    if (tessera_decode_layout(picture->image, &options, &layout, &error) != TESSERA_STATUS_OK)
        return fail_with(invocation, &error);
    size_t stride = (size_t)layout.row_byte_count, count = stride * (size_t)layout.height;
    void *pixels;
    int descriptor = make_memory(count, &pixels);
    if (descriptor < 0)
        return fail(invocation, "OutOfMemory", "no memory for the pixels");
    tessera_status status = tessera_decode(picture->image, &options, pixels, count, stride, &error);
    /* The other side seals the memory, which works only when it isn't mapped here. */
    munmap(pixels, count);
    if (status != TESSERA_STATUS_OK) {
        close(descriptor);
        return fail_with(invocation, &error);
    }

    GUnixFDList *list = g_unix_fd_list_new();
    int index = append(list, descriptor);
    GVariantDict details;
    g_variant_dict_init(&details, NULL);
    void *copy;
    if (picture->profile && (descriptor = make_memory(picture->profile_size, &copy)) >= 0) {
        memcpy(copy, picture->profile, picture->profile_size);
        munmap(copy, picture->profile_size);
        g_variant_dict_insert(
            &details, is_version_1 ? "iccp" : "color_icc_profile", "h", append(list, descriptor));
    }
    g_variant_dict_insert(&details, is_version_1 ? "alpha_channel" : "info_alpha_channel", "b", has_alpha);
    /* No time is the null of Rust's type: a still. */
    g_dbus_method_invocation_return_value_with_unix_fd_list(
        invocation,
        g_variant_new(
            "(uuuuh(tu)@a{sv})", (guint32)layout.width, (guint32)layout.height, (guint32)stride,
            (guint32)(has_alpha ? LAYOUT_RGBA : LAYOUT_RGB), index, (guint64)0, (guint32)0, g_variant_dict_end(&details)),
        list);
    g_object_unref(list);
}

/* The properties of an image that are known before a frame is asked for. Its pixels are upright already. */
static GVariant *describe(const jpng_picture *picture, gboolean is_version_1) {
    GVariantDict details;
    g_variant_dict_init(&details, NULL);
    if (!is_version_1) {
        g_variant_dict_insert(&details, "width", "u", (guint32)picture->info.width);
        g_variant_dict_insert(&details, "height", "u", (guint32)picture->info.height);
    }
    g_variant_dict_insert(&details, is_version_1 ? "format_name" : "info_format_name", "s", picture->info.format);
    g_variant_dict_insert(&details, is_version_1 ? "transformations_applied" : "transformation_ignore_exif", "b", TRUE);
    return g_variant_dict_end(&details);
}

static void free_image(gpointer data) {
    served_image *image = data;
    jpng_close(&image->picture);
    g_free(image);
}

static void call_image(
    GDBusConnection *connection, const char *sender, const char *path, const char *interface, const char *method,
    GVariant *parameters, GDBusMethodInvocation *invocation, gpointer data) {
    (void)sender, (void)path, (void)interface;
    served_image *image = data;
    if (strcmp(method, "Frame") == 0)
        return answer_frame(&image->picture, FALSE, parameters, invocation);
    g_dbus_method_invocation_return_value(invocation, NULL);
    g_dbus_connection_unregister_object(connection, image->registration);
}

static const GDBusInterfaceVTable image_calls = {.method_call = call_image};

static void call_loader(
    GDBusConnection *connection, const char *sender, const char *path, const char *interface, const char *method,
    GVariant *parameters, GDBusMethodInvocation *invocation, gpointer data) {
    (void)sender, (void)path, (void)interface;
    server *self = data;
    if (strcmp(method, "Frame") == 0) {
        if (!self->picture.image)
            return fail(invocation, "LoadingError", "no image was opened");
        return answer_frame(&self->picture, TRUE, parameters, invocation);
    }
    jpng_picture picture;
    if (!open_picture(parameters, invocation, &picture))
        return;
    if (self->is_version_1) {
        jpng_close(&self->picture);
        self->picture = picture;
        g_dbus_method_invocation_return_value(
            invocation,
            g_variant_new(
                "(uu@a{sv})", (guint32)picture.info.width, (guint32)picture.info.height, describe(&picture, TRUE)));
        return;
    }
    served_image *image = g_new0(served_image, 1);
    image->server = self;
    image->picture = picture;
    char *name = g_strdup_printf("/org/gnome/glycin/image/%u", ++self->last_number);
    image->registration = g_dbus_connection_register_object(
        connection, name, self->image_interface, &image_calls, image, free_image, NULL);
    g_dbus_method_invocation_return_value(
        invocation, g_variant_new("(o@a{sv})", name, describe(&picture, FALSE)));
    g_free(name);
}

static const GDBusInterfaceVTable loader_calls = {.method_call = call_loader};

static void connection_closed(GDBusConnection *connection, gboolean by_peer, GError *error, gpointer data) {
    (void)connection, (void)by_peer, (void)error;
    g_main_loop_quit(((server *)data)->loop);
}

static int complain(const char *message) {
    g_printerr("tessera-glycin: %s\n", message);
    return 2;
}

int main(int count, char **arguments) {
    int descriptor = -1;
    for (int index = 1; index + 1 < count; index++) {
        if (strcmp(arguments[index], "--dbus-fd") == 0) {
            guint64 number;
            if (!g_ascii_string_to_unsigned(arguments[index + 1], 10, 0, G_MAXINT, &number, NULL))
                return complain("--dbus-fd is not a number");
            descriptor = (int)number;
        }
    }
    if (descriptor < 0)
        return complain("glycin starts this program: --dbus-fd NUMBER is needed");

    GError *error = NULL;
    server self = {.is_version_1 = g_str_has_suffix(arguments[0], "-1")};
    GSocket *socket = g_socket_new_from_fd(descriptor, &error);
    if (!socket)
        return complain(error->message);
    GSocketConnection *stream = g_socket_connection_factory_create_connection(socket);
    self.connection = g_dbus_connection_new_sync(
        G_IO_STREAM(stream), NULL,
        G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_DELAY_MESSAGE_PROCESSING, NULL, NULL,
        &error);
    if (!self.connection)
        return complain(error->message);
    GDBusNodeInfo *loader = g_dbus_node_info_new_for_xml(self.is_version_1 ? loader_1 : loader_2, NULL);
    GDBusNodeInfo *image = g_dbus_node_info_new_for_xml(image_2, NULL);
    self.image_interface = image->interfaces[0];
    self.loop = g_main_loop_new(NULL, FALSE);
    g_signal_connect(self.connection, "closed", G_CALLBACK(connection_closed), &self);
    g_dbus_connection_register_object(
        self.connection, "/org/gnome/glycin", loader->interfaces[0], &loader_calls, &self, NULL, NULL);
    g_dbus_connection_start_message_processing(self.connection);
    if (!g_dbus_connection_is_closed(self.connection))
        g_main_loop_run(self.loop);

    jpng_close(&self.picture);
    g_object_unref(self.connection);
    g_object_unref(stream);
    g_object_unref(socket);
    g_main_loop_unref(self.loop);
    g_dbus_node_info_unref(loader);
    g_dbus_node_info_unref(image);
    return 0;
}
