public import Raster

/// What one format lets be chosen beside what `EncodingOptions` has for all, such as `EncodingOptions.PNG`.
///
/// A format of your own has a type of its own, which `EncodingOptions` carries:
///
/// ```swift
/// var options = EncodingOptions(quality: 0.9)
/// options[GraymapOptions.self].isText = true
/// ```
public protocol FormatEncodingOptions: Hashable, Sendable {
    /// What holds where nothing was chosen.
    static var standard: Self { get }

    /// Checks what the format could not take. Called by `EncodingOptions.validate()`.
    /// - Throws: `invalidParameter` for a number outside the range that its documentation gives.
    func validate() throws(ImageError)
}

extension FormatEncodingOptions {
    /// Everything is valid.
    public func validate() throws(ImageError) {}
}

/// The options of single formats that differ from their standard ones.
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
            // Standard ones are left out, so that equal options are equal however they came about.
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
        // Whatever their order.
        hasher.combine(values.reduce(0) { $0 ^ $1.hashValue })
    }
}

extension FormatEncodingOptions {
    fileprivate func isEqual(to other: any FormatEncodingOptions) -> Bool { other as? Self == self }
}
