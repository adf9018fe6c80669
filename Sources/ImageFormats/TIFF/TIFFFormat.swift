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
    /// TIFF, known only by name in a build without the TIFF trait.
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
    /// Options that only TIFF has.
    public var tiff: TIFF {
        get { self[TIFF.self] }
        set { self[TIFF.self] = newValue }
    }

    /// Options for TIFF.
    public struct TIFF: FormatEncodingOptions {
        /// The compression of strips and tiles.
        public enum Compression: String, Hashable, Sendable, CaseIterable {
            /// Uncompressed.
            case none
            /// LZW with a predictor: lossless, supported by every reader.
            case lzw
            /// Deflate with a predictor: lossless, smaller than LZW.
            case deflate
            /// JPEG at the options' quality; 8 bits per channel only.
            case jpeg
        }

        /// The compression method.
        public var compression: Compression
        /// The size of a tile, whose sides are multiples of 16 up to 65,536, and its area at most 64 megapixels; nil for
        /// strips.
        public var tileSize: PixelSize?

        /// Creates options; by default LZW in strips.
        public init(compression: Compression = .lzw, tileSize: PixelSize? = nil) {
            self.compression = compression
            self.tileSize = tileSize
        }

        /// LZW in strips.
        public static let standard = TIFF()

        /// Checks the size of a tile.
        public func validate() throws(ImageError) {
            guard let tile = tileSize else { return }
            // TIFF 6.0, section 15: sides are multiples of 16.
            guard !tile.isEmpty, tile.width.isMultiple(of: 16), tile.height.isMultiple(of: 16) else {
                throw ImageError(.invalidParameter, "a TIFF tile of \(tile) has sides that are not multiples of 16")
            }
            guard max(tile.width, tile.height) <= 65536, tile.pixelCount <= 1 << 26 else {
                throw ImageError(
                    .invalidParameter,
                    "a TIFF tile of \(tile) is too large: sides are at most 65536, the area at most \(1 << 26) pixels")
            }
        }
    }
}
