internal import ImageFormats
internal import Raster

/// The names of the files in a tree, and the contents of its documents.
package struct PyramidTree: Sendable {
    let layout: TreeLayout
    let geometry: PyramidGeometry
    let encoding: TileEncoding
    let name: String
    /// The part before the name in an IIIF identifier.
    let identifierBase: String
    /// The codecs for encoding images in its documents.
    let codecs: CodecRegistry
    var filenameExtension: String

    init(
        _ layout: TreeLayout, _ geometry: PyramidGeometry, _ encoding: TileEncoding, name: String,
        identifierBase: String, codecs: CodecRegistry = .default
    ) throws(ImageError) {
        guard geometry.overlap == 0 || layout.takesOverlap else {
            throw ImageError(
                .invalidParameter, "invalid overlap \(geometry.overlap): \(layout.rawValue) takes no overlap")
        }
        guard encoding.padding == layout.padding else {
            throw ImageError(
                .invalidParameter,
                layout.padding == .none
                    ? "\(layout.rawValue) takes no padded tiles"
                    : "\(layout.rawValue) needs padded tiles")
        }
        self.layout = layout
        self.geometry = geometry
        self.encoding = encoding
        self.name = name
        self.identifierBase = identifierBase
        self.codecs = codecs
        filenameExtension = layout.filenameExtension(encoding.format)
    }

    private var levelCount: Int { geometry.levels.count }

    var tileFolder: String { layout == .deepZoom ? "\(name)_files" : name }

    /// The document beside the folder of tiles; nil if it is inside.
    var outerDocument: String? { layout == .deepZoom ? "\(name).dzi" : nil }

    /// The path of a tile in the folder of tiles.
    func path(of address: TileAddress) -> String {
        let (column, row) = (address.column, address.row)
        // The layouts count from the smallest level.
        let level = levelCount - 1 - address.level
        switch layout {
        case .deepZoom:
            return "\(level)/\(column)_\(row).\(filenameExtension)"
        case .google:
            return "\(level)/\(row)/\(column).\(filenameExtension)"
        case .zoomify:
            return "TileGroup\(zoomifyNumber(address) / 256)/\(level)-\(column)-\(row).\(filenameExtension)"
        case .iiif3, .iiif2:
            let size = geometry.rect(of: address).size
            return imagePath(region: region(address), size: size)
        }
    }

    /// The path of an IIIF image in its folder.
    func imagePath(region: String, size: PixelSize) -> String {
        let wanted = layout == .iiif3 ? "\(size.width),\(size.height)" : "\(size.width),"
        return "\(region)/\(wanted)/0/default.\(filenameExtension)"
    }

    /// The path of the whole image in the largest size written.
    var largestPath: String { "full/max/0/default.\(filenameExtension)" }

    /// The region of the full image that a tile covers, in IIIF's syntax.
    private func region(_ address: TileAddress) -> String {
        if geometry.columnCount(address.level) == 1, geometry.rowCount(address.level) == 1 { return "full" }
        let side = geometry.tileSize << address.level
        let (x, y) = (address.column * side, address.row * side)
        return "\(x),\(y),\(min(side, geometry.size.width - x)),\(min(side, geometry.size.height - y))"
    }

    /// Zoomify's number of a tile: the smaller levels come first, each row by row.
    private func zoomifyNumber(_ address: TileAddress) -> Int {
        let smaller = (address.level + 1..<levelCount).reduce(0) {
            $0 + geometry.columnCount($1) * geometry.rowCount($1)
        }
        return smaller + address.row * geometry.columnCount(address.level) + address.column
    }

    /// The folders in the folder of tiles, parents first; empty for IIIF, where every tile has its own.
    var folders: [String] {
        switch layout {
        case .deepZoom:
            return (0..<levelCount).map { "\($0)" }
        case .google:
            return (0..<levelCount).flatMap { level in
                ["\(level)"] + (0..<geometry.rowCount(levelCount - 1 - level)).map { "\(level)/\($0)" }
            }
        case .zoomify:
            return (0...(geometry.tileCount - 1) / 256).map { "TileGroup\($0)" }
        case .iiif3, .iiif2:
            return []
        }
    }

    /// Returns all other files in the folder of tiles.
    func documents(_ whole: WholePictures?) throws(ImageError) -> [(path: String, bytes: [UInt8])] {
        guard let whole else { return try innerDocuments(wholeSizes: []) }
        var documents: [(path: String, bytes: [UInt8])] = []
        var sizes: [PixelSize] = []
        var largest: [UInt8] = []
        for level in whole.levels {
            let size = geometry.levels[level]
            largest = try whole.picture(level)
            // For a level of one tile, the tile itself is that image.
            if geometry.columnCount(level) * geometry.rowCount(level) > 1 {
                documents.append((imagePath(region: "full", size: size), largest))
            }
            sizes.append(size)
        }
        documents.append((largestPath, largest))
        return try documents + innerDocuments(wholeSizes: sizes)
    }

    /// Returns the documents in the folder of tiles.
    func innerDocuments(wholeSizes: [PixelSize]) throws(ImageError) -> [(path: String, bytes: [UInt8])] {
        switch layout {
        case .deepZoom: []
        case .zoomify: [("ImageProperties.xml", Array(Self.zoomifyProperties(geometry).utf8))]
        case .google: [("blank.png", try blank())]
        case .iiif3, .iiif2: [("info.json", Array(information(wholeSizes).utf8))]
        }
    }

    var deepZoomDocument: String { Self.deepZoomDocument(geometry, filenameExtension: filenameExtension) }

    /// Returns the text of a Deep Zoom document for tiles with this extension.
    package static func deepZoomDocument(_ geometry: PyramidGeometry, filenameExtension: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <Image xmlns="http://schemas.microsoft.com/deepzoom/2008"
          Format="\(filenameExtension)"
          Overlap="\(geometry.overlap)"
          TileSize="\(geometry.tileSize)"
          >
          <Size
            Height="\(geometry.size.height)"
            Width="\(geometry.size.width)"
          />
        </Image>

        """
    }

    /// Returns the text of Zoomify's `ImageProperties.xml`.
    package static func zoomifyProperties(_ geometry: PyramidGeometry) -> String {
        "<IMAGE_PROPERTIES WIDTH=\"\(geometry.size.width)\" HEIGHT=\"\(geometry.size.height)\" "
            + "NUMTILES=\"\(geometry.tileCount)\" NUMIMAGES=\"1\" VERSION=\"1.8\" TILESIZE=\"\(geometry.tileSize)\" />\n"
    }

    /// A tile of the background's colour, for servers to send instead of a missing one.
    private func blank() throws(ImageError) -> [UInt8] {
        let size = PixelSize(width: geometry.tileSize, height: geometry.tileSize)
        var bitmap = try MutableBitmap(BitmapInfo(size: size, format: .rgba8))
        let background = encoding.background
        try bitmap.withMutableRows(0..<size.height) { (rows) throws(ImageError) in
            for y in 0..<size.height {
                var row = rows.row(y, as: RGBA8.self)
                for x in 0..<size.width { row[x] = RGBA8(background.red, background.green, background.blue) }
            }
        }
        return try ImageDestination(format: .png, registry: codecs).encode(bitmap.freeze())
    }

    /// The text of `info.json`.
    /// - Parameter wholeSizes: The sizes in which the whole image is written, smallest first.
    private func information(_ wholeSizes: [PixelSize]) -> String {
        let identifier = JSONValue.quoted(identifierBase + "/" + PercentEncoding.encoded(name))
        let factors = (0..<levelCount).map { "\(1 << $0)" }.joined(separator: ", ")
        let sizes = wholeSizes.map { "{ \"width\": \($0.width), \"height\": \($0.height) }" }.joined(separator: ", ")
        // `maxWidth` makes full/max the largest image written.
        let largest = wholeSizes.last ?? geometry.size
        let limit =
            largest == geometry.size
            ? "" : "\n  \"maxWidth\": \(max(largest.width, largest.height, geometry.tileSize)),"
        let tiles = "[ { \"width\": \(geometry.tileSize), \"scaleFactors\": [ \(factors) ] } ]"
        let common = """
              "protocol": "http://iiif.io/api/image",
              "width": \(geometry.size.width),
              "height": \(geometry.size.height),
              "sizes": [ \(sizes) ],
              "tiles": \(tiles)
            """
        if layout == .iiif3 {
            let preferred =
                encoding.format == .jpeg
                ? ""
                : "\n  \"extraFormats\": [ \"\(filenameExtension)\" ],"
                    + "\n  \"preferredFormats\": [ \"\(filenameExtension)\" ],"
            return """
                {
                  "@context": "http://iiif.io/api/image/3/context.json",
                  "id": \(identifier),
                  "type": "ImageService3",
                  "profile": "level0",\(preferred)\(limit)
                \(common)
                }

                """
        }
        return """
            {
              "@context": "http://iiif.io/api/image/2/context.json",
              "@id": \(identifier),
              "profile": [ "http://iiif.io/api/image/2/level0.json", { "formats": [ "\(filenameExtension)" ], \
            "qualities": [ "default" ]\(limit.isEmpty ? "" : ",\(limit.dropLast())".filter { $0 != "\n" }) } ],
            \(common)
            }

            """
    }
}
