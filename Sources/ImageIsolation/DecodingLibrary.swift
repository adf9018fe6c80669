package import ImageFormats

/// The library that a worker loads before it confines itself; afterwards nothing can be loaded. Formats declare it.
package struct DecodingLibrary: RawRepresentable, Hashable, Sendable {
    /// The first argument of the worker.
    package let rawValue: String

    /// The value for formats that need no other library than those linked.
    private static let linked = "linked"

    /// The library named `rawValue`; nil if no format uses it.
    package init?(rawValue: String) {
        guard rawValue == Self.linked || ImageFormat.all.contains(where: { $0.library == rawValue }) else {
            return nil
        }
        self.rawValue = rawValue
    }

    /// The library that `format` uses.
    package init(for format: ImageFormat) { rawValue = format.library ?? Self.linked }

    /// A format that uses the library; nil for linked libraries.
    package var format: ImageFormat? { ImageFormat.all.first { $0.library == rawValue } }
}
