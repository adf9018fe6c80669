/// Reads the numbers of a serialized index in order: little-endian, of 64 bits.
struct JPEGIndexReader: ~Escapable {
    private let data: RawSpan
    private(set) var offset: Int

    /// A reader of an index's bytes after its signature, its source and before its checksum, which are checked.
    @_lifetime(copy bytes)
    init(_ bytes: RawSpan, signature: UInt64, for source: JPEGTileSource) throws(JPEGBitstreamError) {
        guard bytes.byteCount % 8 == 0, bytes.byteCount >= 16, bytes.number(at: 0) == signature else {
            throw Self.invalid("the bytes aren't an index of this version", at: 0)
        }
        let end = bytes.byteCount - 8
        guard Self.checksum(bytes.extracting(first: end)) == bytes.number(at: end) else {
            throw Self.invalid("the index's checksum is wrong", at: end)
        }
        data = bytes.extracting(first: end)
        offset = 8
        guard try next() == UInt64(source.byteCount), try next() == UInt64(bitPattern: source.modification),
            try self.bytes() == source.hash
        else {
            throw JPEGBitstreamError(
                .otherSource, "the index belongs to another file, or the file has changed", offset: 8)
        }
    }

    static func invalid(_ message: String, at offset: Int) -> JPEGBitstreamError {
        JPEGBitstreamError(.invalidIndex, message, offset: offset)
    }

    @_lifetime(self: copy self)
    mutating func next() throws(JPEGBitstreamError) -> UInt64 {
        guard data.byteCount - offset >= 8 else { throw Self.invalid("the index is truncated", at: offset) }
        offset += 8
        return data.number(at: offset - 8)
    }

    /// A number, and that many bytes.
    @_lifetime(self: copy self)
    mutating func bytes() throws(JPEGBitstreamError) -> [UInt8] {
        let count = try next()
        guard count <= UInt64(data.byteCount - offset) else { throw Self.invalid("the index is truncated", at: offset) }
        let bytes = (offset..<offset + Int(count)).map { data.byte(at: $0) }
        offset += (Int(count) + 7) / 8 * 8
        return bytes
    }

    /// A checksum against damage, not forgery: FNV-1a with numbers in place of bytes.
    package static func checksum(_ bytes: RawSpan) -> UInt64 {
        var sum: UInt64 = 0xCBF2_9CE4_8422_2325
        for offset in stride(from: 0, to: bytes.byteCount, by: 8) {
            sum = (sum ^ bytes.number(at: offset)) &* 0x0000_0100_0000_01B3
            sum ^= sum >> 29
        }
        return sum
    }
}

extension RawSpan {
    /// The little-endian number at an offset, which must be in bounds.
    func number(at offset: Int) -> UInt64 {
        // A number has no invalid bit pattern, and the load checks its bounds.
        UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}

extension [UInt8] {
    mutating func appendNumber(_ number: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) { append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    /// Appends an index's signature, and what identifies its file.
    mutating func appendIdentity(_ signature: UInt64, _ source: JPEGTileSource) {
        appendNumber(signature)
        appendNumber(UInt64(source.byteCount))
        appendNumber(UInt64(bitPattern: source.modification))
        appendBytes(source.hash)
    }

    /// Appends the number of bytes, the bytes, and zeros up to a whole number.
    mutating func appendBytes(_ bytes: [UInt8]) {
        appendNumber(UInt64(bytes.count))
        self += bytes
        append(contentsOf: repeatElement(0, count: -bytes.count & 7))
    }
}
