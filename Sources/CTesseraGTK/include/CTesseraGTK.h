// GTK 4 as a few plain functions: objects are opaque, events arrive in one kind of handler, and a widget's virtual
// functions are one table. All on the main thread, but for the release of a texture's pixels.
#ifndef CTESSERA_GTK_H
#define CTESSERA_GTK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whether this was built with the library; without it, only the viewer's interface is defined.
bool tessera_gtk_available(void);

/// Any GObject.
typedef struct tessera_object tessera_object;
/// A widget's drawing context, for the duration of one call.
typedef struct tessera_canvas tessera_canvas;

// MARK: The viewer's interface, in the program itself

/// The viewer's window, for `tessera_build`.
const unsigned char *tessera_viewer_ui(size_t *count);
/// Its style, for `tessera_add_style`.
const char *tessera_viewer_css(void);

// MARK: The program

/// Connects to the display; false where there is none. `name` is that of the program's .desktop file. SIGINT, SIGTERM and
/// SIGHUP end `tessera_run` from now on.
bool tessera_start(const char *name);
/// Runs until `tessera_stop`; what is enqueued on the main queue, and so on Swift's main actor, is run as well.
void tessera_run(void);
void tessera_stop(void);
/// Device pixels per point, the most of any display; 1 without a display.
int tessera_display_scale(void);
/// Adds CSS for all windows.
void tessera_add_style(const char *css);
/// Prefers the dark theme while the desktop does, by its settings portal. GTK follows its own settings without that.
void tessera_follow_color_scheme(void);
/// The colour of the widget's text in the current theme, as 0xRRGGBBAA.
uint32_t tessera_text_color(tessera_object *widget);
/// Whether the desktop's settings allow animations.
bool tessera_animates(void);

// MARK: How long the loop is kept

/// Marks the start or end of a call from GTK's loop into the program: a handler, a widget's function, the main queue.
/// Nested calls belong to it.
void tessera_enter(void);
void tessera_leave(void);
/// Records each call's time from now on.
void tessera_watch(void);
/// The recorded calls' times in microseconds, in order; valid until the next call.
size_t tessera_watched(const uint32_t **microseconds);

// MARK: What happens

/// A handler's event; members that don't apply are 0.
typedef struct {
    /// The name of a key or an action.
    const char *text;
    /// Paths or addresses.
    const char *const *texts;
    int count;
    /// A switch's new state.
    bool flag;
    /// Modifiers such as `TESSERA_SHIFT`.
    unsigned modifiers;
    /// A pointer's position, or a size.
    double x, y;
} tessera_event;

enum { TESSERA_SHIFT = 1, TESSERA_CONTROL = 2, TESSERA_ALT = 4 };

/// A function with its context, which is released when it can no longer be called.
typedef struct {
    bool (*call)(void *context, const tessera_event *event);
    void (*release)(void *context);
    void *context;
} tessera_handler;

/// Calls `handler` at a signal; its result is the signal's, if it has one.
void tessera_connect(tessera_object *object, const char *signal, tessera_handler handler);
/// Adds an action with the prefix `win` to the widget `object` and its descendants.
void tessera_add_action(tessera_object *group, const char *name, tessera_handler handler);
/// Adds an action that is on or off.
void tessera_add_switch(tessera_object *group, const char *name, bool is_on, tessera_handler handler);
void tessera_set_switch(tessera_object *group, const char *name, bool is_on);
/// Adds an action that is one of several values, which the event's text has.
void tessera_add_selection(tessera_object *group, const char *name, const char *value, tessera_handler handler);
void tessera_set_selection(tessera_object *group, const char *name, const char *value);
void tessera_enable_action(tessera_object *group, const char *name, bool is_enabled);
/// An empty group of actions, which the caller owns.
tessera_object *tessera_action_group(void);
void tessera_insert_actions(tessera_object *widget, const char *prefix, tessera_object *group);
/// Calls `handler` for keys that nothing inside `widget` has handled; true handles the key.
void tessera_add_keys(tessera_object *widget, tessera_handler handler);
/// Calls `handler` with the pointer's positions over `widget` and its children.
void tessera_add_motion(tessera_object *widget, tessera_handler handler);
/// Calls `handler` with the window's sizes, once it is shown.
void tessera_on_layout(tessera_object *window, tessera_handler handler);
/// Calls `handler` with the addresses of files dropped on `widget`.
void tessera_add_drop(tessera_object *widget, tessera_handler handler);
typedef enum { TESSERA_OPEN_FILES, TESSERA_OPEN_FOLDER, TESSERA_SAVE_FILE } tessera_choice;
/// A file dialog, which the caller owns. `suggestion` and `folder` may be NULL.
tessera_object *tessera_file_dialog(
    tessera_object *window, tessera_choice choice, const char *title, const char *suggestion, const char *folder);
