#ifndef TESSERA_SVG_CONVERSATION_H
#define TESSERA_SVG_CONVERSATION_H

#include <stddef.h>
#include <stdint.h>

/// Waits for the next request. The process ends when the socket is closed.
void hear(void);

/// The next `count` bytes of the request, as a number. The process ends if there are fewer.
uint64_t take(size_t count);

/// Puts a number of `count` bytes into the answer.
void put(uint64_t value, size_t count);

/// Puts text into the answer, after its length.
void put_text(const char *text);

/// Puts the request's outcome into the answer, which may begin with a header; the outcome's data follow.
void put_outcome(uint8_t outcome);

/// Puts a failure into the answer as the outcome, by the name of its code in ImageError.
__attribute__((format(printf, 2, 3))) void put_failure(const char *code, const char *format, ...);

/// Sends the answer.
void say(void);

#endif
