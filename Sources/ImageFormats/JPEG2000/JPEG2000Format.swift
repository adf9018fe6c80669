#if JPEG2000
internal import CTesseraJP2
#endif
public import Raster

extension ImageFormat {
    /// JPEG 2000 in a file of boxes: JP2 (ISO/IEC 15444-1, annex I), what JPX (15444-2) shares with it, and JPH (15444-15).
    public static let jpeg2000 = ImageFormat(
        typeIdentifier: "public.jpeg-2000", name: "JPEG 2000", mimeTypes: ["image/jp2", "image/jpx", "image/jph"],
        filenameExtensions: ["jp2", "jpx", "jpf", "jph"],
        signatures: [[0, 0, 0, 12, 0x6A, 0x50, 0x20, 0x20, 0x0D, 0x0A, 0x87, 0x0A]],
        iiifName: "jp2", library: "jpeg2000")
    /// A JPEG 2000 codestream without boxes (ISO/IEC 15444-1, annex A): no profile, and no metadata.
    public static let jpeg2000Codestream = ImageFormat(
        typeIdentifier: "org.tessera.jpeg-2000-codestream", name: "JPEG 2000 codestream",
        mimeTypes: ["image/j2c", "image/x-jp2-codestream"], filenameExtensions: ["j2k", "j2c", "jpc", "jhc"],
        signatures: [[0xFF, 0x4F, 0xFF, 0x51]], library: "jpeg2000")
}

extension BuiltInFormat {
    /// JPEG 2000. A build without the trait can only identify it.
    static let jpeg2000 = BuiltInFormat(
        .jpeg2000, .jpeg2000Codestream,
        options: [
            .lossless,
            FormatOption(
                "jp2-tile", \.jpeg2000.tileSize, valueName: "WxH", help: "the size of tiles; default 1024x1024.",
                form: "a width and a height in pixels, as in 512x512"),
            FormatOption(
                "jp2-levels", \.jpeg2000.levelCount, valueName: "number",
                help: "how often the image can be halved, 0 to 30; default by its size.", form: "a whole number"),
            FormatOption("jp2-layers", \.jpeg2000.layerCount, help: "quality layers, 1 to 32."),
        ]
    ) { format in
        #if JPEG2000
        return tessera_jp2_available() ? JPEG2000Codec(format) : nil
        #else
        return nil
        #endif
    }
}

extension EncodingOptions {
    /// Options that only JPEG 2000 has.
    public var jpeg2000: JPEG2000 {
        get { self[JPEG2000.self] }
        set { self[JPEG2000.self] = newValue }
    }

    /// Options for JPEG 2000.
    public struct JPEG2000: FormatEncodingOptions {
        /// The size of a tile, of at least 32 pixels a side and at most 64 megapixels; nil for 1024 × 1024. A smaller image
        /// is one tile.
        public var tileSize: PixelSize?
        /// The number of times that a reader can halve the image while it decodes, 0 to 30; nil for as often as leaves 512
        /// pixels on the longer side, and at least five times. Fewer where a tile at the edge of a lossy image would become too
        /// small.
        public var levelCount: Int?
        /// The number of quality layers, 1 to 32. A reader may stop at each; the last one has the whole quality, and each
        /// layer before it 3 dB less.
        public var layerCount: Int

        /// Creates options; by default for tiles of 1024 × 1024 in one layer.
        public init(tileSize: PixelSize? = nil, levelCount: Int? = nil, layerCount: Int = 1) {
            self.tileSize = tileSize
            self.levelCount = levelCount
            self.layerCount = layerCount
        }

        /// Tiles of 1024 × 1024 in one layer.
        public static let standard = JPEG2000()

        /// Checks the tile's size and the numbers of levels and layers.
        public func validate() throws(ImageError) {
            if let tile = tileSize {
                guard min(tile.width, tile.height) >= 32, max(tile.width, tile.height) <= 1 << 26,
                    tile.pixelCount <= 1 << 26
                else {
                    throw ImageError(
                        .invalidParameter,
                        "invalid JPEG 2000 tile of \(tile): sides are at least 32 pixels, the area at most \(1 << 26)")
                }
            }
            if let levelCount { try EncodingOptions.check(levelCount, 0...30, "a number of JPEG 2000 levels") }
            try EncodingOptions.check(layerCount, 1...32, "a number of JPEG 2000 layers")
        }
    }
}
