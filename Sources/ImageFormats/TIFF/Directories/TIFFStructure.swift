/// The directories of a TIFF file or EXIF block, classic or BigTIFF.
///
/// Offsets come from the file, so every read is bounds-checked and returns nil beyond the end.
package struct TIFFStructure {
    /// All bytes, starting with the byte order mark.
    let bytes: TIFFBytes
    let isLittleEndian: Bool
    /// Whether offsets have 64 bits, as in BigTIFF.
    let isBig: Bool
    /// The offset of the first directory, not checked yet.
    let firstDirectory: Int

    /// A directory with more fields is rejected, as in libtiff.
    private static let maximumFieldCount = 4096

    /// Parses the header of `bytes`; nil if they aren't a TIFF structure.
    package init?(_ bytes: TIFFBytes) {
        switch bytes.bytes(in: 0..<min(4, bytes.count)) {
        case [0x49, 0x49, 42, 0]: (isLittleEndian, isBig) = (true, false)
        case [0x4D, 0x4D, 0, 42]: (isLittleEndian, isBig) = (false, false)
        // BigTIFF: 8-byte offsets, and a zero.
        case [0x49, 0x49, 43, 0]: (isLittleEndian, isBig) = (true, true)
        case [0x4D, 0x4D, 0, 43]: (isLittleEndian, isBig) = (false, true)
        default: return nil
        }
        self.bytes = bytes
        guard let first = Self.number(bytes, at: isBig ? 8 : 4, byteCount: isBig ? 8 : 4, isLittleEndian) else {
            return nil
        }
        firstDirectory = first
    }

    /// Returns the offsets of the directories of the main chain, at most `limit`. The chain ends where it loops or
    /// leaves the file.
    package func directoryOffsets(limit: Int) -> [Int] {
        var offsets: [Int] = []
        var seen: Set<Int> = []
        var next = firstDirectory
        while next != 0, offsets.count < limit, let end = fieldsEnd(ofDirectoryAt: next), seen.insert(next).inserted {
            offsets.append(next)
            next = number(at: end, byteCount: isBig ? 8 : 4) ?? 0
        }
        return offsets
    }

    /// Returns the directory at `offset`; nil if there is none. Fields of unknown type, or with values beyond the end
    /// of the file, are skipped.
    package func directory(at offset: Int) -> TIFFDirectory? {
        guard let end = fieldsEnd(ofDirectoryAt: offset) else { return nil }
        var fields: [TIFFDirectory.Field] = []
        let inlineByteCount = isBig ? 8 : 4
        for entry in stride(from: offset + countByteCount, to: end, by: entryByteCount) {
            guard let tag = number(at: entry, byteCount: 2), let type = number(at: entry + 2, byteCount: 2),
                let size = TIFFDirectory.Field.byteCount(ofType: type),
                let count = number(at: entry + 4, byteCount: inlineByteCount)
            else { continue }
            let (byteCount, overflows) = count.multipliedReportingOverflow(by: size)
            guard !overflows, byteCount <= bytes.count else { continue }
            var place = entry + 4 + inlineByteCount
            if byteCount > inlineByteCount {
                guard let elsewhere = number(at: place, byteCount: inlineByteCount),
                    elsewhere <= bytes.count - byteCount
                else { continue }
                place = elsewhere
            }
            fields.append(TIFFDirectory.Field(tag: tag, type: type, count: count, offset: place))
        }
        return TIFFDirectory(fields: fields)
    }

    // MARK: Values

    /// Returns the value at `index` of a field of unsigned integers or offsets; nil for other types.
    package func integer(_ field: TIFFDirectory.Field, at index: Int = 0) -> Int? {
        guard index < field.count else { return nil }
        switch field.type {
        case 1, 7: return number(at: field.offset + index, byteCount: 1)
        case 3: return number(at: field.offset + 2 * index, byteCount: 2)
        case 4, 13: return number(at: field.offset + 4 * index, byteCount: 4)
        case 16, 18: return number(at: field.offset + 8 * index, byteCount: 8)
        default: return nil
        }
    }

    /// Returns the first value of a field of integers, fractions or floating-point numbers; nil unless it is above 0.
    func positiveNumber(_ field: TIFFDirectory.Field) -> Double? {
        let value: Double?
        switch field.type {
        case 5:
            let numerator = number(at: field.offset, byteCount: 4)
            let denominator = number(at: field.offset + 4, byteCount: 4)
            value = numerator.flatMap { above in denominator.map { Double(above) / Double($0) } }
        case 11:
            value = number(at: field.offset, byteCount: 4).map {
                Double(Float(bitPattern: UInt32(truncatingIfNeeded: $0)))
            }
        case 12: value = number(at: field.offset, byteCount: 8).map { Double(bitPattern: UInt64($0)) }
        default: value = integer(field).map { Double($0) }
        }
        return value.flatMap { $0.isFinite && $0 > 0 ? $0 : nil }
    }

    /// Returns the bytes of all values of a field.
    package func bytes(of field: TIFFDirectory.Field) -> [UInt8] {
        bytes.bytes(in: field.offset..<(field.offset + field.byteCount))
    }

    // MARK: Layout

    private var countByteCount: Int { isBig ? 8 : 2 }
    private var entryByteCount: Int { isBig ? 20 : 12 }

    /// Returns the offset after the fields, where the offset of the next directory is; nil if there is no directory.
    private func fieldsEnd(ofDirectoryAt offset: Int) -> Int? {
        guard offset >= 8, let count = number(at: offset, byteCount: countByteCount), count > 0,
            count <= Self.maximumFieldCount
        else { return nil }
        let end = offset + countByteCount + count * entryByteCount
        return end <= bytes.count ? end : nil
    }

    private func number(at offset: Int, byteCount: Int) -> Int? {
        Self.number(bytes, at: offset, byteCount: byteCount, isLittleEndian)
    }

    /// Reads an unsigned number of up to 8 bytes at `offset`; nil beyond the end, or if it needs more than 63 bits.
    private static func number(_ bytes: TIFFBytes, at offset: Int, byteCount: Int, _ isLittleEndian: Bool) -> Int? {
        guard offset >= 0, offset <= bytes.count - byteCount else { return nil }
        var value: UInt64 = 0
        for index in 0..<byteCount {
            value = value << 8 | UInt64(bytes[offset + (isLittleEndian ? byteCount - 1 - index : index)])
        }
        return Int(exactly: value)
    }
}

