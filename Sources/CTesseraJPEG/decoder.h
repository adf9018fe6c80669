#ifndef TESSERA_JPEG_DECODER_H
#define TESSERA_JPEG_DECODER_H

// The decoder's state. Private to this target.

#include "include/CTesseraJPEG.h"
#include "trap.h"

typedef struct tessera_jpeg_kept_segment {
    struct tessera_jpeg_kept_segment *next;
    uint64_t offset;
    uint32_t length;
    uint8_t marker;
    uint8_t bytes[];
} tessera_jpeg_kept_segment;

/// A frame header's fields.
typedef struct {
    JDIMENSION width;
    JDIMENSION height;
    int components;
    int precision;
    boolean progressive;
    boolean arithmetic;
} tessera_jpeg_frame;

struct tessera_jpeg_decoder {
    struct jpeg_decompress_struct info;
    tessera_jpeg_trap trap;
    struct jpeg_source_mgr source;

    uint8_t *buffer;
    size_t capacity;
    uint64_t appended;
    /// Bytes that libjpeg asked to skip and that haven't arrived yet.
    uint64_t skipping;
    bool ended;
    bool ran_dry;

    tessera_jpeg_kept_segment *segments;
    tessera_jpeg_kept_segment **last_segment;
    uint32_t segment_count;
    size_t segment_bytes;

    tessera_jpeg_report report;
    char damage_message[JMSG_LENGTH_MAX];

    tessera_jpeg_frame frame;
    bool header_read;
    bool started;
    bool multiple_scans;
    bool passing;
    bool all_scans;
    /// Reading failed after a complete scan: there is an image, and nothing more may be read.
    bool broken_off;
    /// The only scan isn't complete, and smoothing would look for a second one.
    bool never_smooth;
    bool scan_read;
    uint32_t complete_scans;
    uint32_t maximum_scans;

    uint8_t pixel_bytes;
    uint32_t window_x;
    uint32_t window_y;
    uint32_t window_width;
    uint32_t window_height;
    /// Columns that libjpeg delivers left of the window, and in all.
    uint32_t cut_left;
    uint32_t delivered_width;
    uint8_t *scratch;
};

#endif
