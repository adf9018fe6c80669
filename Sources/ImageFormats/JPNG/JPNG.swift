@_exported public import let JPNGContainer.JPNGIdentifier
public import Raster
internal import Synchronization

/// What a program can set and ask for that has to do with JPNG alone.
///
/// Nothing here is needed to read JPNG: its codec is registered by default, so whatever loads pictures loads JPNG too.
public enum JPNG {
    /// Whether everything that loads pictures by the default registry loads JPNG as well: true unless it was changed.
    ///
    /// Turned off, a JPNG is the JPEG that it begins as, and the functions made for JPNG still work.
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

    /// The codec that was turned off: the same is turned on again, which may decode elsewhere.
    private static let unloaded = Mutex<(any ImageCodec)?>(nil)

    /// Whether JPNG pictures are decoded when they are loaded rather than when their pixels are asked for, where a call
    /// doesn't say: false unless it was changed.
    public static var alwaysForcesDecompression: Bool {
        get { forcing.withLock { $0 } }
        set { forcing.withLock { $0 = newValue } }
    }

    private static let forcing = Mutex(false)

    /// Reads and writes JPNG whatever is loaded automatically.
    static let registry = CodecRegistry([JPNGCodec()])

    /// The smaller of a PNG and a JPNG of the same picture, and which it is.
    ///
    /// A photograph is many times smaller as a JPNG; flat graphics with hard edges, and tiny pictures, as a PNG, which
    /// loses nothing. Costs the time of both.
    /// - Throws: What the encoders report.
    public static func smallestData(
        of bitmap: Bitmap, options: EncodingOptions = EncodingOptions()
    ) throws(ImageError) -> (format: ImageFormat, bytes: [UInt8]) {
        let png = try ImageDestination(format: .png, options: options, registry: CodecRegistry([PNGCodec()]))
            .encode(bitmap)
        let jpng = try ImageDestination(format: .jpng, options: options, registry: registry).encode(bitmap)
        return jpng.count < png.count ? (.jpng, jpng) : (.png, png)
    }
}
