public import Raster

extension EncodingOptions {
    /// Options for TIFF.
    public struct TIFF: Hashable, Sendable {
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
    }
}
