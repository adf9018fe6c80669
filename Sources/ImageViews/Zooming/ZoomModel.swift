public import Raster

/// The place and the zoom of an image in a view, and their changes by gestures: a value, independent of toolkit and
/// clock.
///
/// `zoom` is in points of the view per image pixel, and `offset` is the position of the image's top left corner as
/// shown. An image smaller than the view is centred, and a larger one leaves no gap to the view's edges. Only a gesture
/// with `Bounds.rubberBand` can pull it away, and then it returns.
///
/// Infinite and NaN arguments change nothing.
public struct ZoomModel: Hashable, Sendable {
    /// The behaviour at the limits.
    public enum Bounds: Hashable, Sendable {
        /// The image stops there.
        case clamp
        /// The image moves on with resistance; `endPan` or `endZoom` lets it return.
        case rubberBand
    }

    /// The rule for the zoom when the view's size, its scale or the rotation changes.
    public enum Fitting: Hashable, Sendable {
        /// The whole image fits the view, at most one to one.
        case fit
        /// The image covers the view.
        case fill
        /// An image pixel is a device pixel.
        case oneToOne
        /// The zoom is unchanged.
        case free
    }

    /// The size of the upright image in pixels, before `rotation`.
    public let pictureSize: PixelSize
    /// Points of the view per image pixel.
    public internal(set) var zoom: Double = 1
    /// The position of the shown image's top left corner in the view.
    public internal(set) var offset = ViewPoint.zero
    /// The rule for the zoom when the view changes.
    public internal(set) var fitting = Fitting.fit
    /// The user's clockwise quarter turns: 0 to 3.
    public internal(set) var rotation = 0
    /// The largest number of device pixels per image pixel, exceeded only where filling the view needs more.
    public var maximumMagnification: Double = 16 {
        didSet { if !(1...1e6 ~= maximumMagnification) { maximumMagnification = oldValue } }
    }

    var storedViewSize: ViewSize
    var storedScaleFactor: Double
    var motion: ZoomMotion?
    /// The fixed point of the last zoom.
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

    /// The view's size in points. The point at its centre stays there when it changes, unless the image is fitted or
    /// fills the view.
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
