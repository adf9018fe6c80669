internal import Raster

/// Reads directories of a TIFF or BigTIFF of either byte order; every place is held against the file's length.
struct TIFFStructureReader {
    /// A field as its directory has it.
    struct Field {
        let kind: Int
        let count: Int
        /// Where the values are.
        let offset: Int
    }

    let firstOffset: Int
    private let file: InputFile
    private let isBig: Bool
    private let isLittleEndian: Bool

    init(_ file: InputFile) throws(ImageError) {
        let head = try file.read(min(16, file.byteCount), at: 0)
        let first = Array(head.prefix(2))
        guard head.count >= 8, first == [0x49, 0x49] || first == [0x4D, 0x4D] else {
            throw ImageError(.unknownFormat, "this is no TIFF", byteOffset: 0)
        }
        isLittleEndian = first[0] == 0x49
        let version = Self.number(head[2..<4], isLittleEndian)
        guard version == 42 || (version == 43 && head.count == 16) else {
            throw ImageError(.unknownFormat, "this is no TIFF", byteOffset: 2)
        }
        isBig = version == 43
        self.file = file
        firstOffset = Self.number(isBig ? head[8..<16] : head[4..<8], isLittleEndian)
    }

    private static func number(_ bytes: ArraySlice<UInt8>, _ isLittleEndian: Bool) -> Int {
        var value: UInt64 = 0
        for byte in isLittleEndian ? Array(bytes.reversed()) : Array(bytes) { value = value << 8 | UInt64(byte) }
        return Int(clamping: value)
    }

    /// The fields of the directory at `offset`, and where the next one is; 0 for none.
    func directory(at offset: Int) throws(ImageError) -> (fields: [UInt16: Field], next: Int) {
        let (countByteCount, entryByteCount) = isBig ? (8, 20) : (2, 12)
        let wordByteCount = isBig ? 8 : 4
        let count = Self.number(try file.read(countByteCount, at: offset)[...], isLittleEndian)
        guard count <= 4096 else { throw ImageError(.corrupt, "a directory of \(count) fields", byteOffset: offset) }
        let start = offset + countByteCount
        let bytes = try file.read(count * entryByteCount + wordByteCount, at: start)
        var fields: [UInt16: Field] = [:]
        for index in 0..<count {
            let entry = index * entryByteCount
            func part(_ from: Int, _ count: Int) -> Int {
                Self.number(bytes[entry + from..<entry + from + count], isLittleEndian)
            }
            let (kind, valueCount) = (part(2, 2), part(4, wordByteCount))
            let valuePlace = 4 + wordByteCount
            // Values that fit are in the entry itself.
            let total = valueCount.multipliedReportingOverflow(by: Self.byteCount(kind))
            guard !total.overflow, total.partialValue <= file.byteCount else {
                throw ImageError(.corrupt, "a field is longer than the file", byteOffset: start + entry)
            }
            let place =
                total.partialValue <= wordByteCount ? start + entry + valuePlace : part(valuePlace, wordByteCount)
            fields[UInt16(part(0, 2))] = Field(kind: kind, count: valueCount, offset: place)
        }
        return (fields, Self.number(bytes[(count * entryByteCount)...], isLittleEndian))
    }

    private static func byteCount(_ kind: Int) -> Int {
        switch kind {
        case 3, 8: 2
        case 4, 9, 11, 13: 4
        case 5, 10, 12, 16, 17, 18: 8
        default: 1
        }
    }

    /// The bytes of a field.
    func bytes(_ field: Field) throws(ImageError) -> [UInt8] {
        try file.read(field.count * Self.byteCount(field.kind), at: field.offset)
    }

    /// The whole numbers of a field.
    func numbers(_ field: Field) throws(ImageError) -> [Int] {
        let width = Self.byteCount(field.kind)
        let bytes = try bytes(field)
        return (0..<field.count).map { Self.number(bytes[$0 * width..<($0 + 1) * width], isLittleEndian) }
    }
}
