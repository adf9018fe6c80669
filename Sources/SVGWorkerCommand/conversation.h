#ifndef TESSERA_SVG_CONVERSATION_H
#define TESSERA_SVG_CONVERSATION_H

#include <stddef.h>
#include <stdint.h>

/// Waits for the next request. The process ends where nobody asks any more.
void hear(void);

/// The next `count` bytes of the request, as a number. The process ends where there are fewer.
uint64_t take(size_t count);

/// Puts a number of `count` bytes into the answer.
void put(uint64_t value, size_t count);

/// Puts text into the answer, behind its length.
void put_text(const char *text);

/// Puts what came of the request into the answer, which may begin with a header; what stands there follows.
void put_outcome(uint8_t outcome);

/// Puts a failure into the answer as what came of the request, by the name that ImageError has for its code.
__attribute__((format(printf, 2, 3))) void put_failure(const char *code, const char *format, ...);

/// Says the answer.
void say(void);

#endif