/// Adds a list of values to choose from; the first is chosen. `values` and their `names` end with NULL.
void tessera_add_choice(
    tessera_object *dialog, const char *name, const char *label, const char *const *values, const char *const *names);
/// The value that is chosen, valid until the dialog's next change; NULL without such a choice.
const char *tessera_chosen(tessera_object *dialog, const char *name);
/// Shows the dialog; `handler` is called once, with the files' paths or none.
void tessera_show_dialog(tessera_object *dialog, tessera_handler handler);

/// A monitor of the folder at `path`, which calls `handler` after changes until it is released; NULL where the system
/// can't watch it.
tessera_object *tessera_watch_folder(const char *path, tessera_handler handler);

// MARK: The desktop

/// Adds a file to the desktop's list of recent ones.
void tessera_add_recent(const char *path);
/// Calls `handler` once, with the paths of the recent files that this program added, the newest first.
void tessera_recent(tessera_handler handler);
/// Asks for a program, and opens the files at `paths` by it; `failed` gets the reason if that doesn't start.
void tessera_open_with(tessera_object *window, const char *const *paths, int count, tessera_handler failed);
/// Shows the image at `path` as the desktop's background, by its portal or its settings; false where neither is.
bool tessera_set_wallpaper(const char *path);
/// Shows the print dialog for one page of premultiplied RGBA pixels, which are copied; `failed` gets the reason if printing
/// fails. False if memory runs out.
bool tessera_print(
    tessera_object *window, const char *name, const void *pixels, int width, int height, size_t bytes_per_row,
    tessera_handler failed);
/// Calls `handler` with the path of the ICC profile of the monitor that the window is on, or with none, when colord has said it
/// and whenever that changes. `handler` is never released.
void tessera_follow_monitor_profile(tessera_object *window, tessera_handler handler);
/// A local date, or a time since 1970, as the user's language writes it; to be freed, NULL for an invalid one.
char *tessera_date_text(int year, int month, int day, int hour, int minute, int second);
char *tessera_time_text(int64_t seconds);

// MARK: Objects

tessera_object *tessera_retain(tessera_object *object);
void tessera_release(tessera_object *object);
/// A new object of a type by name, owned by the caller; NULL where there is no such type.
tessera_object *tessera_new(const char *type_name);
/// Builds the objects that `ui` describes; NULL with the reason in `message` (to be freed) on failure.
tessera_object *tessera_build(const unsigned char *ui, size_t count, char **message);
/// A built object, which the builder owns; NULL if there is none of that name.
tessera_object *tessera_built(tessera_object *builder, const char *name);

void tessera_set_flag(tessera_object *object, const char *property, bool value);
void tessera_set_number(tessera_object *object, const char *property, double value);
void tessera_set_text(tessera_object *object, const char *property, const char *value);
void tessera_set_object(tessera_object *object, const char *property, tessera_object *value);
/// Notifies listeners that a property may have changed.
void tessera_notify(tessera_object *object, const char *property);
bool tessera_get_flag(tessera_object *object, const char *property);
double tessera_get_number(tessera_object *object, const char *property);
/// To be freed.
char *tessera_get_text(tessera_object *object, const char *property);

void tessera_set_class(tessera_object *widget, const char *name, bool is_on);
/// Sets the widget's accessible label.
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
void tessera_box_append(tessera_object *box, tessera_object *child);
void tessera_box_clear(tessera_object *box);
/// Opens a menu of the actions in `menu` at a point of `widget`. `place` is the container that holds it meanwhile.
void tessera_popup(tessera_object *place, tessera_object *widget, tessera_object *menu, double x, double y);
/// Sets the pointer's shape over the widget by its CSS name; NULL for its parent's.
void tessera_set_cursor(tessera_object *widget, const char *name);
void tessera_copy_texture(tessera_object *widget, tessera_object *texture);

// MARK: Pictures

