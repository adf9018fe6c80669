public import Raster

/// A session that reads the frames of one animation: bytes are appended as they come, any frame that is whole can be
/// decoded, in any order.
///
/// The order of calls: `append` until `header` is known; `start` once; `decodeFrame` at any time for any of `frames`;
/// `append` in turn; `finish` when there are no more bytes. A session is used by one task at a time.
///
/// A session delivers each frame's own pixels. Putting them on the canvas, conversion to sRGB and turning are done by
/// who drives it (`AnimatedImageSource`). Encoded bytes are kept, within the options' limits.
///
/// The header's `storedSize` is the canvas; its `sequence` says how often the animation is played, and how many frames
/// there are once that is known. After `append` or `finish` has thrown, frames that were whole stay good; `finish` throws
/// what is wrong with the input as a whole: `truncated` when frames are missing.
public protocol AnimationDecoder: StreamingDecoder {
    /// The frames whose bytes are all there, in order. Grows, never changes.
    var frames: [AnimationFrame] { get }

    /// Fixes what pixels are. Called once, when `header` is known.
    /// - Returns: The canvas: rgba, straight alpha or none, a profile that says what the values mean.
    func start() throws(ImageError) -> BitmapInfo

    /// Decodes one frame's own pixels: its `region`'s size, otherwise as `start` said.
    ///
    /// `.none` for alpha in `start` describes the canvas: no frame and no disposal leaves a pixel of it less than opaque.
    /// A frame with `.over` blending can still have transparent pixels. Cheap when frames are asked for in order; a
    /// format whose frames build on each other may take time for others.
    /// - Throws: What is wrong with the frame's bytes.
    func decodeFrame(at index: Int) throws(ImageError) -> Bitmap
}

/// How one frame of an animation goes onto the canvas, and how long it stays.
public struct AnimationFrame: Hashable, Sendable {
    /// How a frame's pixels meet those on the canvas.
    public enum Blending: Hashable, Sendable {
        /// They take their place, transparency included.
        case source
        /// They are drawn over them.
        case over
    }

    /// What becomes of a frame's region before the next frame is drawn.
    public enum Disposal: Hashable, Sendable {
        /// It stays.
        case keep
        /// It becomes transparent.
        case background
        /// It becomes what it was before the frame.
        case previous
    }

    /// Where it goes, wholly within the canvas.
    public var region: PixelRect
    /// How its pixels meet those on the canvas.
    public var blending: Blending
    /// What becomes of its region before the next frame is drawn.
    public var disposal: Disposal
    /// How long the file says that it is shown, in seconds.
    public var storedDuration: Double

    /// A frame of these facts.
    public init(
        region: PixelRect, blending: Blending = .source, disposal: Disposal = .keep, storedDuration: Double
    ) {
        self.region = region
        self.blending = blending
        self.disposal = disposal
        self.storedDuration = storedDuration
    }

    /// How long it is shown, in seconds: as stored, but 0.1 where that is under 0.011.
    ///
    /// Files that ask for no delay at all were made for viewers that took a tenth of a second, and all still do.
    public var duration: Double { storedDuration < 0.011 ? 0.1 : storedDuration }
}
