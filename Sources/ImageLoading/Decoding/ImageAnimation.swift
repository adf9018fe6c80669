#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
internal import ImageEffects
public import ImageFormats
public import Raster

/// An animation that arrived, or is arriving: its frames, decoded when they are asked for, by any task.
///
/// Previews and the final picture share one, which grows until all bytes are there. What processors make of it shares the
/// decoder and the encoded bytes.
public final class ImageAnimation: Sendable {
    private let frames: AnimationFrames
    private let decoding: PictureDecoding
    private let processors: [any ImageProcessing]

    private init(_ frames: AnimationFrames, _ decoding: PictureDecoding, _ processors: [any ImageProcessing]) {
        self.frames = frames
        self.decoding = decoding
        self.processors = processors
    }

    /// The animation in `data`, which is everything.
    /// - Parameter scale: Pixels per point of the frames.
    /// - Throws: What keeps even the first frame from being there; what is wrong behind it is in `error`.
    public convenience init(
        _ data: Data, options: DecodingOptions = DecodingOptions(), scale: Double = 1
    ) throws(ImageError) {
        self.init(PictureDecoding(options: options, scale: scale))
        do throws(ImageError) {
            try append(data, isLast: true)
        } catch {
            if durations.isEmpty { throw error }
        }
    }

    /// An animation without a byte yet.
    convenience init(_ decoding: PictureDecoding) {
        self.init(AnimationFrames(options: decoding.options), decoding, [])
    }

    /// What the file says of the animation; nil until that is known.
    public var header: ImageHeader? { frames.facts.header }

    /// Width and height of the frames in pixels, as the file has them; nil until that is known. Thumbnails and processors
    /// make other sizes of it.
    public var size: PixelSize? { frames.facts.size }

    /// How many frames there are in all; nil while that isn't known.
    public var frameCount: Int? { frames.facts.frameCount }

    /// How long each frame that is there is shown, in seconds.
    public var durations: [Double] { frames.facts.durations }

    /// How often the animation is played, 0 for without end.
    public var loopCount: Int { frames.facts.header?.sequence?.loopCount ?? 1 }

    /// Whether there won't be more frames than there are.
    public var isFinished: Bool { frames.facts.isFinished }

    /// Why there are fewer frames than there should be, once that is known.
    public var error: ImageError? { frames.facts.error }

    /// The most bytes that it takes: the file's, and frames that are kept to find others sooner.
    public var byteCount: Int { frames.facts.byteCount }

    /// The frame as it is shown, processed, decoded on the calling thread.
    /// - Throws: `ImageError` with `invalidParameter` for a frame that isn't there, or what is wrong with its bytes; what
    ///   processors throw.
    public func frame(at index: Int) throws -> Image { try decodedFrame(at: index) }

    /// The frame as it is shown, processed, decoded on `ImageExecutor.shared`.
    /// - Throws: As the other one.
    public func frame(at index: Int) async throws -> Image {
        try await withTaskExecutorPreference(ImageExecutor.shared) { try self.decodedFrame(at: index) }
    }

    /// The animation whose frames go through `processor` when they are asked for.
    public func processed(by processor: any ImageProcessing) -> ImageAnimation {
        ImageAnimation(frames, decoding, processors + [processor])
    }

    /// Has the decoder keep no more than so many bytes of pixels, by which it finds frames sooner, from the next frame on.
    package func limitKeptPixels(byteCount: Int) { frames.limitKeptCanvases(byteCount: byteCount) }

    func decodedFrame(at index: Int) throws -> Image {
        try processors.reduce(decodedStoredFrame(at: index)) { try $1.process($0) }
    }

    /// The frame before any processor.
    func decodedStoredFrame(at index: Int) throws(ImageError) -> Image {
        let bitmap = try frames.frame(at: index)
        guard let header, let plan = try decoding.plan(for: header) else { return Image(bitmap, scale: decoding.scale) }
        let region = try plan.decoding.region.map { (region) throws(ImageError) in try bitmap.cropped(to: region) }
        return Image(try plan.apply(to: region ?? bitmap), scale: decoding.scale)
    }

    /// Takes in what of `data`, all bytes so far, is new.
    /// - Throws: What makes the bytes useless from here on; `error` says the same.
    @discardableResult
    func append(_ data: Data, isLast: Bool) throws(ImageError) -> [DecodingEvent] {
        try frames.append(data, isLast: isLast)
    }
}
