#ifndef TESSERA_SIMILARITY_H
#define TESSERA_SIMILARITY_H

#include <stddef.h>

// The parts of SSIMULACRA 2.1 that look at every pixel. All values are floats, and rows may have any length.

#pragma clang assume_nonnull begin

/// Turns linear red, green and blue (1 for white) into X, Y and B - Y of XYB, moved and scaled into 0 to 1.
void tessera_similarity_xyb(const float *red, const float *green, const float *blue, float *x, float *y, float *b,
                            size_t count);

/// Blurs the products of two rows across, or the first row itself where there is no second: nine weights, of which the
/// first is the middle one's and the fifth that of the values furthest away, four to either side, which must be there.
void tessera_similarity_blur(const float *first, const float *_Nullable second, const float *weights, float *result,
                             size_t count);

/// Compares a row of one channel of two images.
///
/// `blurred` has nine rows of 5 × `stride` floats, `rowStride` apart, each blurred across: both images, their squares, and
/// their product. They are a ring, and `oldest` is the first of them. Adds to `sums` those over all pixels of the error of
/// structure, of edges that only the second image has and of those that only the first has, each followed by the sum of its
/// fourth powers.
void tessera_similarity_compare(const float *blurred, size_t stride, size_t rowStride, size_t oldest, const float *weights,
                                const float *first, const float *second, size_t count, double *sums);

/// A row half as long from two rows of `count` values: each value the mean of four. An odd row's last value counts twice.
void tessera_similarity_halve(const float *upper, const float *lower, float *result, size_t count);

#pragma clang assume_nonnull end

#endif
