public import Raster
internal import Synchronization

/// An animation whose frames are composed on its canvas, each decoded when its pixels are requested.
///
/// ```swift
/// let animation = try AnimatedImage(path: "party.gif")
/// for frame in animation.frames {
///     show(try frame.image.bitmap(), for: frame.duration)
/// }
/// ```
///
/// Supports GIF, APNG, WebP, AVIF, HEIC sequences and JPEG XL; a still in one of these formats is an animation of one
/// frame. The encoded bytes stay in memory. Frames are upright and in sRGB unless the options specify otherwise. For
/// bytes that are still arriving, use `AnimatedImageSource`.
public struct AnimatedImage: Sendable {
    /// The file's header.
    public let header: ImageHeader
    /// The frames, in display order.
    public let frames: Frames
    /// Width and height of every frame.
    public let size: PixelSize
    /// The number of times the animation plays; 0 for endlessly.
    public let loopCount: Int
    /// The reason why frames are missing; nil if the animation is complete.
    public let error: ImageError?

    /// Opens the animation in the file at `path`.
    /// - Throws: `inputOutput` if the file can't be read, `unknownFormat` if it isn't an image, `unsupported` if its
    ///   format has no animations, and any error in the header or the first frame's data. Messages name the file.
    public init(
        path: String, options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default
    ) throws(ImageError) {
        let source = try Source(path: path)
        do throws(ImageError) {
            try self.init(source, options: options, registry: registry)
        } catch {
            throw error.naming(path)
        }
    }

    /// Opens the animation in `data`: an array of bytes, which isn't copied, or a sequence such as Foundation's `Data`.
    /// - Throws: The same errors as `init(path:options:registry:)`.
    public init(
        data: some Sequence<UInt8>, options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default
    ) throws(ImageError) {
        try self.init(Source(data), options: options, registry: registry)
    }

    /// Opens the animation in `source`, and reads all of its bytes.
    /// - Throws: The same errors as `init(path:options:registry:)`.
    public init(
        _ source: Source, options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default
    ) throws(ImageError) {
        let bytes = try source.bytes(limit: options.limits.maximumInputByteCount)
        let source = try AnimatedImageSource(bytes, options: options, registry: registry)
        guard let header = source.header, let info = source.frameInfo else {
            throw ImageError(.truncated, "the animation ends before its first frame does")
        }
        self.header = header
        size = info.size
        loopCount = source.loopCount
        error = source.error
        frames = Frames(
            durations: source.frames.map(\.duration), format: header.format, info: info, source: SharedFrames(source))
    }

    /// The sum of all frames' durations, in seconds.
    public var duration: Double { frames.durations.reduce(0, +) }
}

extension AnimatedImage {
    /// One frame, composed on the animation's canvas.
    public struct Frame: Sendable {
        /// The frame's pixels, decoded on first use.
        public let image: Image
        /// The time for which the frame is shown, in seconds.
        public let duration: Double
    }

    /// The frames of an animation.
    ///
    /// Each access returns a frame that isn't decoded yet. In order, each takes one decode; in other orders, a few.
    public struct Frames: RandomAccessCollection, Sendable {
        fileprivate let durations: [Double]
        fileprivate let format: ImageFormat
        fileprivate let info: BitmapInfo
        fileprivate let source: SharedFrames

        /// Always 0.
        public var startIndex: Int { 0 }
        /// The number of frames.
        public var endIndex: Int { durations.count }

        /// Returns the frame at `index`. Traps if `index` is out of bounds.
        public subscript(index: Int) -> Frame {
            Frame(
                image: Image(deferred: FrameProvider(index: index, frames: self)), duration: durations[index])
        }
    }
}

/// An animation's source, shared between tasks. One frame is decoded at a time.
private final class SharedFrames: Sendable {
    private let source: Mutex<AnimatedImageSource>

    init(_ source: sending AnimatedImageSource) { self.source = Mutex(source) }

    func frame(at index: Int, targetSize: PixelSize?) throws(ImageError) -> Bitmap {
        try source.withLock { (source) throws(ImageError) in try source.frame(at: index, targetSize: targetSize) }
    }
}

private struct FrameProvider: OriginatedBitmapProvider {
    let index: Int
    let frames: AnimatedImage.Frames

    var info: BitmapInfo { frames.info }
    var origin: any Sendable { frames.format }

    func makeBitmap(_ plan: DecodingPlan) throws(ImageError) -> Bitmap {
        try plan.validate(for: info.size)
        guard let region = plan.region else {
            return try frames.source.frame(at: index, targetSize: plan == .full ? nil : plan.leastSize(of: info.size))
        }
        return try frames.source.frame(at: index, targetSize: nil).cropped(to: region)
    }
}
