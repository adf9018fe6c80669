internal import Raster

/// One of a format's encoding options as people choose it on a command line: a word, what it takes, and what that sets.
///
/// Declared in a format's folder, as part of its `BuiltInFormat`. An option that several formats have is declared once and
/// listed by each.
package struct FormatOption: Sendable {
    /// The word, as in `webp-method`.
    package let name: String
    /// What stands for its value in help; nil for a switch, which takes none.
    package let valueName: String?
    /// What it chooses, in a sentence.
    package let help: String
    /// What holds where it isn't given, written as it would be given; nil where that is nothing.
    package let standard: String?
    /// Sets in `options` what `text` says; for a switch it says nothing.
    ///
    /// Throws `invalidParameter` for a text that is no value of this option, and for a value out of its range.
    package let set: @Sendable (_ text: String, _ options: inout EncodingOptions) throws(ImageError) -> Void

    /// What an option sets.
    typealias Path<Value> = any WritableKeyPath<EncodingOptions, Value> & Sendable

    /// - Parameter form: What to write where `parse` can make nothing of a text.
    private init<Value>(
        _ name: String, _ path: Path<Value>, valueName: String?, help: String, standard: String?, form: String,
        parse: @escaping @Sendable (String) -> Value?
    ) {
        self.name = name
        self.valueName = valueName
        self.help = help
        self.standard = standard
        set = { (text, options) throws(ImageError) in
            guard let value = parse(text) else { throw ImageError(.invalidParameter, "write \(form)") }
            options[keyPath: path] = value
            try options.validate()
        }
    }
}

extension FormatOption {
    /// A switch, which makes what is at `path` `value`.
    init(_ name: String, _ path: Path<Bool>, is value: Bool = true, help: String) {
        self.init(name, path, valueName: nil, help: help, standard: nil, form: "nothing", parse: { _ in value })
    }

    /// A whole number.
    init(_ name: String, _ path: Path<Int>, valueName: String = "number", help: String) {
        self.init(
            name, path, valueName: valueName, help: help, standard: "\(EncodingOptions()[keyPath: path])",
            form: "a whole number", parse: { Int($0) })
    }

    /// A value that may be left open, and is by default. `form` is what to write for it.
    init<Value: LosslessStringConvertible & Sendable>(
        _ name: String, _ path: Path<Value?>, valueName: String, help: String, form: String
    ) {
        self.init(
            name, path, valueName: valueName, help: help, standard: nil, form: form,
            parse: { text in Value(text).map { .some($0) } })
    }

    /// One of a few names. Case doesn't matter, and colons may be left out: `420` is `4:2:0`.
    init<Value: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String, _ path: Path<Value>, valueName: String = "name", help: String
    ) {
        let values = Array(Value.allCases)
        self.init(
            name, path, valueName: valueName, help: help, standard: EncodingOptions()[keyPath: path].rawValue,
            form: "one of \(values.map(\.rawValue).joined(separator: ", "))"
        ) { text in
            let text = text.lowercased().filter { $0 != ":" }
            return values.first { $0.rawValue.filter { $0 != ":" } == text }
        }
    }
}

extension FormatOption {
    /// The options that formats of this package declare, each with the formats that declare it.
    package static let builtIn: [(option: FormatOption, formats: [ImageFormat])] =
        CodecRegistry.builtInFormats.reduce(into: []) { list, folder in
            for option in folder.options {
                if let index = list.firstIndex(where: { $0.option.name == option.name }) {
                    list[index].formats += folder.formats
                } else {
                    list.append((option, folder.formats))
                }
            }
        }

    /// For formats with and without loss.
    static let lossless = FormatOption("lossless", \.isLossless, help: "keep every pixel as it is.")
}
