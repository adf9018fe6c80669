internal import ArgumentParser
internal import ImageEffects
internal import Tessera

/// The effects as options of a command, applied in the order of `EffectTable`.
///
/// An option given several times is applied several times. `Size` gives `--size` its meaning, which isn't an effect in
/// every command.
struct EffectArguments<Size: ViewSize>: ParsableArguments {
    /// The effects on the command line; those of one option are in the order given.
    private var given: [EffectCall] = []

    init() {}

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: ArgumentKey.self)
        var text = TextArguments()
        for definition in EffectTable.definitions {
            let key = ArgumentKey(stringValue: definition.name)
            if definition.name == Size.name {
                given += try values.decode(OptionGroup<Size>.self, forKey: key).wrappedValue.effects
            } else if definition.name == TextArguments.name {
                text = try values.decode(OptionGroup<TextArguments>.self, forKey: key).wrappedValue
                given += text.effects
            } else if definition.parameters.isEmpty {
                let count = try values.decode(Flag<Int>.self, forKey: key).wrappedValue
                given += Array(repeating: try definition.read(""), count: count)
            } else {
                given += try values.decode(Option<[EffectCall]>.self, forKey: key).wrappedValue
            }
        }
        given = text.placed(given)
    }
}

extension EffectArguments: CustomReflectable {
    /// Presents each effect as a command's property: the argument parser finds options by reflection.
    var customMirror: Mirror {
        Mirror(self, children: EffectTable.definitions.map { ($0.name, Self.argument($0)) })
    }

    private static func argument(_ definition: EffectDefinition) -> Any {
        guard definition.name != Size.name else { return OptionGroup<Size>() }
        guard definition.name != TextArguments.name else { return OptionGroup<TextArguments>() }
        let name = NameSpecification.customLong(definition.name)
        guard !definition.parameters.isEmpty else {
            return Flag<Int>(name: name, help: ArgumentHelp(stringLiteral: definition.sentence))
        }
        return Option<[EffectCall]>(
            wrappedValue: [], name: name, parsing: .unconditionalSingleValue,
            help: ArgumentHelp("\(definition.sentence)", valueName: definition.usage),
            completion: definition.completion, transform: definition.argument)
    }
}

extension EffectArguments {
    /// Whether no effects were given.
    var isEmpty: Bool { given.isEmpty }

    /// The effects in the order of the help, which is how `FXImageView` applies them.
    func chain(_ read: EffectCall.PictureReader) throws(ImageError) -> EffectChain {
        try EffectChain(ordering: given, read)
    }

    /// The effects in the order of `arguments`, the whole command line.
    func chain(orderedBy arguments: [String], _ read: EffectCall.PictureReader) throws -> EffectChain {
        var waiting = Dictionary(grouping: given) { "--\($0.definition.name)" }.mapValues { $0[...] }
        var effects: [any ImageEffect] = []
        var words = arguments.makeIterator()
        // An option of an effect takes the next word as its value, whatever it is; no other option takes a word that
        // begins with a dash. So every word here that looks like an option is one.
        while let word = words.next(), word != "--" {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first.map(String.init), let effect = waiting[name]?.popFirst() else { continue }
            effects.append(try effect.effect(read))
            if !effect.definition.parameters.isEmpty, parts.count == 1 { _ = words.next() }
        }
        guard waiting.values.allSatisfy(\.isEmpty) else {
            throw CommandFailure("the order of the effects can't be told from the arguments; use --recipe")
        }
        return EffectChain(effects)
    }
}

/// The meaning of a command's `--size` option among effects.
protocol ViewSize: ParsableArguments {
    /// The effects that `--size` adds.
    var effects: [EffectCall] { get }
}

extension ViewSize {
    /// The name of the option and of the effect.
    static var name: String { "size" }
}

/// `--size` as the bounds in which `FXImageView` lays out an image.
struct ContentSize: ViewSize {
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Lay out the picture in a view of this size, according to --content-mode and --pad.", valueName: "WxH"),
        transform: { argument in
            guard let size = EffectTable[name] else { preconditionFailure("there is no effect \(name)") }
            return try size.argument(argument)
        })
    var size: [EffectCall] = []

    @Option(
        help: ArgumentHelp(
            "How --size lays out the picture: \(ContentMode.allCases.map(\.rawValue).joined(separator: ", ")). "
                + "Default: aspectFit.",
            valueName: "mode"),
        completion: .list(ContentMode.allCases.map(\.rawValue)),
        transform: { argument in
            guard let mode = ContentMode.allCases.first(where: { $0.rawValue.lowercased() == argument.lowercased() })
            else {
                throw ValidationError("write one of \(ContentMode.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            return mode
        })
    var contentMode: ContentMode?

    @Flag(help: "With --size: pad the result to that size.")
    var pad = false

    var effects: [EffectCall] {
        size.map { size in
            var size = size
            if let contentMode { size = size.with("mode", .word(contentMode.rawValue)) }
            return pad ? size.with("pad", .word("pad")) : size
        }
    }
}

/// No effects: the command has no `--size`, or uses it for something else.
struct NoViewSize: ViewSize {
    var effects: [EffectCall] { [] }
}

extension EffectDefinition {
    /// Completes the value of an effect that takes a word or a file.
    fileprivate var completion: CompletionKind? {
        switch parameters.first?.kind {
        case .word(let words): .list(words)
        case .picture: .file()
        default: nil
        }
    }

    /// Parses an option's argument as the values of the effect.
    @Sendable func argument(_ text: String) throws -> EffectCall {
        do throws(ImageError) {
            return try read(text)
        } catch {
            throw ValidationError(error.message)
        }
    }
}
