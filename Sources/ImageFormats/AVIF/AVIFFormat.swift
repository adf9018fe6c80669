#if AVIF
internal import CTesseraAVIF
#endif
public import Raster

extension ImageFormat {
    /// AVIF 1.0: HEIF with AV1.
    public static let avif = ImageFormat(
        typeIdentifier: "public.avif", name: "AVIF", mimeTypes: ["image/avif", "image/avif-sequence"],
        filenameExtensions: ["avif", "avifs"],
        iiifName: "avif", library: "avif")
}

extension BuiltInFormat {
    /// AVIF, which a build without the trait only knows by name.
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
    /// What only AVIF has.
    public var avif: AVIF {
        get { self[AVIF.self] }
        set { self[AVIF.self] = newValue }
    }

    /// Options for AVIF.
    public struct AVIF: FormatEncodingOptions {
        /// How fast to encode, 0 (small) to 10.
        public var speed: Int

        /// libavif's middle speed.
        public init(speed: Int = 6) {
            self.speed = speed
        }

        /// The options of a picture for which none are set.
        public static let standard = AVIF()

        /// A speed outside 0 to 10 is refused.
        public func validate() throws(ImageError) {
            try EncodingOptions.check(speed, 0...10, "an AVIF speed")
        }
    }
}
