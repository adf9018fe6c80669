#if AVIF
internal import CTesseraAVIF
#endif
public import Raster

extension ImageFormat {
    /// AVIF (AV1 Image File Format 1.1).
    public static let avif = ImageFormat(
        typeIdentifier: "public.avif", name: "AVIF", mimeTypes: ["image/avif", "image/avif-sequence"],
        filenameExtensions: ["avif", "avifs"],
        iiifName: "avif", library: "avif")
}

extension BuiltInFormat {
    /// AVIF. A build without the AVIF trait has no codec for it.
    static let avif = BuiltInFormat(
        .avif, options: [.lossless, FormatOption("avif-speed", \.avif.speed, help: "0 (small) to 10 (fast).")]
    ) { _ in
        #if AVIF
        return tessera_avif_available() ? AVIFCodec() : nil
        #else
        return nil
        #endif
    }
}

extension EncodingOptions {
    /// The options that only AVIF has.
    public var avif: AVIF {
        get { self[AVIF.self] }
        set { self[AVIF.self] = newValue }
    }

    /// Options for AVIF.
    public struct AVIF: FormatEncodingOptions {
        /// The encoding speed, from 0 (slowest, smallest file) to 10.
        public var speed: Int

        /// Creates options; speed 6 is libavif's medium.
        public init(speed: Int = 6) {
            self.speed = speed
        }

        /// The default options.
        public static let standard = AVIF()

        /// - Throws: `invalidParameter` if the speed isn't from 0 to 10.
        public func validate() throws(ImageError) {
            try EncodingOptions.check(speed, 0...10, "an AVIF speed")
        }
    }
}
