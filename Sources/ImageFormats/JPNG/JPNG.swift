@_exported public import let JPNGContainer.JPNGIdentifier
public import Raster
internal import Synchronization

/// Settings and functions specific to JPNG.
///
/// Reading JPNG needs none of them: the codec is registered by default.
public enum JPNG {
    /// Whether the default registry decodes JPNG; true by default.
    ///
    /// When false, a JPNG is decoded as the JPEG that it begins with; the functions specific to JPNG still work.
    public static var isLoadedAutomatically: Bool {
        get { CodecRegistry.default.canDecode(.jpng) }
        set {
            guard newValue != isLoadedAutomatically else { return }
            CodecRegistry.updateDefault { registry in
                if newValue {
                    registry.register(unloaded.withLock { $0 } ?? JPNGCodec())
                } else {
                    let codec = registry.codec(for: .jpng)
                    unloaded.withLock { $0 = codec }
                    registry.unregister(.jpng)
                }
            }
        }
    }

    /// The codec that was unregistered, which is registered again later; it may be a proxy that decodes in another
    /// process.
    private static let unloaded = Mutex<(any ImageCodec)?>(nil)

    /// Whether JPNG images are decoded when they are loaded rather than when their pixels are needed, unless a call
    /// specifies it; false by default.
    public static var alwaysForcesDecompression: Bool {
        get { forcing.withLock { $0 } }
        set { forcing.withLock { $0 = newValue } }
    }

    private static let forcing = Mutex(false)

    /// Reads and writes JPNG whether or not it is loaded automatically.
    static let registry = CodecRegistry([JPNGCodec()])

    /// Encodes a bitmap as PNG and as JPNG, and returns the smaller file with its format.
    ///
    /// A photograph is many times smaller as a JPNG. Flat graphics with hard edges and tiny images are smaller as a
    /// PNG, which is lossless. Takes the time of both.
    /// - Throws: Encoding errors.
    public static func smallestData(
        of bitmap: Bitmap, options: EncodingOptions = EncodingOptions()
    ) throws(ImageError) -> (format: ImageFormat, bytes: [UInt8]) {
        let png = try ImageDestination(format: .png, options: options, registry: CodecRegistry([PNGCodec()]))
            .encode(bitmap)
        let jpng = try ImageDestination(format: .jpng, options: options, registry: registry).encode(bitmap)
        return jpng.count < png.count ? (.jpng, jpng) : (.png, png)
    }
}
