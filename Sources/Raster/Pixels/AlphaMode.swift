/// What the alpha channel means for the colours beside it.
public enum AlphaMode: String, Hashable, Sendable, Codable {
    /// There is none: every pixel is opaque. In rgba formats the fourth channel holds its largest value.
    case none
    /// Colours stand as they are; alpha is applied when the picture is drawn ("unassociated").
    case straight
    /// Colours are multiplied by alpha already ("associated").
    case premultiplied

    /// Whether a pixel can be less than opaque.
    public var hasAlpha: Bool { self != .none }
}