typedef enum { TESSERA_RGBA8, TESSERA_RGBA8_PREMULTIPLIED, TESSERA_RGBA16, TESSERA_RGBA16_PREMULTIPLIED } tessera_pixels;

/// A texture of pixels that aren't copied: `release` is called with `owner`, on any thread, once they are no longer
/// used.
tessera_object *tessera_texture(
    const void *pixels, int width, int height, size_t bytes_per_row, tessera_pixels format,
    void (*release)(void *owner), void *owner);

void tessera_draw_texture(
    tessera_canvas *canvas, tessera_object *texture, double x, double y, double width, double height);
void tessera_draw_color(
    tessera_canvas *canvas, uint32_t rgba, double x, double y, double width, double height, double radius);
/// Fills a rectangle with squares of two colours, aligned to the canvas's origin.
void tessera_draw_chequers(
    tessera_canvas *canvas, uint32_t first, uint32_t second, double square, double x, double y, double width,
    double height);
void tessera_draw_border(
    tessera_canvas *canvas, uint32_t rgba, double x, double y, double width, double height, double radius,
    double line);
/// Draws a line of text in the widget's font, aligned left, centred or right (0, 0.5, 1) at a place.
void tessera_draw_text(
    tessera_canvas *canvas, tessera_object *widget, const char *text, uint32_t rgba, double x, double y, double width,
    double alignment, double size);
/// Draws lines of text centred in a rectangle, as many as fit.
void tessera_draw_message(
    tessera_canvas *canvas, tessera_object *widget, const char *text, uint32_t rgba, double x, double y, double width,
    double height, double size);
/// Clips drawing until `tessera_pop` to this rectangle.
void tessera_push_clip(tessera_canvas *canvas, double x, double y, double width, double height, double radius);
/// Sets the opacity of drawing until `tessera_pop`.
void tessera_push_opacity(tessera_canvas *canvas, double opacity);
/// Fades from the drawing until the first `tessera_pop` to the drawing until the second.
void tessera_push_cross_fade(tessera_canvas *canvas, double progress);
void tessera_pop(tessera_canvas *canvas);
void tessera_save(tessera_canvas *canvas);
void tessera_restore(tessera_canvas *canvas);
/// Moves the origin to (x, y), rotates clockwise by a multiple of 90 degrees, and mirrors left to right before that.
/// GTK doesn't detect right angles in a matrix.
void tessera_turn(tessera_canvas *canvas, double x, double y, int degrees, bool is_mirrored);

// MARK: Widgets of one's own

typedef enum {
    TESSERA_SCROLL, TESSERA_DRAG_BEGIN, TESSERA_DRAG, TESSERA_DRAG_END, TESSERA_PINCH_BEGIN, TESSERA_PINCH,
    TESSERA_PINCH_END, TESSERA_PRESS, TESSERA_MOTION, TESSERA_LEAVE,
    TESSERA_MENU,
} tessera_input_kind;

/// Input by pointer, wheel, touchpad or touch screen.
typedef struct {
    tessera_input_kind kind;
    /// The position in the widget.
    double x, y;
    /// The distance: steps of a wheel, points of a touchpad, points since the start of a drag.
    double dx, dy;
    /// The scale since the start of a pinch.
    double scale;
    /// The number of the press: 2 for a double click.
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

/// The functions of all widget types. A context is created with its widget, and released when that is disposed of.
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
    /// Called at each frame while it returns true, with the frame's time in microseconds.
    bool (*tick)(void *context, int64_t time);
    void (*set_number)(void *context, int property, double value);
    void (*set_text)(void *context, int property, const char *value);
    double (*get_number)(void *context, int property);
    /// The caller frees it; NULL for none.
    char *(*get_text)(void *context, int property);
} tessera_widget_functions;

/// Registers a widget type, under this name for files of GtkBuilder. Names aren't copied. A type that clips draws
/// nothing outside itself.
void tessera_register(
    int kind, const char *type_name, tessera_role role, bool clips, const tessera_property *properties, int count,
    const tessera_widget_functions *functions);
/// A widget's context; NULL after it was disposed of.
void *tessera_context(tessera_object *widget);
/// Calls `tick` from the next frame on.
void tessera_start_ticking(tessera_object *widget);
/// Calls the widget's function for input, as a gesture would.
bool tessera_send(tessera_object *widget, const tessera_input *input);

#endif
