#ifndef TESSERA_SVG_MESSAGES_H
#define TESSERA_SVG_MESSAGES_H

#include <stddef.h>
#include <stdint.h>

/// A request, as far as it isn't read yet.
typedef struct {
    const uint8_t *bytes;
    size_t count;
} message;

/// Waits for the next request, which stays until then. The process ends where nobody asks any more.
message hear(void);

/// The byte that is next. The process ends where there is none, here and below: who asks says what can be read.
uint8_t take_byte(message *request);

/// The number that is next.
uint64_t take_number(message *request);

/// Begins the answer with the header of a drawing of that size.
void put_header(uint64_t width, uint64_t height);

/// What came of the request. What stands there is put behind it.
void put_outcome(uint8_t outcome);

void put_byte(uint8_t value);

void put_number(uint64_t value);

/// What pixels are: 8 bits a channel, premultiplied sRGB.
void put_pixels(uint64_t width, uint64_t height);

/// The failure of this code, as Swift calls it, as what came of the request.
__attribute__((format(printf, 2, 3))) void fail(const char *code, const char *format, ...);

/// Says the answer.
void answer(void);

#endif
