/// Takes numbers and runs of bytes from the front, the least significant byte first, and nil where there aren't as many.
struct LittleEndianReader {
    private(set) var rest: ArraySlice<UInt8>

    /// A reader of `bytes`.
    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// The number that comes next.
    mutating func integer<Value: FixedWidthInteger>(_ type: Value.Type) -> Value? {
        guard let bytes = bytes(Value.bitWidth / 8) else { return nil }
        var value: Value = 0
        for byte in bytes.reversed() { value = value << 8 | Value(truncatingIfNeeded: byte) }
        return value
    }

    /// The `count` bytes that come next.
    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// The bytes that come next behind their number of 32 bits.
    mutating func run() -> ArraySlice<UInt8>? {
        guard let count = integer(UInt32.self) else { return nil }
        return bytes(Int(count))
    }
}
