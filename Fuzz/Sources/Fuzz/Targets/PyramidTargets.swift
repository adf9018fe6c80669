import ImageFormats
import ImagePyramid
import Raster

extension FuzzTarget {
    /// A pyramid in one file: its checksums are made right, so that its numbers are looked at.
    static let packedPyramid = pyramid("pyramid-packed", seeds: { [Pyramids.packed] }) { bytes in
        if let offset = bytes.number(at: 64, 8), let count = bytes.number(at: 48, 8), count <= 1 << 16 {
            bytes.set(UInt64(bytes.checksum(offset..<max(offset, offset &+ count * 16))), at: 88, 4)
        }
        if let offset = bytes.number(at: 72, 8), let count = bytes.number(at: 80, 8), count <= 1 << 20 {
            bytes.set(UInt64(bytes.checksum(offset..<max(offset, offset &+ count))), at: 92, 4)
        }
        bytes.set(UInt64(bytes.checksum(0..<124)), at: 124, 4)
    }

    /// An archive of a tree of tiles, in each of the layouts. The checksums of its files are made right.
    static let pyramidArchive = pyramid(
        "pyramid-archive", seeds: { TreeLayout.allCases.map { Pyramids.archive($0) } }
    ) { bytes in
        var position = 0
        while let signature = bytes.number(at: position, 4) {
            defer { position += 1 }
            guard signature == 0x0201_4B50, let count = bytes.number(at: position + 24, 4), count <= 1 << 20,
                let header = bytes.number(at: position + 42, 4), let name = bytes.number(at: header + 26, 2),
                let extra = bytes.number(at: header + 28, 2)
            else { continue }
            let start = header + 30 + name + extra
            bytes.set(UInt64(bytes.checksum(start..<start + count)), at: position + 16, 4)
        }
    }

    /// A TIFF of tiles with smaller levels.
    static let pyramidTIFF = pyramid("pyramid-tiff", seeds: { [Pyramids.tiff] }) { _ in }

    /// Opens a file as a pyramid and reads the tiles at the corners of each level; then parts of it as a picture.
    private static func pyramid(
        _ name: String, seeds: @escaping @Sendable () -> [[UInt8]], mend: @escaping @Sendable (inout [UInt8]) -> Void
    ) -> FuzzTarget {
        FuzzTarget(name: name, seedExtensions: [], seeds: seeds) { input in
            var bytes = input
            mend(&bytes)
            // By its name an archive is told.
            let path = Scratch.write(bytes, to: "picture.zip")
            guard let pyramid = try? StoredPyramids.open(path: path) else { return }
            let geometry = pyramid.geometry
            for level in geometry.levels.indices {
                let (columns, rows) = (geometry.columnCount(level), geometry.rowCount(level))
                for (column, row) in [(0, 0), (columns - 1, rows - 1), (columns / 2, rows / 3)] {
                    let address = TileAddress(level: level, column: column, row: row)
                    guard geometry.rect(of: address).size.pixelCount <= 1 << 16 else { continue }
                    if let tile = try? pyramid.tile(at: address) { precondition(tile.count <= bytes.count + 1 << 16) }
                    _ = pyramid.fault(at: address)
                }
            }
            Blocking.run { await Pyramids.readParts(of: path) }
        }
    }
}

enum Pyramids {
    private static let size = PixelSize(width: 150, height: 100)

    static let packed = made(.jpeg, .oneTile, overlap: 1) { (path, geometry, encoding) throws(ImageError) in
        try PackedPyramidWriter(
            path: path, geometry: geometry, encoding: encoding, metadata: ["source": "a.jpg"], overwrites: true)
    }

    static let tiff = made(.jpeg, .oneTile, padding: .edges) { (path, geometry, encoding) throws(ImageError) in
        try TIFFSink(path: path, geometry: geometry, encoding: encoding, overwrites: true)
    }

    static func archive(_ layout: TreeLayout) -> [UInt8] {
        made(.png, layout.depth, padding: layout.padding) { (path, geometry, encoding) throws(ImageError) in
            try ZipSink(path: path, layout: layout, geometry: geometry, encoding: encoding, overwrites: true)
        }
    }

    private static func made(
        _ format: ImageFormat, _ depth: PyramidGeometry.Depth, overlap: Int = 0, padding: TileEncoding.Padding = .none,
        _ sink: (String, PyramidGeometry, TileEncoding) throws(ImageError) -> any TileSink
    ) -> [UInt8] {
        let path = Scratch.path("seed.zip")
        do throws(ImageError) {
            let geometry = try PyramidGeometry(size: size, tileSize: 64, overlap: overlap, depth: depth)
            var encoding = TileEncoding(format: format, quality: 0.5)
            encoding.padding = padding
            let picture = try Fixtures.gradient(BitmapInfo(size: size, format: .rgba8, alpha: .none))
            try PyramidBuilder().build(PyramidSource(picture.makeRowSource()), into: sink(path, geometry, encoding))
        } catch {
            fatalError("cannot make a pyramid: \(error)")
        }
        return Scratch.read(path)
    }

    /// What a viewer would ask for: all of it made small, and a part at full size.
    static func readParts(of path: String) async {
        let limits = DecodingLimits(
            maximumPixelCount: 1 << 18, maximumSideLength: 1 << 14, maximumInputByteCount: 1 << 20,
            maximumWorkingByteCount: 1 << 26, maximumMetadataByteCount: 1 << 18, maximumScanCount: 20,
            maximumFrameCount: 100, maximumCompressionRatio: 10_000)
        guard let picture = try? await TiledImage(contentsOf: path, options: TiledImage.Options(limits: limits)),
            picture.geometry.tileSize <= 256
        else { return }
        if let small = try? await picture.overview(maximumSide: 50) {
            precondition(max(small.width, small.height) <= 50)
        }
        let (width, height) = (min(70, picture.size.width), min(70, picture.size.height))
        let rect = PixelRect(
            x: (picture.size.width - width) / 2, y: (picture.size.height - height) / 2, width: width, height: height)
        if let part = try? await picture.region(rect) { precondition(part.size == rect.size) }
    }
}
