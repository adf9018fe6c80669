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
    /// WebP, known only by name in a build without the WebP trait.
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
    /// Options that only WebP has.
    public var webP: WebP {
        get { self[WebP.self] }
        set { self[WebP.self] = newValue }
    }

    /// Options for WebP.
    public struct WebP: FormatEncodingOptions {
        /// The effort spent on a small file, 0 (fast) to 6 (smallest).
        public var method: Int

        /// Creates options; `method` defaults to that of libwebp.
        public init(method: Int = 4) {
            self.method = method
        }

        /// libwebp's default method.
        public static let standard = WebP()

        /// Checks that the method is in 0 to 6.
        public func validate() throws(ImageError) {
            try EncodingOptions.check(method, 0...6, "a WebP method")
        }
    }
}
