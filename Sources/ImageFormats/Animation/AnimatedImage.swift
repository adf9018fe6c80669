public import Raster
internal import Synchronization

/// An animation: its frames as they are shown, each decoded when its pixels are asked for.
///
/// ```swift
/// let animation = try AnimatedImage(path: "party.gif")
/// for frame in animation.frames {
///     show(try frame.image.bitmap(), for: frame.duration)
/// }
/// ```
///
/// GIF, APNG, WebP, AVIF, HEIC sequences and JPEG XL; a file of one image in such a format is an animation of one frame.
/// The encoded bytes are kept in memory. Frames are upright and in sRGB unless the options say otherwise. For bytes that
/// are still arriving there is `AnimatedImageSource`.
public struct AnimatedImage: Sendable {
    /// The file's header.
    public let header: ImageHeader
    /// The frames, in the order in which they are shown.
    public let frames: Frames
    /// Width and height of every frame.
    public let size: PixelSize
    /// How often the animation is played, 0 for without end.
    public let loopCount: Int
    /// Why there are fewer frames than the file should have; nil where all are there.
    public let error: ImageError?

    /// The animation in the file at `path`.
    /// - Throws: `inputOutput` for a file that can't be read, `unknownFormat` for one that is no image, `unsupported` for a
    ///   format without animations, and what keeps the first frame from being there. Messages name the file.
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

    /// The animation in `data`: an array of bytes, which isn't copied, Foundation's `Data`, a buffer of SwiftNIO's.
    /// - Throws: As for a file.
    public init(
        data: some Sequence<UInt8>, options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default
    ) throws(ImageError) {
        try self.init(Source(data), options: options, registry: registry)
    }

    /// The animation in `source`, all of whose bytes are read.
    /// - Throws: As for a file.
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

    /// How long all frames together are shown, in seconds.
    public var duration: Double { frames.durations.reduce(0, +) }
}

extension AnimatedImage {
    /// One frame, as it is shown.
    public struct Frame: Sendable {
        /// The frame's pixels, decoded when they are asked for.
        public let image: Image
        /// How long it is shown, in seconds.
        public let duration: Double
    }

    /// The frames of an animation. Each access makes a frame that isn't decoded yet; asked for in order, each takes one
    /// decode, in any other order a few more.
    public struct Frames: RandomAccessCollection, Sendable {
        fileprivate let durations: [Double]
        fileprivate let format: ImageFormat
        fileprivate let info: BitmapInfo
        fileprivate let source: SharedFrames

        /// 0.
        public var startIndex: Int { 0 }
        /// The number of frames.
        public var endIndex: Int { durations.count }

        /// The frame at `index`. Traps when there is none.
        public subscript(index: Int) -> Frame {
            Frame(
                image: Image(deferred: FrameProvider(index: index, frames: self)), duration: durations[index])
        }
    }
}

/// The source of an animation's frames, for several tasks: one decodes at a time.
private final class SharedFrames: Sendable {
    private let source: Mutex<AnimatedImageSource>

    init(_ source: sending AnimatedImageSource) { self.source = Mutex(source) }

    func frame(at index: Int, targetSize: PixelSize?) throws(ImageError) -> Bitmap {
        try source.withLock { (source) throws(ImageError) in try source.frame(at: index, targetSize: targetSize) }
    }
}

/// Decodes one frame of an animation.
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