/// One directory of a TIFF structure; the values of its fields lie within the bytes.
package struct TIFFDirectory {
    /// A field's tag and type, and the place of its values.
    package struct Field {
        var tag: Int
        /// The type of the values, 1 to 18 (TIFF 6.0, section 2; BigTIFF).
        var type: Int
        /// The number of values.
        package var count: Int
        /// The offset of the first value.
        var offset: Int

        /// The length of all values in bytes.
        var byteCount: Int { count * Self.byteCount(ofType: type)! }

        /// Returns the length of a value in bytes; nil for an unknown type.
        static func byteCount(ofType type: Int) -> Int? {
            switch type {
            case 1, 2, 6, 7: 1
            case 3, 8: 2
            case 4, 9, 11, 13: 4
            case 5, 10, 12, 16, 17, 18: 8
            default: nil
            }
        }
    }

    /// The fields, in file order.
    var fields: [Field]

    /// The first field with `tag`.
    package subscript(tag: Int) -> Field? { fields.first { $0.tag == tag } }
}

#if TIFF
/// Field tags (TIFF 6.0; TIFF Technical Note 1; XMP part 3; EXIF 2.32, 4.6).
enum TIFFTag {
    static let newSubfileType = 254
    static let subfileType = 255
    static let width = 256
    static let height = 257
    static let imageDescription = 270
    static let make = 271
    static let model = 272
    static let orientation = 274
    static let horizontalResolution = 282
    static let verticalResolution = 283
    static let resolutionUnit = 296
    static let software = 305
    static let dateTime = 306
    static let artist = 315
    static let tileWidth = 322
    static let subDirectories = 330
    static let extraSamples = 338
    static let xmp = 700
    static let copyright = 33432
    static let iccProfile = 34675
    static let exifDirectory = 34665
    static let gpsDirectory = 34853
    static let interoperabilityDirectory = 40965
    static let dngVersion = 50706

    /// Text fields that EXIF has in its first directory with the same tags.
    static let texts = [imageDescription, make, model, software, dateTime, artist, copyright]
}
#endif
