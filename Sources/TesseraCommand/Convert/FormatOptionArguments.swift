internal import ImageFormats
internal import ArgumentParser
internal import Tessera

/// The options that single formats declare, as options of a command.
struct FormatOptionArguments: ParsableArguments {
    /// The options given, with their formats and text, in the order of their declaration.
    private var given: [(option: FormatOption, formats: [ImageFormat], text: String)] = []

    init() {}

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: ArgumentKey.self)
        for (option, formats) in FormatOption.builtIn {
            let key = ArgumentKey(stringValue: option.name)
            if option.valueName == nil {
                if try values.decode(Flag<Bool>.self, forKey: key).wrappedValue { given.append((option, formats, "")) }
            } else if let text = try values.decode(Option<String?>.self, forKey: key).wrappedValue {
                given.append((option, formats, text))
            }
        }
    }

    /// Checks that each option given has an effect on at least one of the outputs' formats.
    ///
    /// `--lossless` is accepted for every format that can keep pixels as they are, with or without an option for it.
    /// - Throws: `ValidationError` with the formats that have the option.
    func check(outputs: Set<ImageFormat>) throws {
        guard !outputs.isEmpty else { return }
        for (option, formats, _) in given where option.name != FormatOption.lossless.name {
            guard outputs.isDisjoint(with: formats) else { continue }
            let names = outputs.map(\.name).sorted().joined(separator: ", ")
            throw ValidationError(
                "--\(option.name) has no effect on \(names); it is an option for "
                    + formats.map(\.name).joined(separator: ", "))
        }
    }

    /// Sets the given options in `options`.
    func applied(to options: EncodingOptions) -> EncodingOptions {
        given.reduce(into: options) { options, choice in
            // The text was validated when the arguments were parsed.
            try? choice.option.set(choice.text, &options)
        }
    }
}

extension FormatOptionArguments: CustomReflectable {
    /// Presents each option as a command's property: the argument parser finds options by reflection.
    var customMirror: Mirror {
        Mirror(
            self,
            children: FormatOption.builtIn.map { option, formats in (option.name, Self.argument(option, formats)) })
    }

    private static func argument(_ option: FormatOption, _ formats: [ImageFormat]) -> Any {
        let help = "\(formats.map(\.name).joined(separator: ", ")): \(option.help)"
        guard let valueName = option.valueName else {
            return Flag(wrappedValue: false, name: .customLong(option.name), help: ArgumentHelp(stringLiteral: help))
        }
        let standard = option.standard.map { " (default: \($0))" } ?? ""
        return Option<String?>(
            name: .customLong(option.name), help: ArgumentHelp(help + standard, valueName: valueName),
            completion: option.choices.isEmpty ? nil : .list(option.choices)
        ) { text in
            var options = EncodingOptions()
            try option.set(text, &options)
            return text
        }
    }
}
