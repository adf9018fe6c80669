public import Raster

/// Where an image is in a view, how large, and how that changes under hands: a value, without a toolkit or a clock.
///
/// `zoom` is how many points of the view a pixel of the image takes, and `offset` where the corner of the image that is
/// shown at the top left lies. An image that is smaller than the view is centred, one that is larger has no gap to the
/// view's edges; only a gesture with `Bounds.rubberBand` can pull it off, and then it comes back by itself.
///
/// Numbers that aren't (infinite, not a number) change nothing.
public struct ZoomModel: Hashable, Sendable {
    /// What happens at the ends.
    public enum Bounds: Hashable, Sendable {
        /// It stops there.
        case clamp
        /// It goes on, less and less; `endPan` or `endZoom` lets it come back.
        case rubberBand
    }

    /// What the zoom follows when the view's size, its scale or the rotation change.
    public enum Fitting: Hashable, Sendable {
        /// The whole image is in the view, no larger than one to one.
        case fit
        /// The image covers the view.
        case fill
        /// An image pixel is a device pixel.
        case oneToOne
        /// Nothing: it stays as it is.
        case free
    }

    /// Width and height of the upright image in pixels, before `rotation`.
    public let pictureSize: PixelSize
    /// Points of the view that a pixel of the image takes.
    public internal(set) var zoom: Double = 1
    /// Where in the view the shown image's top left corner is.
    public internal(set) var offset = ViewPoint.zero
    /// What the zoom follows.
    public internal(set) var fitting = Fitting.fit
    /// Clockwise quarter turns that the user made: 0 to 3.
    public internal(set) var rotation = 0
    /// Device pixels that an image pixel takes at the most, or more where it takes more to fill the view.
    public var maximumMagnification: Double = 16 {
        didSet { if !(1...1e6 ~= maximumMagnification) { maximumMagnification = oldValue } }
    }

    var storedViewSize: ViewSize
    var storedScaleFactor: Double
    var motion: ZoomMotion?
    /// Where the last zoom took hold.
    var anchor = ViewPoint.zero

    /// An image fitted into a view.
    /// - Parameter scaleFactor: Device pixels per point.
    public init(pictureSize: PixelSize, viewSize: ViewSize = .zero, scaleFactor: Double = 1) {
        self.pictureSize = PixelSize(width: max(1, pictureSize.width), height: max(1, pictureSize.height))
        storedViewSize = Self.sound(viewSize)
        storedScaleFactor = Self.sound(scaleFactor)
        place(fitZoom)
    }

    static func sound(_ size: ViewSize) -> ViewSize {
        func length(_ length: Double) -> Double { length >= 0.01 && length.isFinite ? min(length, 1e6) : 0 }
        return ViewSize(width: length(size.width), height: length(size.height))
    }

    static func sound(_ scaleFactor: Double) -> Double {
        scaleFactor.isFinite && scaleFactor > 0 ? scaleFactor.clamped(to: 0.01...100) : 1
    }

    /// Width and height of the view in points. What is in its middle stays there when it changes, unless the image is
    /// fitted or fills the view.
    public var viewSize: ViewSize {
        get { storedViewSize }
        set {
            let size = Self.sound(newValue)
            guard size != storedViewSize else { return }
            keepingCenter { $0.storedViewSize = size }
        }
    }

    /// Device pixels per point.
    public var scaleFactor: Double {
        get { storedScaleFactor }
        set {
            let factor = Self.sound(newValue)
            guard factor != storedScaleFactor else { return }
            keepingCenter { $0.storedScaleFactor = factor }
        }
    }
}
