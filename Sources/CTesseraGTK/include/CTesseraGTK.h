// GTK 4 as a few plain functions: objects are opaque, what happens comes back by one kind of handler, and a widget's
// virtual functions by one table. All of it on the main thread, but for the release of a texture's pixels.
#ifndef CTESSERA_GTK_H
#define CTESSERA_GTK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whether the library was there when this was built; where it wasn't, only the viewer's interface is defined.
bool tessera_gtk_available(void);

/// Any GObject.
typedef struct tessera_object tessera_object;
/// What a widget draws on, for the length of one call.
typedef struct tessera_canvas tessera_canvas;

// MARK: The viewer's interface, in the program itself

/// The viewer's window, for `tessera_build`.
const unsigned char *tessera_viewer_ui(size_t *count);
/// Its style, for `tessera_add_style`.
const char *tessera_viewer_css(void);

// MARK: The program

/// Connects to the display; false where there is none. `name` is that of the program's .desktop file.
bool tessera_start(const char *name);
/// Runs until `tessera_stop`; what is enqueued on the main queue, and so on Swift's main actor, is run as well.
void tessera_run(void);
void tessera_stop(void);
/// Device pixels per point of the displays that there are, the most of any; 1 where there is none.
int tessera_display_scale(void);
/// Rules of style for all windows.
void tessera_add_style(const char *css);
void tessera_prefer_dark(bool is_dark);
/// Whether things may move by themselves, as the desktop's settings have it.
bool tessera_animates(void);

// MARK: How long the loop is kept

/// A call from GTK's loop into the program begins, or ends: a handler, a widget's function, the main queue. Calls within
/// one belong to it.
void tessera_enter(void);
void tessera_leave(void);
/// Has the time that each call took noted from now on.
void tessera_watch(void);
/// Microseconds of the calls that were noted, in their order; good until the next call.
size_t tessera_watched(const uint32_t **microseconds);

// MARK: What happens

/// What a handler is told; what doesn't apply is 0.
typedef struct {
    /// A key's name, an action's.
    const char *text;
    /// Paths or addresses.
    const char *const *texts;
    int count;
    /// A switch's new state.
    bool flag;
    /// `TESSERA_SHIFT` and the like.
    unsigned modifiers;
} tessera_event;

enum { TESSERA_SHIFT = 1, TESSERA_CONTROL = 2, TESSERA_ALT = 4 };

/// A function with what it needs, which is released when nobody can call it any more.
typedef struct {
    bool (*call)(void *context, const tessera_event *event);
    void (*release)(void *context);
    void *context;
} tessera_handler;

/// Calls `handler` at a signal; what it returns is the signal's answer, where that has one.
void tessera_connect(tessera_object *object, const char *signal, tessera_handler handler);
/// An action of the widget `object` and all below it, by the prefix `win`.
void tessera_add_action(tessera_object *group, const char *name, tessera_handler handler);
/// An action that is on or off.
void tessera_add_switch(tessera_object *group, const char *name, bool is_on, tessera_handler handler);
void tessera_set_switch(tessera_object *group, const char *name, bool is_on);
void tessera_enable_action(tessera_object *group, const char *name, bool is_enabled);
/// An empty group of actions, which the caller owns.
tessera_object *tessera_action_group(void);
void tessera_insert_actions(tessera_object *widget, const char *prefix, tessera_object *group);
/// Calls `handler` for keys that nothing inside `widget` has taken; true takes the key.
void tessera_add_keys(tessera_object *widget, tessera_handler handler);
/// Calls `handler` with the addresses of what is dropped on `widget`.
void tessera_add_drop(tessera_object *widget, tessera_handler handler);
typedef enum { TESSERA_OPEN_FILES, TESSERA_OPEN_FOLDER, TESSERA_SAVE_FILE } tessera_choice;
/// Asks for files; `handler` is called once, with their paths or none.
void tessera_choose(
    tessera_object *window, tessera_choice choice, const char *title, const char *suggestion, tessera_handler handler);

// MARK: Objects

tessera_object *tessera_retain(tessera_object *object);
void tessera_release(tessera_object *object);
/// A new object of a type by name, owned by the caller; NULL where there is no such type.
tessera_object *tessera_new(const char *type_name);
/// What `ui` describes; NULL, and why in `message` (to be freed), where it can't be built.
tessera_object *tessera_build(const unsigned char *ui, size_t count, char **message);
/// An object of what was built, which the builder owns; NULL where there is none of that name.
tessera_object *tessera_built(tessera_object *builder, const char *name);

void tessera_set_flag(tessera_object *object, const char *property, bool value);
void tessera_set_number(tessera_object *object, const char *property, double value);
void tessera_set_text(tessera_object *object, const char *property, const char *value);
/// Has listeners told that a property may have changed.
void tessera_notify(tessera_object *object, const char *property);
bool tessera_get_flag(tessera_object *object, const char *property);
double tessera_get_number(tessera_object *object, const char *property);
/// To be freed.
char *tessera_get_text(tessera_object *object, const char *property);

void tessera_set_class(tessera_object *widget, const char *name, bool is_on);
/// What assistive programs call the widget.
void tessera_set_label(tessera_object *widget, const char *label);
void tessera_focus(tessera_object *widget);
bool tessera_activate(tessera_object *widget, const char *action);
void tessera_redraw(tessera_object *widget);
void tessera_resize(tessera_object *widget);
int tessera_scale_factor(tessera_object *widget);
void tessera_present(tessera_object *window);
void tessera_close(tessera_object *window);
void tessera_destroy(tessera_object *window);
void tessera_grid_attach(tessera_object *grid, tessera_object *child, int column, int row);
void tessera_grid_clear(tessera_object *grid);
void tessera_copy_texture(tessera_object *widget, tessera_object *texture);

