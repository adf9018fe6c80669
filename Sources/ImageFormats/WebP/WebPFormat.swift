#if WebP
internal import CTesseraWebP
#endif
public import Raster

extension ImageFormat {
    /// WebP (RFC 9649).
    public static let webP = ImageFormat(
        typeIdentifier: "org.webmproject.webp", name: "WebP", mimeTypes: ["image/webp"], filenameExtensions: ["webp"],
        iiifName: "webp")
}

extension BuiltInFormat {
    /// WebP, which a build without the trait only knows by name.
    static let webP = BuiltInFormat(
        .webP, options: [.lossless, FormatOption("webp-method", \.webP.method, help: "0 (fast) to 6 (small).")]
    ) { _ in
        #if WebP
        return tessera_webp_available() ? WebPCodec() : nil
        #else
        return nil
        #endif
    }
}

extension EncodingOptions {
    /// What only WebP has.
    public var webP: WebP {
        get { self[WebP.self] }
        set { self[WebP.self] = newValue }
    }

    /// Options for WebP.
    public struct WebP: FormatEncodingOptions {
        /// How hard to look for a small file, 0 (fast) to 6.
        public var method: Int

        /// libwebp's default method.
        public init(method: Int = 4) {
            self.method = method
        }

        /// The options of a picture for which none are set.
        public static let standard = WebP()

        /// A method outside 0 to 6 is refused.
        public func validate() throws(ImageError) {
            try EncodingOptions.check(method, 0...6, "a WebP method")
        }
    }
}
