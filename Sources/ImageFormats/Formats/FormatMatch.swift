/// What a codec says of some bytes.
public enum FormatMatch: Hashable, Sendable {
    /// They are this format, as far as can be seen.
    case match(ImageFormat)
    /// Too few to tell; ask again with at least `minimum` bytes.
    case needMoreData(minimum: Int)
    /// They are something else.
    case unknown
}