// MARK: Pictures

typedef enum { TESSERA_RGBA8, TESSERA_RGBA8_PREMULTIPLIED, TESSERA_RGBA16, TESSERA_RGBA16_PREMULTIPLIED } tessera_pixels;

/// A texture of pixels that stay where they are: `release` is called with `owner`, on any thread, when they are no
/// longer looked at.
tessera_object *tessera_texture(
    const void *pixels, int width, int height, size_t bytes_per_row, tessera_pixels format,
    void (*release)(void *owner), void *owner);

void tessera_draw_texture(
    tessera_canvas *canvas, tessera_object *texture, double x, double y, double width, double height);
void tessera_draw_color(
    tessera_canvas *canvas, uint32_t rgba, double x, double y, double width, double height, double radius);
void tessera_draw_border(
    tessera_canvas *canvas, uint32_t rgba, double x, double y, double width, double height, double radius,
    double line);
/// A line of text in the widget's font, from the left, middle or right (0, 0.5, 1) of a place.
void tessera_draw_text(
    tessera_canvas *canvas, tessera_object *widget, const char *text, uint32_t rgba, double x, double y, double width,
    double alignment, double size);
/// Writes several lines about a rectangle's middle, as many as have room.
void tessera_draw_message(
    tessera_canvas *canvas, tessera_object *widget, const char *text, uint32_t rgba, double x, double y, double width,
    double height, double size);
/// What is drawn until `tessera_pop` is seen only within this rectangle.
void tessera_push_clip(tessera_canvas *canvas, double x, double y, double width, double height, double radius);
/// What is drawn until `tessera_pop` is this opaque.
void tessera_push_opacity(tessera_canvas *canvas, double opacity);
/// What is drawn until the first `tessera_pop` fades into what is drawn until the second.
void tessera_push_cross_fade(tessera_canvas *canvas, double progress);
void tessera_pop(tessera_canvas *canvas);
void tessera_save(tessera_canvas *canvas);
void tessera_restore(tessera_canvas *canvas);
/// From here on places are counted from (x, y), turned clockwise by a multiple of 90 degrees, mirrored left to right before
/// that. A matrix would say the same, but GTK tells no right angles in one.
void tessera_turn(tessera_canvas *canvas, double x, double y, int degrees, bool is_mirrored);

// MARK: Widgets of one's own

typedef enum {
    TESSERA_SCROLL, TESSERA_DRAG_BEGIN, TESSERA_DRAG, TESSERA_DRAG_END, TESSERA_PINCH_BEGIN, TESSERA_PINCH,
    TESSERA_PINCH_END, TESSERA_PRESS, TESSERA_MOTION, TESSERA_LEAVE,
} tessera_input_kind;

/// Input by pointer, wheel, touchpad or touch screen.
typedef struct {
    tessera_input_kind kind;
    /// Where, in the widget.
    double x, y;
    /// How far: steps of a wheel, points of a touchpad, points since a drag's beginning.
    double dx, dy;
    /// Since a pinch's beginning.
    double scale;
    /// Which press of several at one place.
    int count;
    unsigned modifiers;
    /// Whether `dx` and `dy` count points rather than a wheel's steps.
    bool is_fine;
    bool is_touch;
} tessera_input;

typedef enum { TESSERA_NUMBER, TESSERA_FLAG, TESSERA_TEXT } tessera_property_kind;

typedef struct {
    const char *name;
    tessera_property_kind kind;
    double minimum, maximum, standard;
} tessera_property;

typedef enum { TESSERA_ROLE_PICTURE, TESSERA_ROLE_LIST } tessera_role;

/// What widgets of all kinds do. A context is made with its widget, and released when that is disposed of.
typedef struct {
    void *(*make)(int kind, tessera_object *widget);
    void (*release)(void *context);
    void (*snapshot)(void *context, tessera_canvas *canvas, double width, double height);
    void (*measure)(void *context, bool is_vertical, int for_size, int *minimum, int *natural);
    void (*allocate)(void *context, int width, int height);
    /// The widget is on a display with another number of device pixels per point.
    void (*scaled)(void *context);
    void (*unrealize)(void *context);
    bool (*input)(void *context, const tessera_input *input);
    /// At each frame while it returns true, with the frame's time in microseconds.
    bool (*tick)(void *context, int64_t time);
    void (*set_number)(void *context, int property, double value);
    void (*set_text)(void *context, int property, const char *value);
    double (*get_number)(void *context, int property);
    /// To be freed; NULL for none.
    char *(*get_text)(void *context, int property);
} tessera_widget_functions;

/// Makes a type of widget, which files of GtkBuilder know by this name. Names must stay where they are. One that clips
/// draws nothing outside itself.
void tessera_register(
    int kind, const char *type_name, tessera_role role, bool clips, const tessera_property *properties, int count,
    const tessera_widget_functions *functions);
/// The context of a widget of such a type; NULL after it was disposed of.
void *tessera_context(tessera_object *widget);
/// Has `tick` called from the next frame on.
void tessera_start_ticking(tessera_object *widget);
/// Calls the widget's function for input, as a gesture would.
bool tessera_send(tessera_object *widget, const tessera_input *input);

#endif
