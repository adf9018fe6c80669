internal import Raster

/// The bytes of a file that have arrived and aren't dropped yet, for decoders that read rows out of them.
struct ArrivedBytes {
    /// The bytes; those before `position` are decoded.
    private(set) var bytes: [UInt8] = []
    /// The index in `bytes` of the next byte to decode.
    var position = 0
    /// The number of bytes dropped from the front of the file.
    private(set) var droppedByteCount = 0

    /// The offset in the file of the next byte to decode.
    var offset: Int { droppedByteCount + position }
    /// The offset in the file behind the last byte that has arrived.
    var endOffset: Int { droppedByteCount + bytes.count }

    /// Appends a piece of the file, and drops decoded bytes when most of them are.
    /// - Throws: `limitExceeded` if it would hold more bytes than the limit for input.
    mutating func append(_ piece: RawSpan, format: ImageFormat, limits: DecodingLimits) throws(ImageError) {
        // Moving the remainder costs as much as its length, so it isn't done for every piece.
        if position > bytes.count / 2 {
            bytes.removeFirst(position)
            droppedByteCount += position
            position = 0
        }
        // The pointer doesn't leave the closure.
        piece.withUnsafeBytes { bytes.append(contentsOf: $0) }
        try limits.checkHeld(bytes.count, format: format)
    }
}
