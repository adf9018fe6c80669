internal import ArgumentParser
internal import ImageEffects
internal import Tessera

/// The effects as options of a command, in the order in which they are applied: that of `EffectTable`.
///
/// An option that is given more than once is applied as often. `Size` is what `--size` means, which not all commands use
/// for an effect.
struct EffectArguments<Size: ViewSize>: ParsableArguments {
    /// The effects that were given, those of one option in the order in which they were.
    private var given: [EffectCall] = []

    init() {}

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: ArgumentKey.self)
        for definition in EffectTable.definitions {
            let key = ArgumentKey(stringValue: definition.name)
            if definition.name == Size.name {
                given += try values.decode(OptionGroup<Size>.self, forKey: key).wrappedValue.effects
            } else if definition.parameters.isEmpty {
                let count = try values.decode(Flag<Int>.self, forKey: key).wrappedValue
                given += Array(repeating: try definition.read(""), count: count)
            } else {
                given += try values.decode(Option<[EffectCall]>.self, forKey: key).wrappedValue
            }
        }
    }
}

extension EffectArguments: CustomReflectable {
    /// The effects, each as the property of a command would be: the argument parser learns of them by reflection.
    var customMirror: Mirror {
        Mirror(self, children: EffectTable.definitions.map { ($0.name, Self.argument($0)) })
    }

    private static func argument(_ definition: EffectDefinition) -> Any {
        guard definition.name != Size.name else { return OptionGroup<Size>() }
        let name = NameSpecification.customLong(definition.name)
        guard !definition.parameters.isEmpty else {
            return Flag<Int>(name: name, help: ArgumentHelp(stringLiteral: definition.sentence))
        }
        return Option<[EffectCall]>(
            wrappedValue: [], name: name, parsing: .unconditionalSingleValue,
            help: ArgumentHelp("\(definition.sentence)", valueName: definition.usage), transform: definition.argument)
    }
}

extension EffectArguments {
    /// Whether there is none.
    var isEmpty: Bool { given.isEmpty }

    /// The effects in the order of the help, as `FXImageView` would apply them.
    func chain(_ read: EffectCall.PictureReader) throws(ImageError) -> EffectChain {
        try EffectChain(ordering: given, read)
    }

    /// The effects in the order in which `arguments`, the whole command line, has them.
    func chain(orderedBy arguments: [String], _ read: EffectCall.PictureReader) throws -> EffectChain {
        var waiting = Dictionary(grouping: given) { "--\($0.definition.name)" }.mapValues { $0[...] }
        var effects: [any ImageEffect] = []
        var words = arguments.makeIterator()
        // An option of an effect takes the next word for its value, whatever it is; no other option takes one that
        // begins with a dash. So every word that looks like an option here is one.
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

/// What a command's option `--size` means among effects.
protocol ViewSize: ParsableArguments {
    /// The effects that it stands for.
    var effects: [EffectCall] { get }
}

extension ViewSize {
    /// What the option and the effect are called.
    static var name: String { "size" }
}

/// `--size` as `FXImageView` lays pictures out in its bounds.
struct ContentSize: ViewSize {
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Crop and scale to a view's size, as --content-mode and --pad say.", valueName: "WxH"),
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
        transform: { argument in
            guard let mode = ContentMode.allCases.first(where: { $0.rawValue.lowercased() == argument.lowercased() })
            else {
                throw ValidationError("write one of \(ContentMode.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            return mode
        })
    var contentMode: ContentMode?

    @Flag(help: "With --size: pad what the picture leaves free, so that the result always has that size.")
    var pad = false

    var effects: [EffectCall] {
        size.map { size in
            var size = size
            if let contentMode { size = size.with("mode", .word(contentMode.rawValue)) }
            return pad ? size.with("pad", .word("pad")) : size
        }
    }
}

/// Nothing: a command has an option of that name for something else, or none.
struct NoViewSize: ViewSize {
    var effects: [EffectCall] { [] }
}

extension EffectDefinition {
    /// The effect with the values of an option's argument.
    @Sendable fileprivate func argument(_ text: String) throws -> EffectCall {
        do throws(ImageError) {
            return try read(text)
        } catch {
            throw ValidationError(error.message)
        }
    }
}
