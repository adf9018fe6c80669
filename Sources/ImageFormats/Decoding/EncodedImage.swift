public import Raster

/// A picture still in its file's bytes, which become pixels each time they are asked for.
public struct EncodedImage: BitmapProvider {
    /// The file.
    public let bytes: [UInt8]
    /// What the file says of the picture.
    public let header: ImageHeader
    /// What a full decode delivers.
    public let info: BitmapInfo
    /// How stored pixels are turned.
    public var decodedOrientation: Orientation { options.appliedOrientation(of: header) }
    /// The file's size.
    public var byteCount: Int { bytes.count }
    /// Whether it is a drawing, which `makeBitmap` draws at any size.
    public let isVector: Bool
    private let options: DecodingOptions
    private let registry: CodecRegistry

    /// Reads the header of `bytes` and nothing else.
    public init(
        _ bytes: [UInt8], options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default
    ) throws(ImageError) {
        let session = try DecodingSession(Source(bytes).reader(), options: options, registry: registry)
        self.bytes = bytes
        self.options = options
        self.registry = registry
        header = session.header
        isVector = registry.capabilities(of: header.format).contains(.vector)
        info = try session.start(.full).info
    }

    /// Decodes; incomplete pictures throw.
    public func makeBitmap(_ plan: DecodingPlan) throws(ImageError) -> Bitmap {
        let decoded = try ImageSource.decode(bytes, plan: plan, options: options, registry: registry)
        if let error = decoded.error { throw error }
        return decoded.bitmap
    }
}

extension EncodedImage: OriginatedBitmapProvider {
    /// The file's format.
    package var origin: any Sendable { header.format }
}
