#ifndef CSTAGE_H
#define CSTAGE_H

#include <stdbool.h>

// A window in which widgets can be anywhere and of any size, just enough for a carousel. All on the main thread.

/// Any GtkWidget.
typedef struct stage_widget stage_widget;

/// What happens in the window.
typedef struct {
    /// The wheel, or two fingers on a touchpad: by so many of the wheel's steps, to the right or down above 0.
    void (*scrolled)(double steps);
    /// A drag began.
    void (*grasped)(void);
    /// It is so many points from where it began.
    void (*dragged)(double x);
    /// It ended.
    void (*released)(void);
    /// A key by its name; true takes it.
    bool (*key)(const char *name);
    /// Before each frame, with the seconds since the last one and the window's size, while it returns true.
    bool (*frame)(double seconds, double width, double height);
    void (*closed)(void);
} stage_handlers;

/// Opens the window.
void stage_open(const char *title, int width, int height, stage_handlers handlers);
/// Has `frame` called from the next frame on.
void stage_start(void);
/// Puts a widget of this size into the window, behind the others.
void stage_add(stage_widget *widget, int width, int height);
/// Puts its middle at a place, scaled about it. Nothing is laid out or drawn anew for it.
void stage_place(stage_widget *widget, double x, double y, double scale, double opacity);
void stage_close(void);

#endif
