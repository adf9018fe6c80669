#ifndef COFFSCREEN_H
#define COFFSCREEN_H

#include <stdbool.h>
#include <stdint.h>

// OpenGL ES without a window, just enough to draw a texture and read back what became of it.

/// Makes a context by EGL, on a software renderer where there is no other, and a canvas of this size. The result is NULL, or
/// what is missing.
const char *offscreen_open(int width, int height);

/// What draws.
const char *offscreen_renderer(void);

/// Makes a texture of premultiplied RGBA of 8 bits, rows without padding from the top. 0 where that fails.
uint32_t offscreen_texture(int width, int height, const uint8_t *pixels);

/// Fills the canvas with a colour, and draws the texture over all of it.
bool offscreen_draw(uint32_t texture, float red, float green, float blue);

/// The canvas's pixels: RGBA, rows from the top.
bool offscreen_read(int width, int height, uint8_t *pixels);

void offscreen_close(void);

#endif
