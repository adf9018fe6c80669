internal import JPEGBitstream
package import Raster

/// Adds the matching piece of a gain map to each JPEG tile of an image, so that tiles have high dynamic range too.
///
/// At full size a piece that consists of whole blocks of the map's own JPEG is cut out of it without loss, as tiles are cut out
/// of a JPEG; other pieces are resampled and encoded. The map is decoded once and kept.
package final class GainMapTiles: Sendable {
    /// The decoded map.
    package let map: GainMap
    private let size: PixelSize
    /// The map's JPEG with its index, if pieces can be cut out of it.
    private let cut: (file: [UInt8], index: JPEGTileIndex, assembler: JPEGTileAssembler)?

    /// The pixels across between places where pieces may begin.
    private static let columnWidth = 16

    /// Decodes `map`, which covers an image of `size`.
    /// - Throws: Errors of decoding.
    package init(_ map: GainMap, of size: PixelSize) throws(ImageError) {
        var decoded = map
        decoded.image = Image(try map.image.bitmap(), scale: map.image.scale)
        self.map = decoded
        self.size = size
        guard map.image.orientation == .up, let file = (map.image.provider as? EncodedImage)?.memory,
            let index = try? JPEGTileIndex(of: file.span.bytes, columnWidth: Self.columnWidth), index.failure == nil,
            index.layout.width == map.image.size.width, index.layout.height == map.image.size.height
        else {
            cut = nil
            return
        }
        cut = (file, index, JPEGTileAssembler(index.layout))
    }

    /// Returns `tile`, a JPEG that shows `region` of the image at `pixels` and then turned, with its piece of the map.
    /// - Throws: Errors of resampling and encoding; `invalidParameter` for a region outside the image.
    package func adding(
        to tile: [UInt8], region: PixelRegion, pixels: PixelSize, orientation: Orientation = .up
    ) throws(ImageError) -> [UInt8] {
        guard region.lies(within: size), !pixels.isEmpty else {
            throw ImageError(.invalidParameter, "the tile shows a part that doesn't lie within an image of \(size)")
        }
        let file = try JPEGGainMapFile(piece(region, pixels: pixels).oriented(by: orientation))
        return try file.adding(to: tile)
    }

    private func piece(_ region: PixelRegion, pixels: PixelSize) throws(ImageError) -> GainMap {
        guard let copied = try copiedPiece(region, pixels: pixels) else {
            return map.cropped(to: region, of: size, scaledTo: pixels)
        }
        return copied
    }

    /// The piece cut out of the map's JPEG; nil if it isn't made of whole blocks.
    private func copiedPiece(_ region: PixelRegion, pixels: PixelSize) throws(ImageError) -> GainMap? {
        guard let cut, region.width == Double(pixels.width), region.height == Double(pixels.height) else { return nil }
        func range(_ start: Double, _ length: Double, _ stored: Int, _ full: Int) -> Range<Int>? {
            let factor = Double(stored) / Double(full)
            let (first, last) = (start * factor, (start + length) * factor)
            guard first == first.rounded(), last == last.rounded(), last > first else { return nil }
            return Int(first)..<Int(last)
        }
        let stored = map.image.size
        guard let x = range(region.x, region.width, stored.width, size.width),
            let y = range(region.y, region.height, stored.height, size.height),
            let window = cut.index.layout.window(x: x, y: y)
        else { return nil }
        var bytes: [UInt8] = []
        guard (try? cut.assembler.append(window, of: cut.index, from: cut.file.span.bytes, to: &bytes)) != nil else {
            return nil
        }
        var piece = map
        let options = DecodingOptions(color: .asStored, appliesOrientation: false)
        piece.image = Image(
            deferred: try EncodedImage(bytes, options: options, registry: CodecRegistry([JPEGCodec()]))
        ).withGainMap(nil)
        return piece
    }
}
