public import Raster

/// How a view goes from what it drew to what it draws now.
public struct ImageTransition: Sendable {
    /// What it drew before; nil for nothing.
    public var from: Image?
    /// How long the one fades into the other, in seconds.
    public var duration: Double

    /// A transition of `duration` seconds.
    public init(from: Image?, duration: Double) {
        self.from = from
        self.duration = duration
    }
}
