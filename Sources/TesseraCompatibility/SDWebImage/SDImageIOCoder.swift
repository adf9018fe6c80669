public import Essentials
internal import ImageFormats
public import Raster
internal import Synchronization

/// SDWebImage's built-in coder, for all formats that `CodecRegistry.default` reads and writes.
///
/// ```swift
/// let image = SDImageIOCoder.shared.decodedImage(with: data, options: [.decodeScaleFactor: 2])
/// ```
/// `ProgressiveImageCoder` has the incremental methods with errors, and a plan for decoding at a reduced size.
public final class SDImageIOCoder: Sendable {
    /// The coder for whole images.
    public static let shared = SDImageIOCoder(incrementalWithOptions: nil)

    private let coder: Mutex<ProgressiveImageCoder>
    private let scale: Double

    /// A coder for one image that is arriving.
    public init(incrementalWithOptions options: SDImageCoderOptions?) {
        coder = Mutex(ProgressiveImageCoder())
        scale = Self.scale(options) ?? 1
    }

    private static func scale(_ options: SDImageCoderOptions?) -> Double? {
        options?.number(.decodeScaleFactor).map { max($0, 1) }
    }

    // MARK: Abilities

    /// Whether images in `format` can be decoded.
    public static func canDecode(from format: SDImageFormat) -> Bool {
        format.format.map { CodecRegistry.default.canDecode($0) } ?? false
    }

    /// Whether images can be encoded in `format`. Undefined counts as PNG or JPEG, as in
    /// `encodedData(with:format:options:)`.
    public static func canEncode(to format: SDImageFormat) -> Bool {
        CodecRegistry.default.canEncode(format.format ?? .png)
    }

    /// Whether `data` is in a format that can be decoded. Checks its first bytes.
    public func canDecode(from data: Data?) -> Bool {
        guard let data else { return false }
        let (bytes, registry) = (data.bytes, CodecRegistry.default)
        guard case .match(let format, _) = registry.identify(FormatProbe(whole: bytes)) else { return false }
        return registry.canDecode(format)
    }

    /// Whether images can be encoded in `format`.
    public func canEncode(to format: SDImageFormat) -> Bool { Self.canEncode(to: format) }

    // MARK: Whole images

    /// The image in `data`, decoded when its pixels are needed; nil if it isn't an image.
    public func decodedImage(with data: Data?, options: SDImageCoderOptions? = nil) -> Image? {
        guard let data else { return nil }
        return try? ImageSource.image(data, scale: Self.scale(options) ?? 1)
    }

    /// The image encoded in `format`, or if that is undefined as PNG with alpha and as JPEG without; nil if that isn't
    /// possible.
    public func encodedData(
        with image: Image?, format: SDImageFormat, options: SDImageCoderOptions? = nil
    ) -> Data? {
        guard let image else { return nil }
        let format = format.format ?? (image.hasAlpha ? .png : .jpeg)
        let quality = options?.number(.encodeCompressionQuality) ?? 1
        guard let bytes: [UInt8] = try? image.data(as: format, quality: quality) else { return nil }
        return Data(bytes)
    }

    // MARK: Arriving images

    /// Decodes the new part of all bytes so far. Ignored after the last bytes.
    public func updateIncrementalData(_ data: Data?, finished: Bool) {
        coder.withLock { $0.updateIncrementalData(data ?? Data(), finished: finished) }
    }

    /// The image so far; nil before the first row.
    public func incrementalDecodedImage(options: SDImageCoderOptions? = nil) -> Image? {
        let scale = Self.scale(options) ?? scale
        return coder.withLock { coder in try? coder.incrementalDecodedImage(scale: scale) }
    }
}
