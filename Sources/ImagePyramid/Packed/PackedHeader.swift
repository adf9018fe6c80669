internal import ImageFormats
package import Raster

/// The first 128 bytes of a packed pyramid.
///
/// `Documentation/packed-pyramid.md` defines each of them.
package struct PackedHeader {
    package static let byteCount = 128
    package static let version: UInt32 = 1
    /// The first bytes of a complete file.
    package static let magic: [UInt8] = [0x89, 0x54, 0x50, 0x59, 0x0D, 0x0A, 0x1A, 0x0A]
    /// The first bytes of a file that is being written.
    package static let unfinishedMagic: [UInt8] = [0x00, 0x54, 0x50, 0x59, 0x0D, 0x0A, 0x1A, 0x0A]

    package var isComplete = false
    package var geometry: PyramidGeometry
    package var encoding: TileEncoding
    package var tileCount = 0
    package var presentTileCount = 0
    package var indexOffset = 0
    package var metadataOffset = 0
    package var metadataByteCount = 0
    package var indexChecksum: UInt32 = 0
    package var metadataChecksum: UInt32 = 0

    package init(_ geometry: PyramidGeometry, _ encoding: TileEncoding) throws(ImageError) {
        guard max(geometry.size.width, geometry.size.height) <= Int(UInt32.max), Self.code(encoding.format) != nil,
            encoding.padding == .none
        else {
            throw ImageError(
                .invalidParameter, "a packed pyramid takes JPEG, PNG, WebP and JPNG tiles that aren't filled up")
        }
        self.geometry = geometry
        self.encoding = encoding
    }

    private static let formats: [(code: UInt32, format: ImageFormat)] = [
        (0x2067_706A, .jpeg), (0x2067_6E70, .png), (0x7062_6577, .webP), (0x676E_706A, .jpng),
    ]

    private static func code(_ format: ImageFormat) -> UInt32? { formats.first { $0.format == format }?.code }

    /// The serialized header.
    package var bytes: [UInt8] {
        var bytes = isComplete ? Self.magic : Self.unfinishedMagic
        bytes.append(littleEndian: Self.version)
        bytes.append(littleEndian: UInt32(geometry.levels.count))
        for number in [geometry.size.width, geometry.size.height, geometry.tileSize, geometry.overlap] {
            bytes.append(littleEndian: UInt32(number))
        }
        bytes.append(littleEndian: Self.code(encoding.format) ?? 0)
        bytes.append(littleEndian: UInt32((min(1, max(0, encoding.quality)) * 1_000_000).rounded()))
        let background = encoding.background
        bytes += [background.red, background.green, background.blue, background.alpha]
        bytes.append(littleEndian: UInt32(0))
        for number in [tileCount, presentTileCount, indexOffset, metadataOffset, metadataByteCount] {
            bytes.append(littleEndian: UInt64(number))
        }
        bytes.append(littleEndian: indexChecksum)
        bytes.append(littleEndian: metadataChecksum)
        bytes += [UInt8](repeating: 0, count: Self.byteCount - 4 - bytes.count)
        bytes.append(littleEndian: CRC32.of(bytes))
        return bytes
    }

    /// Parses the header of a file of `fileByteCount` bytes.
    /// - Throws: `unknownFormat` for another file, `truncated` for an unfinished one unless `allowsUnfinished`,
    ///   `unsupported` for a later version, `corrupt` for invalid numbers.
    package init(reading bytes: [UInt8], fileByteCount: Int, allowsUnfinished: Bool = false) throws(ImageError) {
        let first = Array(bytes.prefix(8))
        guard first == Self.magic || first == Self.unfinishedMagic else {
            throw ImageError(.unknownFormat, "the file isn't a packed pyramid", byteOffset: 0)
        }
        guard first == Self.magic || allowsUnfinished else {
            throw ImageError(.truncated, "the pyramid is unfinished: build it again", byteOffset: 0)
        }
        guard bytes.count == Self.byteCount else {
            throw ImageError(
                .truncated, "the header ends at byte \(bytes.count), expected \(Self.byteCount)",
                byteOffset: bytes.count)
        }
        guard bytes.field(UInt32.self, at: 124) == CRC32.of(bytes[..<124]) else {
            throw ImageError(.corrupt, "the header's checksum is wrong", byteOffset: 124)
        }
        func number(_ offset: Int) -> Int { Int(bytes.field(UInt32.self, at: offset) ?? 0) }
        guard number(8) == Self.version else {
            throw ImageError(
                .unsupported,
                "unknown version \(number(8)) of the packed pyramid: this program reads version \(Self.version)",
                byteOffset: 8)
        }
        guard let format = Self.formats.first(where: { Int($0.code) == number(32) })?.format else {
            throw ImageError(.unsupported, "unknown tile format \(number(32))", byteOffset: 32)
        }
        let size = PixelSize(width: number(16), height: number(20))
        guard !size.isEmpty, 1...PyramidGeometry.maximumTileSize ~= number(24), number(28) <= number(24) else {
            throw ImageError(
                .corrupt, "invalid header: image size \(size), tile size \(number(24)), overlap \(number(28))",
                byteOffset: 16)
        }
        func offset(_ place: Int) throws(ImageError) -> Int {
            let value = bytes.field(UInt64.self, at: place) ?? 0
            guard value <= UInt64(fileByteCount) else {
                throw ImageError(
                    .corrupt, "the header's offset \(value) is beyond the file's end at byte \(fileByteCount)",
                    byteOffset: place)
            }
            return Int(value)
        }
        let (columns, rows) = ((size.width - 1) / number(24) + 1, (size.height - 1) / number(24) + 1)
        // Below these limits, counting the tiles can't overflow.
        guard columns.multipliedReportingOverflow(by: rows).partialValue < 1 << 40, columns < 1 << 40,
            rows < 1 << 20
                || columns < 1 << 20
        else {
            throw ImageError(
                .limitExceeded, "an image of \(size) has too many tiles of \(number(24)) pixels", byteOffset: 16)
        }
        geometry = try Self.geometry(size, tileSize: number(24), overlap: number(28), levelCount: number(12))
        let background = bytes[40..<44]
        encoding = TileEncoding(
            format: format, quality: Double(number(36)) / 1_000_000,
            background: RGBA8(background[40], background[41], background[42], background[43]))
        isComplete = first == Self.magic
        guard isComplete else { return }
        tileCount = try offset(48)
        presentTileCount = try offset(56)
        indexOffset = try offset(64)
        metadataOffset = try offset(72)
        metadataByteCount = try offset(80)
        indexChecksum = UInt32(number(88))
        metadataChecksum = UInt32(number(92))
        guard tileCount == geometry.tileCount, presentTileCount <= tileCount, tileCount <= fileByteCount / 16,
            indexOffset <= fileByteCount - tileCount * 16, metadataByteCount <= 1 << 24,
            metadataOffset <= fileByteCount - metadataByteCount
        else { throw ImageError(.corrupt, "the header's position of the index is outside the file", byteOffset: 48) }
    }

    private static func geometry(
        _ size: PixelSize, tileSize: Int, overlap: Int, levelCount: Int
    ) throws(ImageError) -> PyramidGeometry {
        for depth in [PyramidGeometry.Depth.oneTile, .onePixel, .one] {
            let geometry = try PyramidGeometry(size: size, tileSize: tileSize, overlap: overlap, depth: depth)
            if geometry.levels.count == levelCount { return geometry }
        }
        throw ImageError(.corrupt, "an image of \(size) can't have \(levelCount) levels", byteOffset: 12)
    }
}

