#if JPEGXL
internal import CTesseraJXL
internal import Raster

/// The boxes of a JPEG XL file (ISO/IEC 18181-2). A file can also be a bare codestream.
enum JPEGXLContainer {
    /// The signature box.
    static let signature: [UInt8] = [0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A]
    /// The first bytes of a codestream.
    static let codestreamSignature: [UInt8] = [0xFF, 0x0A]

    /// The type of boxes that hold another one, compressed by Brotli after its type.
    private static let compressedType: FourCharacterCode = "brob"

    /// The range of a box's contents, compressed or not.
    struct Place {
        var range: Range<Int>
        /// Whether the range holds the box's type, then its contents compressed by Brotli.
        var isCompressed = false
    }

    /// Returns the place of the first box of `type`; nil if there is none, or `source` is a codestream.
    /// - Throws: `truncated` if the box ends beyond the source; `inputOutput`.
    static func place(of type: FourCharacterCode, in source: Source) throws(ImageError) -> Place? {
        guard try source.bytes(upTo: signature.count, at: 0) == signature else { return nil }
        var reader = ISOFileBoxes(source)
        while let box = try reader.next() {
            let isCompressed = box.type == compressedType
            if isCompressed {
                let inner = try source.bytes(upTo: min(4, box.contents.count), at: box.contents.lowerBound) ?? []
                guard inner.bigEndian(at: 0, byteCount: 4) == Int(type.rawValue) else { continue }
            } else if box.type != type {
                continue
            }
            guard box.contents.upperBound <= reader.byteCount else {
                throw ImageError(
                    .truncated, "the file has \(reader.byteCount) bytes, and its box '\(type)' ends later",
                    byteOffset: reader.byteCount)
            }
            return Place(range: box.contents, isCompressed: isCompressed)
        }
        return nil
    }

    /// Reads the contents of the box at `place`.
    /// - Throws: `limitExceeded` for more bytes than `limits` allow for input, or once decompressed for metadata;
    ///   `corrupt` or `truncated` for damaged compressed data, with the offset of the box's contents; errors of reading.
    static func contents(
        at place: Place, in source: Source, limits: DecodingLimits
    ) throws(ImageError) -> [UInt8] {
        guard place.range.count <= limits.maximumInputByteCount else {
            throw ImageError(
                .limitExceeded,
                "the box has more than \(limits.maximumInputByteCount) bytes, the limit "
                    + "(DecodingLimits.maximumInputByteCount)")
        }
        guard place.isCompressed else { return try source.bytes(place.range.count, at: place.range.lowerBound) }
        let stored = try source.bytes(place.range.count - 4, at: place.range.lowerBound + 4)
        var contents: UnsafeMutablePointer<UInt8>?
        var byteCount = 0
        let limit = limits.maximumMetadataByteCount
        let status = tessera_jxl_decompress(stored, stored.count, UInt64(clamping: limit), &contents, &byteCount)
        defer { tessera_jxl_free(contents) }
        guard status == TESSERA_OK else {
            let reason =
                switch status {
                case Int32(TESSERA_LIMIT):
                    "it has more than \(limit) bytes, the limit (DecodingLimits.maximumMetadataByteCount)"
                case Int32(TESSERA_UNSUPPORTED): "Brotli's library isn't installed (Debian's package: libbrotli1)"
                case Int32(TESSERA_TRUNCATED): "its data end too early"
                default: "its data are damaged"
                }
            throw ImageError(
                shim: status, "a box compressed by Brotli can't be read: \(reason)", byteOffset: place.range.lowerBound)
        }
        // The shim has allocated `byteCount` bytes there, or none.
        return [UInt8](UnsafeBufferPointer(start: contents, count: byteCount))
    }

    /// Returns `file`, complete and valid, with a further box of `type` at its end; a codestream becomes a container.
    static func file(_ file: [UInt8], appending type: FourCharacterCode, _ contents: [UInt8]) -> [UInt8] {
        let box = ISOBoxWriter.box(type, contents)
        guard file.starts(with: signature) else {
            let fileType = ISOBoxWriter.box("ftyp", Array("jxl \0\0\0\0jxl ".utf8))
            return signature + fileType + ISOBoxWriter.box("jxlc", file) + box
        }
        var closed = file
        var reader = ISOBoxReader(file, 0..<file.count)
        var start = 0
        while reader.box() != nil {
            // A length of 0 means the rest of the file.
            if file.bigEndian(at: start, byteCount: 4) == 0 {
                closed.replaceSubrange(start..<(start + 4), with: (file.count - start).bigEndianBytes(4))
            }
            start = reader.offset
        }
        return closed + box
    }
}
#endif
