#if JPEG2000
internal import CTesseraJP2
internal import Raster

/// Encodes single tiles.
struct JPEG2000TileEncoder: Sendable {
    /// A tile as encoded: the codestream's header up to the first tile-part, and that part.
    struct Tile: Sendable {
        var header: [UInt8]
        var part: [UInt8]
    }

    let options: EncodingOptions
    let componentCount: Int
    let bits: Int
    let levelCount: Int

    /// Encodes a tile at a place in the image.
    /// - Parameters:
    ///   - samples: The samples of each component one after the other, in native byte order.
    ///   - threads: The number of threads for this tile.
    func encode(_ samples: [UInt8], at place: PixelRect, threads: UInt8) throws(ImageError) -> Tile {
        let shim = try ShimHandle(
            tessera_jp2_encoder_create(), "a JPEG 2000 encoder", failing: "the JPEG 2000 can't be written",
            tessera_jp2_encoder_message, destroy: tessera_jp2_encoder_destroy)
        var encoding = tessera_jp2_encoding()
        encoding.left = UInt32(place.x)
        encoding.top = UInt32(place.y)
        encoding.right = UInt32(place.x + place.width)
        encoding.bottom = UInt32(place.y + place.height)
        encoding.components = UInt8(componentCount)
        encoding.bits = UInt8(bits)
        encoding.levels = UInt8(levelCount)
        encoding.layers = UInt8(options.jpeg2000.layerCount)
        encoding.is_lossless = options.isLossless
        encoding.threads = threads
        setRatios(&encoding, samples, place.size)
        // The shim reads the samples within the call only.
        try shim.check(tessera_jp2_encoder_encode(shim.pointer, &encoding, samples, UInt32(samples.count)))
        var count = 0
        // The codestream lives as long as the encoder.
        guard let bytes = [UInt8](shim: tessera_jp2_encoder_output(shim.pointer, &count), count),
            let start = Self.tilePart(in: bytes)
        else { throw ImageError(.outOfMemory, "no memory for a JPEG 2000 tile") }
        return Tile(header: Array(bytes[..<start]), part: Array(bytes[start..<bytes.count - 2]))
    }

    /// The place of the first tile-part.
    private static func tilePart(in bytes: [UInt8]) -> Int? {
        var offset = 2
        while let marker = bytes.bigEndian(at: offset, byteCount: 2),
            let count = bytes.bigEndian(at: offset + 2, byteCount: 2)
        {
            if marker == JPEG2000Codestream.startOfTilePart { return offset }
            offset += 2 + count
        }
        return nil
    }

    /// Sets the signal-to-noise ratio of the last layer by the quality, and of each layer before it 3 dB less.
    private func setRatios(_ encoding: inout tessera_jp2_encoding, _ samples: [UInt8], _ size: PixelSize) {
        let layerCount = options.jpeg2000.layerCount
        guard !options.isLossless || layerCount > 1 else { return }
        // Without loss, the layers before the last have those of an ordinary image.
        let quality = options.isLossless ? 0.8 : options.quality
        let last = Float(JPEG2000Noise(quality: quality).ratio(samples, size, componentCount, bits: bits))
        withUnsafeMutableBytes(of: &encoding.ratios) { bytes in
            // As many numbers as there can be layers.
            let ratios = bytes.bindMemory(to: Float.self)
            for layer in 0..<layerCount { ratios[layer] = max(1, last - 3 * Float(layerCount - 1 - layer)) }
        }
    }
}
#endif
