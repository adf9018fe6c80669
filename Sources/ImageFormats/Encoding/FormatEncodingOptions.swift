public import Raster

/// Options specific to one format, in addition to those of `EncodingOptions`. An example is `EncodingOptions.PNG`.
///
/// A custom format defines its own type, which `EncodingOptions` carries:
///
/// ```swift
/// var options = EncodingOptions(quality: 0.9)
/// options[FarbfeldOptions.self].isOpaque = true
/// ```
public protocol FormatEncodingOptions: Hashable, Sendable {
    /// The default options.
    static var standard: Self { get }

    /// Checks for values that the format doesn't accept. Called by `EncodingOptions.validate()`.
    /// - Throws: `invalidParameter` for a number outside its documented range.
    func validate() throws(ImageError)
}

extension FormatEncodingOptions {
    /// Accepts all values.
    public func validate() throws(ImageError) {}
}

/// The options of individual formats that differ from their defaults.
struct FormatOptionValues: Hashable, Sendable {
    private var values: [any FormatEncodingOptions] = []

    subscript<Options: FormatEncodingOptions>(_ type: Options.Type) -> Options {
        get {
            for value in values {
                if let value = value as? Options { return value }
            }
            return Options.standard
        }
        set {
            values.removeAll { $0 is Options }
            // Defaults are omitted, so equal options compare equal regardless of how they were set.
            if newValue != Options.standard { values.append(newValue) }
        }
    }

    func validate() throws(ImageError) {
        for value in values { try value.validate() }
    }

    static func == (a: FormatOptionValues, b: FormatOptionValues) -> Bool {
        a.values.count == b.values.count && a.values.allSatisfy { value in b.values.contains { value.isEqual(to: $0) } }
    }

    func hash(into hasher: inout Hasher) {
        // Independent of the values' order.
        hasher.combine(values.reduce(0) { $0 ^ $1.hashValue })
    }
}

extension FormatEncodingOptions {
    fileprivate func isEqual(to other: any FormatEncodingOptions) -> Bool { other as? Self == self }
}
