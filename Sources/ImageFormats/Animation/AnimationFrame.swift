public import Raster

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
