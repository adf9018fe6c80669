public import ImageFormats
internal import Raster

extension StoredPyramid {
    /// What is wrong with a tile; nil for one that is whole. Traps unless `geometry` has it.
    ///
    /// The tile is read, decoded to its last row by `codecs`, and measured.
    public func fault(at address: TileAddress, codecs: CodecRegistry = .default) -> String? {
        do throws(ImageError) {
            guard let bytes = try tile(at: address) else { return "it is missing" }
            let decoded = try ImageSource.decode(bytes, registry: codecs)
            if let error = decoded.error { return "\(error)" }
            let size = decoded.bitmap.size
            let expected =
                isPadded
                ? PixelSize(width: geometry.tileSize, height: geometry.tileSize) : geometry.rect(of: address).size
            guard size == expected else { return "it has \(size) pixels, and not \(expected)" }
            return decoded.header.format == format ? nil : "it is \(decoded.header.format), and not \(format)"
        } catch {
            return "\(error)"
        }
    }
}