/// The metadata of a packed file: names and values in turn, each ended by a zero byte.
enum PackedMetadata {
    static let maximumByteCount = 1 << 24

    static func bytes(_ metadata: [String: String]) throws(ImageError) -> [UInt8] {
        var bytes: [UInt8] = []
        for (name, value) in metadata.sorted(by: { $0.key < $1.key }) {
            for text in [name, value] {
                guard !text.utf8.contains(0) else {
                    throw ImageError(.invalidParameter, "metadata can't contain a zero byte")
                }
                bytes += Array(text.utf8) + [0]
            }
        }
        guard bytes.count <= maximumByteCount else {
            throw ImageError(
                .limitExceeded, "metadata of \(bytes.count) bytes is too long; the limit is \(maximumByteCount)")
        }
        return bytes
    }

    static func metadata(_ bytes: [UInt8]) -> [String: String] {
        let texts = bytes.split(separator: 0, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        var metadata: [String: String] = [:]
        for index in stride(from: 0, to: texts.count - 1, by: 2) where index + 1 < texts.count - 1 {
            metadata[texts[index]] = texts[index + 1]
        }
        return metadata
    }
}

/// The position of a tile in a file; 16 bytes when serialized.
package struct TilePlace: Hashable, Sendable {
    /// The offset of the first byte.
    package var offset: UInt64
    /// The length in bytes; 0 for a missing tile.
    package var byteCount: UInt32
    /// The CRC-32 of the bytes.
    package var checksum: UInt32

    package static let missing = TilePlace(offset: 0, byteCount: 0, checksum: 0)

    package var isMissing: Bool { byteCount == 0 }
}
