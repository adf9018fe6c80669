internal import Raster

/// A format's encoding option as it appears on a command line: a name, an optional value, and the setting it changes.
///
/// Declared in a format's folder as part of its `BuiltInFormat`. An option shared by several formats is declared once
/// and listed by each.
package struct FormatOption: Sendable {
    /// The option's name, such as `webp-method`.
    package let name: String
    /// The placeholder for its value in help text; nil for a switch, which takes no value.
    package let valueName: String?
    /// A sentence of help text.
    package let help: String
    /// The default value as it would be typed; nil if there is none.
    package let standard: String?
    /// The values, if they are names; else empty.
    package let choices: [String]
    /// Sets the value parsed from `text` in `options`; a switch ignores `text`.
    ///
    /// Throws `invalidParameter` for text that isn't a value of this option, and for a value out of range.
    package let set: @Sendable (_ text: String, _ options: inout EncodingOptions) throws(ImageError) -> Void

    /// The path to the setting that an option changes.
    typealias Path<Value> = any WritableKeyPath<EncodingOptions, Value> & Sendable

    /// - Parameter form: A description of valid values, for the error message if `parse` returns nil.
    private init<Value>(
        _ name: String, _ path: Path<Value>, valueName: String?, help: String, standard: String?, form: String,
        choices: [String] = [], parse: @escaping @Sendable (String) -> Value?
    ) {
        self.name = name
        self.valueName = valueName
        self.help = help
        self.standard = standard
        self.choices = choices
        set = { (text, options) throws(ImageError) in
            guard let value = parse(text) else { throw ImageError(.invalidParameter, "write \(form)") }
            options[keyPath: path] = value
            try options.validate()
        }
    }
}

extension FormatOption {
    /// A switch that sets `path` to `value`.
    init(_ name: String, _ path: Path<Bool>, is value: Bool = true, help: String) {
        self.init(name, path, valueName: nil, help: help, standard: nil, form: "nothing", parse: { _ in value })
    }

    /// A whole number.
    init(_ name: String, _ path: Path<Int>, valueName: String = "number", help: String) {
        self.init(
            name, path, valueName: valueName, help: help, standard: "\(EncodingOptions()[keyPath: path])",
            form: "a whole number", parse: { Int($0) })
    }

    /// An optional value, nil by default. `form` describes valid values.
    init<Value: LosslessStringConvertible & Sendable>(
        _ name: String, _ path: Path<Value?>, valueName: String, help: String, form: String
    ) {
        self.init(
            name, path, valueName: valueName, help: help, standard: nil, form: form,
            parse: { text in Value(text).map { .some($0) } })
    }

    /// One of several names. Case is ignored, and colons may be omitted: `420` is `4:2:0`.
    init<Value: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String, _ path: Path<Value>, valueName: String = "name", help: String
    ) {
        let values = Array(Value.allCases)
        self.init(
            name, path, valueName: valueName, help: help, standard: EncodingOptions()[keyPath: path].rawValue,
            form: "one of \(values.map(\.rawValue).joined(separator: ", "))", choices: values.map(\.rawValue)
        ) { text in
            let text = text.lowercased().filter { $0 != ":" }
            return values.first { $0.rawValue.filter { $0 != ":" } == text }
        }
    }
}

extension FormatOption {
    /// All options of the built-in formats, each with the formats that declare it.
    package static let builtIn: [(option: FormatOption, formats: [ImageFormat])] =
        CodecRegistry.builtInFormats.reduce(into: []) { list, folder in
            for option in folder.options() {
                if let index = list.firstIndex(where: { $0.option.name == option.name }) {
                    list[index].formats += folder.formats
                } else {
                    list.append((option, folder.formats))
                }
            }
        }

    /// Returns the option with a name; if the format is known, its own is found without making those of the others.
    package static func named(_ name: some StringProtocol, for format: ImageFormat?) -> FormatOption? {
        let folder = format.flatMap { format in
            CodecRegistry.builtInFormats.first { $0.formats.contains(format) }
        }
        return folder?.options().first { $0.name == name } ?? builtIn.first { $0.option.name == name }?.option
    }

    /// For formats that offer both lossy and lossless compression.
    package static let lossless = FormatOption("lossless", \.isLossless, help: "lossless compression.")
}
