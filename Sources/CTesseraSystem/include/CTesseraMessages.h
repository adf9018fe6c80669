// What a worker is asked and what it answers. Workers in Swift and in C, and who asks them, have the numbers from here.
//
// A message is sent after its length in four bytes. In it, the lowest byte first:
//   NUMBER     eight bytes
//   REAL       the eight bytes of a double
//   BYTES      a NUMBER that says how many, and so many bytes; TEXT is UTF-8
//   FLAG       a byte, 0 or 1
//   X?         a FLAG, and X where it is 1
//   SIZE       NUMBER width, NUMBER height
//   RECT       NUMBER x, NUMBER y, SIZE
//
// A request is a byte, one of the first list, and what stands there. Each but the last is answered by a reply:
//   HEADER?    where it is new or has changed
//   FLAG       whether pixels come sooner when all bytes are there first
//   NUMBER     how many frames are new, and the FRAMEs
//   a byte of the second list, and what stands there
//
//   HEADER     TEXT format, SIZE, TEXT colour model, NUMBER bits, FLAG alpha, PROFILE, FLAG progressive,
//              (FLAG animation, NUMBER? count, NUMBER loops)?, a byte for the orientation, BYTES? Exif, BYTES? XMP,
//              BYTES? extended XMP, (REAL horizontal, REAL vertical)? resolution, (NUMBER x, NUMBER y)? hot spot
//   FRAME      RECT, FLAG over, a byte for the disposal, REAL seconds
//   PIXELS     SIZE, TEXT format, TEXT alpha, PROFILE
//   PROFILE    a byte: 0 sRGB; 1 ICC, BYTES; 2 calibrated, REAL gamma, (8 REALs)? white, red, green and blue
#ifndef CTESSERA_MESSAGES_H
#define CTESSERA_MESSAGES_H

/// How many bytes say how long a message is.
enum { TESSERA_MESSAGE_HEAD = 4 };

/// The memory that both see: first bytes of the file, as many as are handed over at a time, then rows, each of which begins
/// at a multiple of the last number.
enum { TESSERA_MEMORY_INPUT = 1 << 18, TESSERA_MEMORY_ROW_STEP = 64 };

/// What a worker is asked.
enum {
    /// FLAG animation, TEXT format, OPTIONS, NUMBER? bytes in all, BYTES, the last of them. OPTIONS are for workers in
    /// Swift, which alone know how to read them.
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
    /// NUMBER of bytes to see of the memory.
    TESSERA_REQUEST_SHARE,
    TESSERA_REQUEST_END,
};

/// What came of it.
enum {
    TESSERA_OUTCOME_DONE,
    /// PIXELS.
    TESSERA_OUTCOME_STARTED,
    /// A byte of the third list, and what stands there.
    TESSERA_OUTCOME_READ,
    /// TEXT code, TEXT message, NUMBER? offset.
    TESSERA_OUTCOME_FAILED,
};

/// What reading brought.
enum {
    /// NUMBER of rows.
    TESSERA_READ_ROWS,
    TESSERA_READ_NEEDS_DATA,
    /// NUMBER of the pass.
    TESSERA_READ_PASS,
    /// PIXELS.
    TESSERA_READ_RESTART,
    TESSERA_READ_END,
};

#endif
