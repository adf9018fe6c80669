public import ImageFormats
internal import Raster

/// Writes a pyramid's tree of files into one zip archive, without compression.
///
/// Archives beyond 4 GB or 65535 files use zip64. An unfinished archive is removed.
public final class ZipSink: TileSink {
    /// The levels and tiles.
    public var geometry: PyramidGeometry { tree.geometry }
    /// The encoding of the tiles.
    public var encoding: TileEncoding { tree.encoding }

    private let tree: PyramidTree
    private let file: OutputFile
    private let appender: TileAppender
    private let numbering: TileNumbering
    private let whole: WholePictures?
    private let prefix: String
    private let isSlide: Bool

    /// Creates the archive that will be named `path`; its tree is named like the file without its extension.
    ///
    /// A Deep Zoom archive with the extension `.szi` gets a `scan-properties.xml`, which that format requires.
    /// - Parameters:
    ///   - identifierBase: As for `TreeSink`.
    ///   - codecs: As for `TreeSink`.
    /// - Throws: `inputOutput`; `invalidParameter` for an overlap or padding that the layout doesn't support.
    public init(
        path: String, layout: TreeLayout, geometry: PyramidGeometry, encoding: TileEncoding,
        identifierBase: String = "https://example.com/iiif", overwrites: Bool = false,
        codecs: CodecRegistry = .default
    ) throws(ImageError) {
        let last =
            path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.utf8.index(after: $0)...]) } ?? path
        let dot = last.utf8.lastIndex(of: UInt8(ascii: "."))
        let name = dot.map { $0 == last.startIndex ? last : String(last[..<$0]) } ?? last
        isSlide = layout == .deepZoom && last.lowercased().hasSuffix(".szi")
        tree = try PyramidTree(
            layout, geometry, encoding, name: name, identifierBase: identifierBase, codecs: codecs)
        prefix = name + "/" + (layout == .deepZoom ? tree.tileFolder + "/" : "")
        numbering = TileNumbering(geometry)
        file = try OutputFile(path: path, overwrites: overwrites)
        appender = TileAppender(
            file, start: 0, places: [TilePlace](repeating: .missing, count: numbering.count), isChunked: false)
        whole = layout.isIIIF ? WholePictures(tree) : nil
    }

    /// Appends a tile.
    /// - Throws: `inputOutput` if it can't be written.
    public func write(_ bytes: RawSpan, at address: TileAddress) throws(ImageError) {
        let name = Array((prefix + tree.path(of: address)).utf8)
        // The pointer is used only within the call.
        try bytes.withUnsafeBytes { (bytes) throws(ImageError) in
            whole?.keep(bytes, at: address)
            let head = ZipRecords.localHeader(
                name, byteCount: UInt32(clamping: bytes.count), checksum: CRC32.of(bytes))
            try appender.append(bytes, number: numbering[address], head: head)
        }
    }

    /// Writes the documents and the archive's directory, and gives the file its name.
    /// - Throws: `inputOutput`.
    public func finish() throws(ImageError) {
        let (places, _) = try appender.finish()
        var directory: [UInt8] = []
        var count = 0
        for (number, place) in places.enumerated() where !place.isMissing {
            let name = Array((prefix + tree.path(of: numbering[number])).utf8)
            // The place is that of the tile's bytes; its local header precedes them.
            let offset = place.offset - UInt64(ZipRecords.localHeader(name, byteCount: 0, checksum: 0).count)
            let entry = ZipRecords.Entry(
                name: name, offset: offset, byteCount: place.byteCount, checksum: place.checksum)
            ZipRecords.append(entry, to: &directory)
            count += 1
        }
        for (path, bytes) in try documents() {
            let name = Array(path.utf8)
            let (byteCount, checksum) = (UInt32(clamping: bytes.count), CRC32.of(bytes))
            let offset = try appender.append(
                ZipRecords.localHeader(name, byteCount: byteCount, checksum: checksum) + bytes)
            ZipRecords.append(
                ZipRecords.Entry(name: name, offset: UInt64(offset), byteCount: byteCount, checksum: checksum),
                to: &directory)
            count += 1
        }
        let start = try appender.append(directory)
        _ = try appender.append(
            ZipRecords.end(count: count, directoryOffset: start, directoryByteCount: directory.count))
        try file.commit()
    }

    private func documents() throws(ImageError) -> [(path: String, bytes: [UInt8])] {
        var documents = try tree.documents(whole).map { (prefix + $0.path, $0.bytes) }
        if let outer = tree.outerDocument {
            documents.append(("\(tree.name)/\(outer)", Array(tree.deepZoomDocument.utf8)))
        }
        if isSlide { documents.append(("\(tree.name)/scan-properties.xml", Array(slideProperties.utf8))) }
        return documents
    }

    private var slideProperties: String {
        let properties = [("ImageWidth", tree.geometry.size.width), ("ImageHeight", tree.geometry.size.height)]
        let lines = properties.map { name, value in
            "    <property>\n      <name>\(name)</name>\n      <value type=\"gint\">\(value)</value>\n    </property>\n"
        }
        // Without a date: that of the scan is unknown, and today's would make each archive of the same tiles different.
        return "<?xml version=\"1.0\"?>\n"
            + "<image xmlns=\"http://www.pathozoom.com/szi\" version=\"1.0\">\n"
            + "  <properties>\n\(lines.joined())  </properties>\n</image>\n"
    }
}
