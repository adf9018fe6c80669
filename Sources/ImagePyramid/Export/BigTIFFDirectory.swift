internal import ImageFormats

/// A BigTIFF directory under construction: fields, sorted by tag when written, and the values that don't fit in them.
struct BigTIFFDirectory {
    private enum Kind: UInt16 {
        case short = 3
        case long = 4
        case undefined = 7
        case long8 = 16
    }

    private var fields: [(tag: UInt16, kind: Kind, count: Int, bytes: [UInt8])] = []

    mutating func add(_ tag: UInt16, shorts values: [Int]) { add(tag, .short, values.map { UInt16($0) }) }
    mutating func add(_ tag: UInt16, longs values: [Int]) { add(tag, .long, values.map { UInt32($0) }) }
    mutating func add(_ tag: UInt16, longs values: [UInt32]) { add(tag, .long, values) }
    mutating func add(_ tag: UInt16, offsets values: [UInt64]) { add(tag, .long8, values) }
    mutating func add(_ tag: UInt16, undefined bytes: [UInt8]) {
        fields.append((tag, .undefined, bytes.count, bytes))
    }

    private mutating func add(_ tag: UInt16, _ kind: Kind, _ values: [some FixedWidthInteger]) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(values.count * 8)
        for value in values { bytes.append(littleEndian: value) }
        fields.append((tag, kind, values.count, bytes))
    }

    /// The directory's size in bytes, including values stored after it.
    var byteCount: Int { 16 + fields.count * 20 + fields.reduce(0) { $0 + outsideByteCount($1.bytes) } }

    private func outsideByteCount(_ bytes: [UInt8]) -> Int { bytes.count <= 8 ? 0 : (bytes.count + 7) / 8 * 8 }

    /// Returns the bytes of the directory at `offset`; `next` is the next directory's offset, 0 for none.
    func bytes(at offset: Int, next: Int) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(byteCount)
        var outside: [UInt8] = []
        let outsideOffset = offset + 16 + fields.count * 20
        result.append(littleEndian: UInt64(fields.count))
        for field in fields.sorted(by: { $0.tag < $1.tag }) {
            result.append(littleEndian: field.tag)
            result.append(littleEndian: field.kind.rawValue)
            result.append(littleEndian: UInt64(field.count))
            if field.bytes.count <= 8 {
                result += field.bytes + [UInt8](repeating: 0, count: 8 - field.bytes.count)
            } else {
                result.append(littleEndian: UInt64(outsideOffset + outside.count))
                outside += field.bytes
                outside += [UInt8](repeating: 0, count: outsideByteCount(field.bytes) - field.bytes.count)
            }
        }
        result.append(littleEndian: UInt64(next))
        return result + outside
    }
}
