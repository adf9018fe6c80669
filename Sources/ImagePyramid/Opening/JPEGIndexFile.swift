internal import ImageFormats
internal import JPEGBitstream
internal import Platform
internal import Raster

/// A JPEG's index in a file, kept from one opening of the image to the next.
///
/// It is only a cache: an unreadable or damaged index, or one of another image or of an earlier version of this one, is
/// ignored, and so is a failure to write.
struct JPEGIndexFile: Sendable {
    let path: String
    private let source: Source

    /// The suffix of an index file's name, appended to the image's.
    static let suffix = ".tessera-index"

    /// Locates the index of the image at `picturePath`, whose bytes are `source`; nil if the source is neither a regular file
    /// nor a remote object with a version.
    init?(of picturePath: String, _ source: Source, at place: TiledImage.Options.IndexPlace) {
        guard source.isRegular || source.version != nil else { return nil }
        self.source = source
        switch place {
        case .besidePicture:
            // Beside a remote object there is no folder.
            guard source.isRegular else { return nil }
            path = picturePath + Self.suffix
        case .folder(let folder):
            // Images with the same name in several folders have separate indexes.
            let real = realpath(picturePath, nil).map { path in
                defer { free(path) }
                return String(cString: path)
            }
            let full = Array((real ?? picturePath).utf8)
            let name = full.split(separator: UInt8(ascii: "/")).last ?? []
            let number = String(PictureDigest.of(full), radix: 16)
            path = "\(folder)/\(String(decoding: name.prefix(80), as: UTF8.self))-\(number)\(Self.suffix)"
        }
    }

    /// Returns the stored index if it matches the current image and the division of `layout`.
    func load(_ layout: JPEGTileLayout) -> JPEGTileIndex? {
        // Limits reading to the size of an index for this layout.
        let limit = (layout.columnCount + 1) * layout.mcusDown * 16 + 4096
        guard let (stored, identity) = read(limit: limit),
            let index = try? JPEGTileIndex(serialized: stored.span.bytes, for: identity), index.layout == layout,
            index.isComplete
        else { return nil }
        return index
    }

    /// Returns the stored index of a file of several scans if it matches the current image, whose empty index is given.
    func load(_ empty: JPEGScanIndex) -> JPEGScanIndex? {
        guard let (stored, identity) = read(limit: empty.largestSerializedByteCount) else { return nil }
        return try? JPEGScanIndex(serialized: stored.span.bytes, for: identity, like: empty)
    }

    private func read(limit: Int) -> (bytes: [UInt8], identity: JPEGTileSource)? {
        guard let stored = try? Source(regularFile: path).bytes(limit: limit), let identity = try? identity() else {
            return nil
        }
        return (stored, identity)
    }

    /// Writes the index if it is complete, unless a file that isn't an index has its name. Errors are ignored.
    func save(_ index: JPEGTileIndex) {
        guard index.isComplete, !isTaken, let identity = try? identity() else { return }
        write(index.serialized(for: identity))
    }

    /// Writes the index of a file of several scans if it is complete and it found no damage.
    func save(_ index: JPEGScanIndex) {
        guard index.isComplete, index.failure == nil, !isTaken, let identity = try? identity() else { return }
        write(index.serialized(for: identity))
    }

    private func write(_ bytes: [UInt8]) {
        if let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) { mkdir(String(path[..<slash]), 0o777) }
        guard let file = try? AtomicFile(path: path, overwrites: true), (try? file.write(bytes.span.bytes)) != nil
        else {
            return
        }
        try? file.commit()
    }

    /// Whether something other than an index has the name.
    private var isTaken: Bool {
        guard let status = FileStatus(path: path, followsLinks: false) else { return false }
        guard status.isRegular, let file = try? Source(regularFile: path),
            let first = try? file.bytes(upTo: JPEGTileIndex.signatureBytes.count, at: 0)
        else { return true }
        return ![JPEGTileIndex.signatureBytes, JPEGScanIndex.signatureBytes].contains { $0.starts(with: first) }
    }

    /// The byte count, date and digest that identify the current version of the image.
    private func identity() throws(ImageError) -> JPEGTileSource {
        // A remote object's version stands for its bytes, none of which are read.
        let digest =
            if let version = source.version { PictureDigest.of(Array(version.utf8)) } else {
                try PictureDigest.of(source)
            }
        return JPEGTileSource(
            byteCount: source.length, modification: source.identity?.modification.nanosecondsSince1970 ?? 0,
            hash: (0..<8).map { UInt8(truncatingIfNeeded: digest >> UInt64(8 * $0)) })
    }
}

/// A digest of an image's bytes, to recognise a changed file along with its byte count and date; not cryptographic.
///
/// For a large file it covers the beginning, the end, and pieces in between.
enum PictureDigest {
    private static let pieceCount = 32
    private static let pieceByteCount = 1 << 12

    static func of(_ source: Source) throws(ImageError) -> UInt64 {
        var sum = start
        let step = max(pieceByteCount, (source.length - pieceByteCount) / (pieceCount - 1))
        var first = 0
        while first < source.length {
            let range = first..<min(source.length, first + pieceByteCount)
            try source.withBytes(in: [range]) { span, offsets in
                add(span.extracting(range.lowerBound - offsets[0]..<range.upperBound - offsets[0]), to: &sum)
            }
            // The last piece ends with the file.
            first = first + step < source.length ? first + step : source.length
        }
        return sum
    }

    static func of(_ bytes: [UInt8]) -> UInt64 {
        var sum = start
        add(bytes.span.bytes, to: &sum)
        return sum
    }

    // FNV-1a, 64 bits (draft-eastlake-fnv).
    private static let start: UInt64 = 0xCBF2_9CE4_8422_2325

    private static func add(_ bytes: RawSpan, to sum: inout UInt64) {
        // The pointer is used only within the call.
        bytes.withUnsafeBytes { for byte in $0 { sum = (sum ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 } }
    }
}
