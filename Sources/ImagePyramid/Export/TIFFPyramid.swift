package import ImageFormats
internal import Raster

/// A tiled TIFF or BigTIFF of JPEG tiles whose further pages are each half as large, as `TIFFSink` and libvips write
/// it.
package final class TIFFPyramid: StoredPyramid {
    /// The levels and tiles.
    package let geometry: PyramidGeometry
    /// Always JPEG.
    package var format: ImageFormat { .jpeg }
    /// True: TIFF stores whole tiles only.
    package var isPadded: Bool { true }

    private let file: Source
    private let pages: [TIFFTilePage]

    /// Opens the file at `path`.
    /// - Throws: `inputOutput` if it can't be read, otherwise as `init(_:)`.
    package convenience init(path: String) throws(ImageError) { try self.init(Source(regularFile: path)) }

    /// Opens the pyramid in `source`, whose tiles are read when requested.
    /// - Throws: `unknownFormat` for anything but a TIFF, `corrupt` for an invalid directory, `unsupported` for pages
    ///   without JPEG tiles.
    package init(_ source: Source) throws(ImageError) {
        guard let bytes = TIFFBytes(source), let structure = TIFFStructure(bytes) else {
            throw ImageError(.unknownFormat, "\(source.name) isn't a TIFF", byteOffset: 0)
        }
        var pages: [TIFFTilePage] = []
        for offset in structure.directoryOffsets(limit: 64) {
            guard let directory = structure.directory(at: offset) else { break }
            let page = try TIFFTilePage(directory, structure)
            // Pages that aren't reductions of the first aren't part of the pyramid.
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

    /// Half, rounded up as in this module or down as in libvips.
    private static func isHalf(_ size: PixelSize, of other: PixelSize) -> Bool {
        (other.width / 2...(other.width + 1) / 2).contains(size.width)
            && (other.height / 2...(other.height + 1) / 2).contains(size.height)
    }

    /// Returns a tile's JPEG, with the tables of its page; nil if it is missing. Traps for an address outside the
    /// geometry.
    /// - Throws: `inputOutput`; `corrupt` for a tile that isn't a JPEG.
    package func tile(at address: TileAddress) throws(ImageError) -> [UInt8]? {
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
