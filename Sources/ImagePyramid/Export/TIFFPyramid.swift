public import ImageFormats
internal import Raster

/// A tiled TIFF or BigTIFF of JPEG tiles whose further pages are reductions by half, as `TIFFSink` and libvips write them.
public final class TIFFPyramid: StoredPyramid {
    /// How the picture is divided.
    public let geometry: PyramidGeometry
    /// JPEG.
    public var format: ImageFormat { .jpeg }
    /// They are.
    public var isPadded: Bool { true }

    private let file: Source
    private let pages: [TIFFTilePage]

    /// Opens the file at `path`.
    /// - Throws: `inputOutput` when it can't be read, and as `init(_:)`.
    public convenience init(path: String) throws(ImageError) { try self.init(Source(regularFile: path)) }

    /// Opens the pyramid in `source`, whose tiles are read when they are asked for.
    /// - Throws: `unknownFormat` when it is no TIFF, `corrupt` for a directory that makes no sense, `unsupported` for pages
    ///   that aren't made of JPEG tiles.
    public init(_ source: Source) throws(ImageError) {
        guard let bytes = TIFFBytes(source), let structure = TIFFStructure(bytes) else {
            throw ImageError(.unknownFormat, "\(source.name) is no TIFF", byteOffset: 0)
        }
        var pages: [TIFFTilePage] = []
        for offset in structure.directoryOffsets(limit: 64) {
            guard let directory = structure.directory(at: offset) else { break }
            let page = try TIFFTilePage(directory, structure)
            // Pages that aren't reductions of the first belong to somebody else.
            if let last = pages.last {
                guard page.tileSize == last.tileSize, Self.isHalf(page.size, of: last.size) else { break }
            }
            pages.append(page)
        }
        guard let first = pages.first else { throw ImageError(.corrupt, "the TIFF has no page") }
        geometry = PyramidGeometry(sizes: pages.map(\.size), tileSize: first.tileSize)
        for (level, page) in pages.enumerated() {
            guard page.offsets.count == geometry.columnCount(level) * geometry.rowCount(level),
                page.byteCounts.count == page.offsets.count
            else { throw ImageError(.corrupt, "page \(level) doesn't have as many tiles as its size asks for") }
        }
        (file, self.pages) = (source, pages)
    }

    /// Half, rounded up as here or down as libvips does.
    private static func isHalf(_ size: PixelSize, of other: PixelSize) -> Bool {
        (other.width / 2...(other.width + 1) / 2).contains(size.width)
            && (other.height / 2...(other.height + 1) / 2).contains(size.height)
    }

    /// A tile's file, its level's tables put back; nil for one that isn't there. Traps unless the geometry has it.
    /// - Throws: `inputOutput`, and `corrupt` for one that is no JPEG.
    public func tile(at address: TileAddress) throws(ImageError) -> [UInt8]? {
        precondition(geometry.contains(address))
        let page = pages[address.level]
        let index = address.row * geometry.columnCount(address.level) + address.column
        let (offset, count) = (page.offsets[index], page.byteCounts[index])
        guard count > 0 else { return nil }
        let bytes = try file.bytes(count, at: offset)
        guard bytes.count > 4, bytes[0] == 0xFF, bytes[1] == 0xD8 else {
            throw ImageError(.corrupt, "tile \(address) is no JPEG", byteOffset: offset)
        }
        return [0xFF, 0xD8] + page.tables + bytes[2...]
    }
}
