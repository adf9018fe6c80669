/// Memory for a few stored rows, one after the other, each behind its filter's number.
final class PNGStrip {
    /// The first row's filter number.
    let base: UnsafeMutablePointer<UInt8>
    /// How many bytes there is room for.
    let capacity: Int
    /// How many bytes are there.
    var count = 0

    /// Bytes that vector loads may read behind the last row.
    private static let slack = 16

    init(capacity: Int) {
        self.capacity = capacity
        base = .allocate(capacity: capacity + Self.slack)
        (base + capacity).initialize(repeating: 0, count: Self.slack)
    }

    deinit {
        base.deallocate()
    }
}
