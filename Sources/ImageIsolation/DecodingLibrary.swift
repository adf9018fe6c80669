package import ImageFormats

/// The library that a worker loads before it confines itself, as nothing can be loaded afterwards. Formats declare it.
package struct DecodingLibrary: RawRepresentable, Hashable, Sendable {
    /// What the worker's first argument says.
    package let rawValue: String

    /// None: what is linked is enough.
    private static let linked = "linked"

    /// The library of that name; nil where no format takes it.
    package init?(rawValue: String) {
        guard rawValue == Self.linked || ImageFormat.all.contains(where: { $0.library == rawValue }) else {
            return nil
        }
        self.rawValue = rawValue
    }

    /// The library that `format` takes.
    package init(for format: ImageFormat) { rawValue = format.library ?? Self.linked }

    /// A format that takes it.
    package var format: ImageFormat? { ImageFormat.all.first { $0.library == rawValue } }
}
