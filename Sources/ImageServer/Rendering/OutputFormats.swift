package import ImageFormats

/// What a result is written as, which may depend on what it has become.
package struct OutputFormats: Hashable, Sendable {
    /// Without transparency.
    package let opaque: ImageFormat
    /// With some.
    package let transparent: ImageFormat

    /// Whether it can be several frames, shown one after the other.
    var holdsFrames: Bool {
        opaque == transparent && CodecRegistry.default.capabilities(of: opaque).contains(.encodeAnimation)
    }

    /// All that makes a difference, as text.
    var key: String { "\(opaque.typeIdentifier),\(transparent.typeIdentifier)" }
}
