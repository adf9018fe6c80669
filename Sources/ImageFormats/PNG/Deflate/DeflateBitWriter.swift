/// Bits going out least significant first, as deflate packs them (RFC 1951, 3.1.1).
///
/// The storage belongs to the caller and must have room for everything written plus eight bytes: a flush stores a whole
/// word. `DeflateCompressor.bound(for:)` says how much that is.
struct DeflateBitWriter {
    private let base: UnsafeMutablePointer<UInt8>
    private(set) var count = 0
    private var bits: UInt64 = 0
    private var bitCount: UInt64 = 0

    init(_ base: UnsafeMutablePointer<UInt8>) {
        self.base = base
    }

    /// Adds up to 48 bits between two flushes, whatever the number of calls.
    @inline(__always)
    mutating func add(_ value: UInt32, _ length: UInt8) {
        bits |= UInt64(value) &<< bitCount
        bitCount &+= UInt64(length)
    }

    /// Moves the whole bytes out, leaving at most seven bits.
    @inline(__always)
    mutating func flush() {
        // The caller's storage has eight bytes to spare, so a whole word always fits.
        UnsafeMutableRawPointer(base + count).storeBytes(of: bits.littleEndian, as: UInt64.self)
        let whole = bitCount & ~7
        count &+= Int(truncatingIfNeeded: whole &>> 3)
        bits &>>= whole
        bitCount &-= whole
    }

    /// Pads with zero bits to a whole byte.
    mutating func align() {
        bitCount = (bitCount + 7) & ~7
        flush()
    }

    /// Copies whole bytes; the writer must be aligned.
    mutating func append(_ bytes: UnsafePointer<UInt8>, count added: Int) {
        (base + count).update(from: bytes, count: added)
        count += added
    }
}
