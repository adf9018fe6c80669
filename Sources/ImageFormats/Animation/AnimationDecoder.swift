public import Raster

/// Decodes the frames of one animation, in any order, while bytes are appended.
///
/// Call `append` until `header` is known, then `start` once. After that, `decodeFrame` works at any time for any of
/// `frames`. Call `append` with more bytes as they arrive, and `finish` after the last. Use it from one task at a time.
///
/// A decoder returns each frame's own pixels. The caller (`AnimatedImageSource`) composes them, converts them to sRGB
/// and applies the orientation. Encoded bytes stay in memory, within the options' limits.
///
/// The header's `storedSize` is the canvas's size; its `sequence` has the loop count and, once known, the number of
/// frames. After `append` or `finish` has thrown, complete frames stay available. `finish` throws if the input as a
/// whole is damaged: `truncated` if frames are missing.
public protocol AnimationDecoder: StreamingDecoder {
    /// The frames whose bytes are complete, in order. Grows, and existing elements never change.
    var frames: [AnimationFrame] { get }

    /// Prepares for decoding. Called once, when `header` is known.
    /// - Returns: The canvas's format: RGBA, straight alpha or none, and the profile of its values.
    func start() throws(ImageError) -> BitmapInfo

    /// Decodes one frame's own pixels, in the size of its `region` and the format that `start` returned.
    ///
    /// If `start` returned `.none` for alpha, every pixel of the canvas stays opaque under all frames and disposals; a
    /// frame with `.over` blending can still have transparent pixels. Fast when frames are decoded in order; other
    /// orders can be slow in formats whose frames depend on each other.
    /// - Throws: Any error in the frame's bytes.
    func decodeFrame(at index: Int) throws(ImageError) -> Bitmap
}

/// A frame's position on the canvas, and its duration.
public struct AnimationFrame: Hashable, Sendable {
    /// The way a frame's pixels combine with those on the canvas.
    public enum Blending: Hashable, Sendable {
        /// The frame's pixels replace those on the canvas, transparency included.
        case source
        /// The frame's pixels are drawn over those on the canvas.
        case over
    }

    /// The change to a frame's region before the next frame is drawn.
    public enum Disposal: Hashable, Sendable {
        /// The region stays as it is.
        case keep
        /// The region becomes transparent.
        case background
        /// The region is restored to its content before the frame.
        case previous
    }

    /// The frame's rectangle, entirely within the canvas.
    public var region: PixelRect
    /// The way the frame's pixels combine with those on the canvas.
    public var blending: Blending
    /// The change to the frame's region before the next frame is drawn.
    public var disposal: Disposal
    /// The duration in the file, in seconds.
    public var storedDuration: Double

    /// Creates a frame; by default it replaces the pixels in its region and stays.
    public init(
        region: PixelRect, blending: Blending = .source, disposal: Disposal = .keep, storedDuration: Double
    ) {
        self.region = region
        self.blending = blending
        self.disposal = disposal
        self.storedDuration = storedDuration
    }

    /// The time for which the frame is shown, in seconds: `storedDuration`, or 0.1 if that is under 0.011.
    ///
    /// Files with a delay of 0 were made for viewers that waited a tenth of a second, as viewers still do.
    public var duration: Double { storedDuration < 0.011 ? 0.1 : storedDuration }
}
