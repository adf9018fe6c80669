/// For each block of a component, in the order of a scan of that component alone, which coefficients aren't zero.
///
/// A scan takes the masks in order, and puts them into another queue as it leaves them. Most have few bits, and those in the
/// lowest bytes, so a mask is stored as a byte that says which of its eight bytes aren't zero, and these.
struct JPEGMaskQueue: Sendable {
    /// The place of a mask.
    struct Place: Sendable {
        fileprivate var piece = 0
        fileprivate var offset = 0
    }

    /// The most bytes of a mask.
    static let largestMask = 9
    /// With what an array has besides its elements, and what memory allocators add, not more than 16 KiB.
    private static let pieceByteCount = 1 << 14 - 64

    private var pieces: [[UInt8]] = []

    var isEmpty: Bool { pieces.isEmpty }

    /// Puts a mask behind the others.
    mutating func append(_ mask: UInt64) {
        if pieces.isEmpty || pieces[pieces.count - 1].count > Self.pieceByteCount - Self.largestMask {
            pieces.append([])
            pieces[pieces.count - 1].reserveCapacity(Self.pieceByteCount)
        }
        let last = pieces.count - 1
        var (rest, bytes) = (mask, UInt8(0))
        for bit in 0..<8 where UInt8(truncatingIfNeeded: mask >> UInt64(8 * bit)) != 0 { bytes |= 1 << UInt8(bit) }
        pieces[last].append(bytes)
        while rest != 0 {
            let byte = UInt8(truncatingIfNeeded: rest)
            if byte != 0 { pieces[last].append(byte) }
            rest >>= 8
        }
    }

    /// The mask at a place, which moves on to the next one.
    func mask(at place: inout Place) -> UInt64 {
        if place.offset == pieces[place.piece].count { place = Place(piece: place.piece + 1) }
        var bytes = pieces[place.piece][place.offset]
        place.offset += 1
        var mask: UInt64 = 0
        while bytes != 0 {
            mask |= UInt64(pieces[place.piece][place.offset]) << UInt64(8 * bytes.trailingZeroBitCount)
            place.offset += 1
            bytes &= bytes - 1
        }
        return mask
    }

    /// Frees the memory of masks before a place.
    mutating func drop(before place: Place) {
        // Earlier calls have freed the pieces before that one.
        if place.piece > 0 { pieces[place.piece - 1] = [] }
    }
}
