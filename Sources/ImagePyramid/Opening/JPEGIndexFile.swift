internal import ImageFormats
internal import JPEGBitstream
internal import Platform
internal import Raster

/// A JPEG's index in a file, kept from one opening of the picture to the next.
///
/// Nothing depends on it: what can't be read, is damaged, or is of another picture or of this one before a change, is as
/// good as none; and what can't be written isn't there next time.
struct JPEGIndexFile: Sendable {
    let path: String
    private let source: Source

    /// What an index's file is called after the picture.
    static let suffix = ".tessera-index"

    /// The index of the picture at `picturePath`, whose bytes are `source`; nil for one that is no file.
    init?(of picturePath: String, _ source: Source, at place: TiledImage.Options.IndexPlace) {
        guard source.isRegular else { return nil }
        self.source = source
        switch place {
        case .besidePicture: path = picturePath + Self.suffix
        case .folder(let folder):
            // Pictures of one name in several folders have an index each.
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

    /// The index, if there is one of the picture as it is, divided as `layout` is.
    func load(_ layout: JPEGTileLayout) -> JPEGTileIndex? {
        // What an index of this layout takes, and no more, is read.
        let limit = (layout.columnCount + 1) * layout.mcusDown * 16 + 4096
        guard let stored = try? Source(regularFile: path).bytes(limit: limit), let identity = try? identity(),
            let index = try? JPEGTileIndex(serialized: stored.span.bytes, for: identity), index.layout == layout,
            index.isComplete
        else { return nil }
        return index
    }

    /// Writes the index, unless a file that is none has its name.
    func save(_ index: JPEGTileIndex) {
        guard index.isComplete, !isTaken, let identity = try? identity() else { return }
        if let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) { mkdir(String(path[..<slash]), 0o777) }
        guard let file = try? AtomicFile(path: path, overwrites: true),
            (try? file.write(index.serialized(for: identity).span.bytes)) != nil
        else { return }
        try? file.commit()
    }

    /// Whether there is something under the name that is no index.
    private var isTaken: Bool {
        guard let status = FileStatus(path: path, followsLinks: false) else { return false }
        guard status.isRegular, let file = try? Source(regularFile: path),
            let first = try? file.bytes(upTo: JPEGTileIndex.signatureBytes.count, at: 0)
        else { return true }
        return !JPEGTileIndex.signatureBytes.starts(with: first)
    }

    /// What tells the picture from others, and from itself before a change.
    private func identity() throws(ImageError) -> JPEGTileSource {
        let digest = try PictureDigest.of(source)
        return JPEGTileSource(
            byteCount: source.length, modification: source.identity?.modification.nanosecondsSince1970 ?? 0,
            hash: (0..<8).map { UInt8(truncatingIfNeeded: digest >> UInt64(8 * $0)) })
    }
}

/// A number by which a picture's bytes are told from others, beside their count and date; no match for malice.
///
/// Of a large file some are looked at: its beginning, its end, and pieces in between.
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
        // Used within the call only.
        bytes.withUnsafeBytes { for byte in $0 { sum = (sum ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 } }
    }
}
