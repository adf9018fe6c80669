#if GTK
public import ImageViews
public import Observation

/// One of the pictures that a `ZoomableImageWidget` shows side by side, as far as it is there.
@MainActor @Observable
public final class ZoomablePage {
    /// The picture; nil before it is opened.
    public var picture: ZoomableImage?
    /// What plays in the picture's place, in the same zoom; nil for a still.
    public var player: AnimationPlayer?
    /// What is drawn instead: the picture with effects, in the same zoom as far as its size is that of the picture.
    public var replacement: ZoomableImage?
    /// Why there is no picture, for people.
    public var message: String?

    /// A page that nothing is known of.
    public init() {}

    /// What is drawn and zoomed.
    public var shown: ZoomableImage? { replacement ?? picture }
}
#endif
