/// Bytes that wait for the inflater, in pieces that are dropped as they are used up.
struct PNGByteQueue {
    private static let pieceByteCount = 1 << 18

    private var pieces: [[UInt8]] = []
    /// The first piece that still has bytes.
    private var first = 0
    /// How many bytes of that piece have been taken.
    private var taken = 0
    /// How many bytes there are.
    private(set) var count = 0

    /// Takes bytes in.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        count += bytes.count
        // Chunks are often small; pieces that are filled up spare an allocation each.
        if let last = pieces.indices.last, last >= first, pieces[last].count + bytes.count <= Self.pieceByteCount {
            pieces[last].append(contentsOf: bytes)
            return
        }
        var piece: [UInt8] = []
        piece.reserveCapacity(max(bytes.count, Self.pieceByteCount))
        piece.append(contentsOf: bytes)
        pieces.append(piece)
    }

    /// Lends the bytes that come next, says whether they are the last so far, and drops as many as `body` says it used.
    mutating func withNext<R>(_ body: (UnsafeBufferPointer<UInt8>, Bool) -> (used: Int, result: R)) -> R? {
        guard first < pieces.count else { return nil }
        let isLast = first == pieces.count - 1
        let (used, result) = pieces[first].withUnsafeBufferPointer {
            body(UnsafeBufferPointer(rebasing: $0[taken...]), isLast)
        }
        taken += used
        count -= used
        if taken == pieces[first].count {
            // What follows may still be appended to a piece in use, but not to an empty one.
            pieces[first] = []
            first += 1
            taken = 0
            if first == pieces.count || first >= 64 {
                pieces.removeFirst(first)
                first = 0
            }
        }
        return result
    }
}
