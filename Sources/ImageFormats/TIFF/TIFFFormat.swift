#if TIFF
internal import CTesseraTIFF
#endif
public import Raster

extension ImageFormat {
    /// TIFF 6.0 and BigTIFF.
    public static let tiff = ImageFormat(
        typeIdentifier: "public.tiff", name: "TIFF", mimeTypes: ["image/tiff"],
        filenameExtensions: ["tiff", "tif", "btf", "tf8"],
        signatures: [
            [0x49, 0x49, 42, 0], [0x4D, 0x4D, 0, 42], [0x49, 0x49, 43, 0, 8, 0], [0x4D, 0x4D, 0, 43, 0, 8],
        ], iiifName: "tif")
}

extension BuiltInFormat {
    /// TIFF, which a build without the trait only knows by name.
    static let tiff = BuiltInFormat(
        .tiff,
        options: [
            .subsampling,
            FormatOption("tiff-compression", \.tiff.compression, help: "none, lzw, deflate or jpeg."),
            FormatOption(
                "tile", \.tiff.tileSize, valueName: "WxH", help: "write tiles of this size instead of strips.",
                form: "a width and a height in pixels, as in 256x256"),
        ]
    ) { _ in
        #if TIFF
        return tessera_tiff_available() ? TIFFCodec() : nil
        #else
        return nil
        #endif
    }
}

extension EncodingOptions {
    /// What only TIFF has.
    public var tiff: TIFF {
        get { self[TIFF.self] }
        set { self[TIFF.self] = newValue }
    }

    /// Options for TIFF.
    public struct TIFF: FormatEncodingOptions {
        /// How pixels are packed.
        public enum Compression: String, Hashable, Sendable, CaseIterable {
            /// Not at all.
            case none
            /// LZW with a predictor: lossless, read by everything.
            case lzw
            /// Deflate with a predictor: lossless, smaller.
            case deflate
            /// JPEG at the options' quality; 8 bits only.
            case jpeg
        }

        /// How pixels are packed.
        public var compression: Compression
        /// Width and height of a tile, multiples of 16; nil for strips.
        public var tileSize: PixelSize?

        /// LZW in strips.
        public init(compression: Compression = .lzw, tileSize: PixelSize? = nil) {
            self.compression = compression
            self.tileSize = tileSize
        }

        /// The options of a picture for which none are set.
        public static let standard = TIFF()

        /// Sides of a tile that are not multiples of 16 are refused.
        public func validate() throws(ImageError) {
            // TIFF 6.0, section 15: sides are multiples of 16.
            if let tile = tileSize, tile.isEmpty || !tile.width.isMultiple(of: 16) || !tile.height.isMultiple(of: 16) {
                throw ImageError(.invalidParameter, "a TIFF tile of \(tile) has sides that are not multiples of 16")
            }
        }
    }
}
