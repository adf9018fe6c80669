/// The pictures in a file that holds several.
public struct ImageSequence: Hashable, Sendable {
    /// What the pictures are to each other.
    public enum Kind: Hashable, Sendable {
        /// Frames, shown one after the other on one canvas.
        case animation
        /// Pictures of their own: a TIFF's pages, an icon's sizes.
        case pages
    }

    /// What the pictures are to each other.
    public var kind: Kind
    /// How many there are; nil while that isn't known.
    public var count: Int?
    /// How often an animation is played, 0 for without end.
    public var loopCount: Int

    /// A sequence of these facts. An animation that says nothing of loops is played once.
    public init(_ kind: Kind, count: Int?, loopCount: Int = 1) {
        self.kind = kind
        self.count = count
        self.loopCount = loopCount
    }
}
