/// Unpacks pixels, one row at a time; the bytes may end anywhere in between.
struct TGARowReader {
    /// A place between two pixels, from which reading can go on.
    struct Place {
        /// The position of the next byte.
        var position: Int
        /// The pixels left in the current packet.
        var remaining = 0
        /// The repeated pixel, its first byte in the lowest bits; nil in a packet of different pixels.
        var pixel: UInt32?
    }

    /// The place of the next pixel.
    var place: Place
    /// The row read last, or partly, unpacked; empty without run lengths.
    private(set) var row: [UInt8]
    /// The position of the row read last, without run lengths.
    private(set) var rowStart = 0
    private let rowByteCount: Int
    private let pixelByteCount: Int
    private let usesRunLengths: Bool
    /// The bytes of the row read so far.
    private var filled = 0

    init(_ header: TGAHeader, at position: Int) {
        place = Place(position: position)
        rowByteCount = header.rowByteCount
        row = [UInt8](repeating: 0, count: header.usesRunLengths ? rowByteCount : 0)
        pixelByteCount = header.pixelByteCount
        usesRunLengths = header.usesRunLengths
    }

    /// Reads the rest of the next row.
    /// - Returns: Whether the row is complete; if not, `bytes` end within it.
    mutating func readRow(from bytes: Span<UInt8>) -> Bool {
        guard usesRunLengths else {
            guard bytes.count - place.position >= rowByteCount else { return false }
            rowStart = place.position
            place.position += rowByteCount
            return true
        }
        if filled == row.count { filled = 0 }
        var (place, filled) = (place, filled)
        // Moved into a local for the call, which avoids a check for each pixel.
        var rowBytes = row
        row = []
        defer { (self.place, self.filled, row) = (place, filled, rowBytes) }
        var row = rowBytes.mutableSpan
        while filled < row.count {
            if place.remaining == 0 {
                guard place.position < bytes.count else { return false }
                let packet = bytes[place.position]
                if packet & 0x80 == 0 {
                    place.pixel = nil
                } else {
                    guard place.position + pixelByteCount < bytes.count else { return false }
                    var pixel: UInt32 = 0
                    for index in 0..<pixelByteCount {
                        pixel |= UInt32(bytes[place.position + 1 + index]) << UInt32(8 * index)
                    }
                    place.pixel = pixel
                    place.position += pixelByteCount
                }
                place.remaining = Int(packet & 0x7F) + 1
                place.position += 1
            }
            var count = min(place.remaining, (row.count - filled) / pixelByteCount)
            if let pixel = place.pixel {
                for _ in 0..<count {
                    for index in 0..<pixelByteCount {
                        row[filled] = UInt8(truncatingIfNeeded: pixel >> UInt32(8 * index))
                        filled += 1
                    }
                }
            } else {
                count = min(count, (bytes.count - place.position) / pixelByteCount)
                guard count > 0 else { return false }
                for _ in 0..<(count * pixelByteCount) {
                    row[filled] = bytes[place.position]
                    filled += 1
                    place.position += 1
                }
            }
            place.remaining -= count
        }
        return true
    }

    /// Goes to another place, at the start of a row.
    mutating func move(to place: Place) {
        self.place = place
        filled = 0
    }
}
