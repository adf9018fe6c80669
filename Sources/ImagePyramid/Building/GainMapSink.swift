internal import ImageFormats
package import Raster

/// Passes JPEG tiles on to another sink, each with its piece of the image's gain map.
final class GainMapSink: TileSink {
    private let sink: any TileSink
    private let tiles: GainMapTiles

    init(_ sink: any TileSink, _ tiles: GainMapTiles) {
        self.sink = sink
        self.tiles = tiles
    }

    var geometry: PyramidGeometry { sink.geometry }
    var encoding: TileEncoding { sink.encoding }

    func contains(_ address: TileAddress) -> Bool { sink.contains(address) }

    func write(_ bytes: RawSpan, at address: TileAddress) throws(ImageError) {
        let (rect, side) = (geometry.rect(of: address), geometry.tileSize)
        // The map would be stretched over padding.
        guard encoding.padding == .none || rect.width == side && rect.height == side else {
            return try sink.write(bytes, at: address)
        }
        // The pointer is used only within the call.
        let tile = bytes.withUnsafeBytes { Array($0) }
        let complete = try tiles.adding(to: tile, region: geometry.region(of: address), pixels: rect.size)
        try sink.write(complete.span.bytes, at: address)
    }

    func finish() throws(ImageError) { try sink.finish() }
}

extension PyramidGeometry {
    /// The part of the full image that a tile covers. Traps for an address outside the geometry.
    package func region(of address: TileAddress) -> PixelRegion {
        let rect = rect(of: address)
        func range(_ start: Int, _ count: Int, _ length: Int) -> (start: Double, length: Double) {
            let first = min(start << address.level, length - 1)
            return (Double(first), Double(min((start + count) << address.level, length) - first))
        }
        let (x, width) = range(rect.x, rect.width, size.width)
        let (y, height) = range(rect.y, rect.height, size.height)
        return PixelRegion(x: x, y: y, width: width, height: height)
    }
}
