internal import ImageFormats
internal import ArgumentParser
internal import Tessera

/// What single formats let be chosen, as options of a command: those that the formats declare.
struct FormatOptionArguments: ParsableArguments {
    /// What was given of each, in the order in which they are declared.
    private var given: [(option: FormatOption, text: String)] = []

    init() {}

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: ArgumentKey.self)
        for (option, _) in FormatOption.builtIn {
            let key = ArgumentKey(stringValue: option.name)
            if option.valueName == nil {
                if try values.decode(Flag<Bool>.self, forKey: key).wrappedValue { given.append((option, "")) }
            } else if let text = try values.decode(Option<String?>.self, forKey: key).wrappedValue {
                given.append((option, text))
            }
        }
    }

    /// `options` with what was given.
    func applied(to options: EncodingOptions) -> EncodingOptions {
        given.reduce(into: options) { options, choice in
            // It was tried when the arguments were read.
            try? choice.option.set(choice.text, &options)
        }
    }
}

extension FormatOptionArguments: CustomReflectable {
    /// The options, each as the property of a command would be: the argument parser learns of them by reflection.
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
            name: .customLong(option.name), help: ArgumentHelp(help + standard, valueName: valueName)
        ) { text in
            var options = EncodingOptions()
            try option.set(text, &options)
            return text
        }
    }
}
