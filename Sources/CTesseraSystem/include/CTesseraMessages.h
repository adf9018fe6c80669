// The messages between a worker and its parent process, for workers in Swift and in C.
//
// A message is sent behind its length in four bytes. Everything has its lowest byte first:
//   NUMBER     eight bytes
//   REAL       the eight bytes of a double
//   BYTES      a NUMBER that says how many, and so many bytes; TEXT is UTF-8
//   FLAG       a byte, 0 or 1
//   X?         a FLAG, and X where it is 1
//   SIZE       NUMBER width, NUMBER height
//   RECT       NUMBER x, NUMBER y, SIZE
//
// A request is a byte, a TESSERA_REQUEST, and what is listed there. Each but the last two is answered by a reply:
//   HEADER?    where it is new or has changed
//   FLAG       whether pixels come sooner when all bytes are there first
//   NUMBER     how many frames are new, and the FRAMEs
//   a byte, a TESSERA_OUTCOME, and what is listed there
//
//   HEADER     TEXT format, SIZE, TEXT colour model, NUMBER bits, FLAG alpha, PROFILE, FLAG progressive,
//              (FLAG animation, NUMBER? count, NUMBER loops)?, a byte for the orientation, BYTES? Exif, BYTES? XMP,
//              BYTES? extended XMP, (REAL horizontal, REAL vertical)? resolution, (NUMBER x, NUMBER y)? hot spot
//   FRAME      RECT, FLAG over, a byte for the disposal, REAL seconds
//   PIXELS     SIZE, TEXT format, TEXT alpha, PROFILE
//   PROFILE    a byte: 0 sRGB; 1 ICC, BYTES; 2 calibrated, REAL gamma, (8 REALs)? white, red, green and blue
#ifndef CTESSERA_MESSAGES_H
#define CTESSERA_MESSAGES_H

/// The number of bytes of a message's length.
enum { TESSERA_MESSAGE_HEAD = 4 };

/// The shared memory: first up to TESSERA_MEMORY_INPUT bytes of the file at a time, then rows, which begin at multiples
/// of the step.
enum { TESSERA_MEMORY_INPUT = 1 << 18, TESSERA_MEMORY_ROW_STEP = 64 };

/// Requests.
enum {
    /// FLAG animation, TEXT format, options (Message+Options.swift), NUMBER? bytes in all, BYTES, the last of them.
    TESSERA_REQUEST_BEGIN,
    /// NUMBER of bytes.
    TESSERA_REQUEST_APPEND,
    TESSERA_REQUEST_FINISH,
    /// RECT? region, SIZE? target, FLAG every pass.
    TESSERA_REQUEST_START,
    /// NUMBER of rows, at most.
    TESSERA_REQUEST_READ,
    TESSERA_REQUEST_START_ANIMATION,
    /// NUMBER of a frame.
    TESSERA_REQUEST_DECODE_FRAME,
    /// NUMBER of the first row, NUMBER of rows.
    TESSERA_REQUEST_FRAME_ROWS,
    /// NUMBER of bytes of the shared memory to map.
    TESSERA_REQUEST_SHARE,
    TESSERA_REQUEST_END,
    /// NUMBER of processors to use from now on. Not for SVG.
    TESSERA_REQUEST_PROCESSORS,
};

/// The outcomes of a request.
enum {
    TESSERA_OUTCOME_DONE,
    /// PIXELS.
    TESSERA_OUTCOME_STARTED,
    /// A byte, a TESSERA_READ, and what is listed there.
    TESSERA_OUTCOME_READ,
    /// TEXT code, TEXT message, NUMBER? offset.
    TESSERA_OUTCOME_FAILED,
};

/// The results of reading rows.
enum {
    /// NUMBER of rows.
    TESSERA_READ_ROWS,
    TESSERA_READ_NEEDS_DATA,
    /// NUMBER of passes that are complete.
    TESSERA_READ_PASS,
    /// PIXELS.
    TESSERA_READ_RESTART,
    TESSERA_READ_END,
};

#endif
