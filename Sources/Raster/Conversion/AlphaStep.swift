/// What has to happen to the values of rgba pixels so that their alpha means something else.
package enum AlphaStep: Hashable, Sendable {
    /// The values are right as they are.
    case keep
    /// Multiply the colours by alpha.
    case premultiply
    /// Divide the colours by alpha.
    case unpremultiply
    /// Lay straight colours over a background and make the pixels opaque.
    case flattenStraight
    /// Lay premultiplied colours over a background and make the pixels opaque.
    case flattenPremultiplied

    /// The step from `source` to `target`.
    package init(from source: AlphaMode, to target: AlphaMode) {
        self =
            switch (source, target) {
            // Opaque pixels are the same straight and premultiplied.
            case (.none, _), (.straight, .straight), (.premultiplied, .premultiplied): .keep
            case (.straight, .premultiplied): .premultiply
            case (.premultiplied, .straight): .unpremultiply
            case (.straight, .none): .flattenStraight
            case (.premultiplied, .none): .flattenPremultiplied
            }
    }
}
