#include "COffscreen.h"

#if __has_include(<EGL/egl.h>) && __has_include(<GLES2/gl2.h>)

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>
#include <stddef.h>

static EGLDisplay display = EGL_NO_DISPLAY;
static EGLContext context = EGL_NO_CONTEXT;
static EGLSurface surface = EGL_NO_SURFACE;
static GLuint program;

static GLuint compile(GLenum kind, const char *text) {
    GLuint shader = glCreateShader(kind);
    glShaderSource(shader, 1, &text, NULL);
    glCompileShader(shader);
    return shader;
}

const char *offscreen_open(int width, int height) {
    display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    if (!eglInitialize(display, NULL, NULL)) {
        // No screen, and none needed.
        display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
        if (!eglInitialize(display, NULL, NULL))
            return "EGL doesn't start";
    }
    const EGLint wanted[] = {
        EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_RED_SIZE, 8, EGL_GREEN_SIZE, 8,
        EGL_BLUE_SIZE, 8, EGL_ALPHA_SIZE, 8, EGL_NONE};
    EGLConfig config;
    EGLint count = 0;
    if (!eglChooseConfig(display, wanted, &config, 1, &count) || count == 0)
        return "EGL has no canvas of 8 bits to a channel";
    const EGLint size[] = {EGL_WIDTH, width, EGL_HEIGHT, height, EGL_NONE};
    const EGLint version[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
    eglBindAPI(EGL_OPENGL_ES_API);
    surface = eglCreatePbufferSurface(display, config, size);
    context = eglCreateContext(display, config, EGL_NO_CONTEXT, version);
    if (surface == EGL_NO_SURFACE || context == EGL_NO_CONTEXT || !eglMakeCurrent(display, surface, surface, context))
        return "EGL makes no context for OpenGL ES 2";
    glViewport(0, 0, width, height);

    program = glCreateProgram();
    glAttachShader(
        program, compile(
                     GL_VERTEX_SHADER,
                     "attribute vec2 corner; varying vec2 place;"
                     "void main() { place = vec2(corner.x, 1.0 - corner.y);"
                     " gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0); }"));
    glAttachShader(
        program, compile(
                     GL_FRAGMENT_SHADER,
                     "precision highp float; varying vec2 place; uniform sampler2D picture;"
                     "void main() { gl_FragColor = texture2D(picture, place); }"));
    glBindAttribLocation(program, 0, "corner");
    glLinkProgram(program);
    GLint linked = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &linked);
    return linked ? NULL : "the shaders don't compile";
}

const char *offscreen_renderer(void) {
    return (const char *)glGetString(GL_RENDERER);
}

uint32_t offscreen_texture(int width, int height, const uint8_t *pixels) {
    GLuint texture = 0;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    return glGetError() == GL_NO_ERROR ? texture : 0;
}

bool offscreen_draw(uint32_t texture, float red, float green, float blue) {
    static const GLfloat corners[] = {0, 0, 1, 0, 0, 1, 1, 1};
    glClearColor(red, green, blue, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glUseProgram(program);
    glBindTexture(GL_TEXTURE_2D, texture);
    glEnable(GL_BLEND);
    // Colours that were multiplied by their alpha aren't to be once more.
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    return glGetError() == GL_NO_ERROR;
}

bool offscreen_read(int width, int height, uint8_t *pixels) {
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    // OpenGL counts rows from the bottom.
    for (int y = 0; y < height; y++)
        glReadPixels(0, height - 1 - y, width, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixels + (size_t)y * width * 4);
    return glGetError() == GL_NO_ERROR;
}

void offscreen_close(void) {
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglTerminate(display);
}

#else

const char *offscreen_open(int width, int height) {
    (void)width;
    (void)height;
    return "this was built without EGL (apt-get install libegl-dev libgles-dev)";
}
const char *offscreen_renderer(void) { return ""; }
uint32_t offscreen_texture(int width, int height, const uint8_t *pixels) {
    (void)width;
    (void)height;
    (void)pixels;
    return 0;
}
bool offscreen_draw(uint32_t texture, float red, float green, float blue) {
    (void)texture;
    (void)red;
    (void)green;
    (void)blue;
    return false;
}
bool offscreen_read(int width, int height, uint8_t *pixels) {
    (void)width;
    (void)height;
    (void)pixels;
    return false;
}
void offscreen_close(void) {}

#endif
