internal import ArgumentParser
internal import Tessera

/// The effects as options of a command, in the order in which they are applied: that of `EffectTable`.
///
/// An option that is given more than once is applied as often. `Size` is what `--size` means, which not all commands use
/// for an effect.
struct EffectArguments<Size: ViewSize>: ParsableArguments {
    // MARK: Geometry

    @Option(effect: "crop") var crop: [EffectCall] = []
    @Option(effect: "fit") var fit: [EffectCall] = []
    @Option(effect: "fill") var fill: [EffectCall] = []
    @Option(effect: "cover") var cover: [EffectCall] = []
    @Option(effect: "scale") var scale: [EffectCall] = []
    @OptionGroup var view: Size
    @Option(effect: "smart-crop") var smartCrop: [EffectCall] = []
    @Option(effect: "flip") var flip: [EffectCall] = []
    @Option(effect: "rotate") var rotate: [EffectCall] = []

    // MARK: Colours and layers

    @Flag(help: .effect("grayscale")) var grayscale: Int
    @Option(effect: "sepia") var sepia: [EffectCall] = []
    @Option(effect: "saturation") var saturation: [EffectCall] = []
    @Option(effect: "brightness") var brightness: [EffectCall] = []
    @Option(effect: "contrast") var contrast: [EffectCall] = []
    @Option(effect: "color-matrix") var colorMatrix: [EffectCall] = []
    @Option(effect: "tint") var tint: [EffectCall] = []
    @Option(effect: "sharpen") var sharpen: [EffectCall] = []
    @Option(effect: "blur") var blur: [EffectCall] = []
    @Option(effect: "overlay") var overlay: [EffectCall] = []
    @Option(effect: "mask") var mask: [EffectCall] = []
    @Option(effect: "invert-mask") var invertMask: [EffectCall] = []
    @Option(effect: "opacity") var opacity: [EffectCall] = []
    @Flag(help: .effect("mask-from-alpha")) var maskFromAlpha: Int

    // MARK: Shape and light

    @Flag(help: .effect("circle")) var circle: Int
    @Option(effect: "radius") var radius: [EffectCall] = []
    @Option(effect: "border") var border: [EffectCall] = []
    @Option(effect: "shadow") var shadow: [EffectCall] = []
    @Option(effect: "reflect") var reflect: [EffectCall] = []
    @Option(effect: "reflected") var reflected: [EffectCall] = []
    @Option(effect: "flatten") var flatten: [EffectCall] = []
}

extension EffectArguments {
    /// The effects that were given, those of one option in the order in which they were.
    private var given: [EffectCall] {
        let options = [
            crop, fit, fill, cover, scale, view.effects, smartCrop, flip, rotate, sepia, saturation, brightness,
            contrast, colorMatrix, tint, sharpen, blur, overlay, mask, invertMask, opacity, radius, border, shadow,
            reflect, reflected, flatten,
        ]
        let flags = [("grayscale", grayscale), ("mask-from-alpha", maskFromAlpha), ("circle", circle)]
        return options.flatMap { $0 } + flags.flatMap { EffectCall.flags($0, $1) }
    }

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

/// `--size` as `FXImageView` lays pictures out in its bounds.
struct ContentSize: ViewSize {
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Crop and scale to a view's size, as --content-mode and --pad say.", valueName: "WxH"),
        transform: EffectCall.reader("size"))
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

extension Option where Value == [EffectCall] {
    /// An option for the effect `name`, which may be given more than once.
    init(wrappedValue: [EffectCall], effect name: String) {
        let definition = EffectCall.definition(name)
        self.init(
            wrappedValue: wrappedValue, parsing: .unconditionalSingleValue,
            help: ArgumentHelp("\(definition.sentence)", valueName: definition.usage),
            transform: EffectCall.reader(name))
    }
}

extension EffectCall {
    /// The effect called `name`, which is in the table.
    static func definition(_ name: String) -> EffectDefinition {
        guard let definition = EffectTable[name] else { preconditionFailure("there is no effect \(name)") }
        return definition
    }

    /// A function that reads the values of the effect `name`.
    static func reader(_ name: String) -> @Sendable (String) throws -> EffectCall {
        { argument in
            do throws(ImageError) {
                return try definition(name).read(argument)
            } catch {
                throw ValidationError(error.message)
            }
        }
    }

    /// The effect `name`, which has no values, `count` times.
    static func flags(_ name: String, _ count: Int) -> [EffectCall] {
        (try? definition(name).read("")).map { Array(repeating: $0, count: count) } ?? []
    }
}

extension ArgumentHelp {
    /// What the effect `name` does.
    static func effect(_ name: String) -> ArgumentHelp { ArgumentHelp("\(EffectCall.definition(name).sentence)") }
}
