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
    /// `.none` for alpha in `start` means that no frame and no disposal leaves a pixel less than opaque. Cheap when
    /// frames are asked for in order; a format whose frames build on each other may take time for others.
    /// - Throws: What is wrong with the frame's bytes.
    func decodeFrame(at index: Int) throws(ImageError) -> Bitmap
}
