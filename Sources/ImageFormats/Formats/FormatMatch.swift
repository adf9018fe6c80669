/// What a codec says of some bytes.
public enum FormatMatch: Hashable, Sendable {
    /// They are this format, as far as can be seen, with these traits.
    case match(ImageFormat, FormatTraits)
    /// Too few to tell; ask again with at least `minimum` bytes.
    case needMoreData(minimum: Int)
    /// They are something else.
    case unknown

    /// They are this format, a still as far as can be seen.
    public static func match(_ format: ImageFormat) -> FormatMatch { .match(format, []) }
}
