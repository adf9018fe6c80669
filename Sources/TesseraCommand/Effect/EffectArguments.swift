internal import ArgumentParser
internal import ImageEffects
internal import Tessera

/// The effects as options of a command, in the order in which they are applied: that of `EffectTable`.
///
/// An option that is given more than once is applied as often. `Size` is what `--size` means, which not all commands use
/// for an effect.
struct EffectArguments<Size: ViewSize>: ParsableArguments {
    // MARK: Geometry

    @Option(effect: "crop") var crop: [WrittenEffect] = []
    @Option(effect: "fit") var fit: [WrittenEffect] = []
    @Option(effect: "fill") var fill: [WrittenEffect] = []
    @Option(effect: "cover") var cover: [WrittenEffect] = []
    @Option(effect: "scale") var scale: [WrittenEffect] = []
    @OptionGroup var view: Size
    @Option(effect: "smart-crop") var smartCrop: [WrittenEffect] = []
    @Option(effect: "flip") var flip: [WrittenEffect] = []
    @Option(effect: "rotate") var rotate: [WrittenEffect] = []

    // MARK: Colours and layers

    @Flag(help: .effect("grayscale")) var grayscale: Int
    @Option(effect: "sepia") var sepia: [WrittenEffect] = []
    @Option(effect: "saturation") var saturation: [WrittenEffect] = []
    @Option(effect: "brightness") var brightness: [WrittenEffect] = []
    @Option(effect: "contrast") var contrast: [WrittenEffect] = []
    @Option(effect: "color-matrix") var colorMatrix: [WrittenEffect] = []
    @Option(effect: "tint") var tint: [WrittenEffect] = []
    @Option(effect: "sharpen") var sharpen: [WrittenEffect] = []
    @Option(effect: "blur") var blur: [WrittenEffect] = []
    @Option(effect: "overlay") var overlay: [WrittenEffect] = []
    @Option(effect: "mask") var mask: [WrittenEffect] = []
    @Option(effect: "invert-mask") var invertMask: [WrittenEffect] = []
    @Option(effect: "opacity") var opacity: [WrittenEffect] = []
    @Flag(help: .effect("mask-from-alpha")) var maskFromAlpha: Int

    // MARK: Shape and light

    @Flag(help: .effect("circle")) var circle: Int
    @Option(effect: "radius") var radius: [WrittenEffect] = []
    @Option(effect: "border") var border: [WrittenEffect] = []
    @Option(effect: "shadow") var shadow: [WrittenEffect] = []
    @Option(effect: "reflect") var reflect: [WrittenEffect] = []
    @Option(effect: "reflected") var reflected: [WrittenEffect] = []
    @Option(effect: "flatten") var flatten: [WrittenEffect] = []
}

extension EffectArguments {
    /// The effects that were given, those of one option in the order in which they were.
    private var given: [WrittenEffect] {
        let options = [
            crop, fit, fill, cover, scale, view.effects, smartCrop, flip, rotate, sepia, saturation, brightness,
            contrast, colorMatrix, tint, sharpen, blur, overlay, mask, invertMask, opacity, radius, border, shadow,
            reflect, reflected, flatten,
        ]
        let flags = [("grayscale", grayscale), ("mask-from-alpha", maskFromAlpha), ("circle", circle)]
        return options.flatMap { $0 } + flags.flatMap { WrittenEffect.flags($0, $1) }
    }

    /// Whether there is none.
    var isEmpty: Bool { given.isEmpty }

    /// The effects in the order of the help, as `FXImageView` would apply them.
    func chain(_ read: WrittenEffect.PictureReader) throws(ImageError) -> EffectChain {
        try EffectChain(ordering: given, read)
    }

    /// The effects in the order in which `arguments`, the whole command line, has them.
    func chain(orderedBy arguments: [String], _ read: WrittenEffect.PictureReader) throws -> EffectChain {
        var waiting = Dictionary(grouping: given) { "--\($0.form.name)" }.mapValues { $0[...] }
        var effects: [any ImageEffect] = []
        var words = arguments.makeIterator()
        // An option of an effect takes the next word for its value, whatever it is; no other option takes one that
        // begins with a dash. So every word that looks like an option here is one.
        while let word = words.next(), word != "--" {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first.map(String.init), let effect = waiting[name]?.popFirst() else { continue }
            effects.append(try effect.effect(read))
            if !effect.form.parameters.isEmpty, parts.count == 1 { _ = words.next() }
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
    var effects: [WrittenEffect] { get }
}

/// `--size` as `FXImageView` lays pictures out in its bounds.
struct ContentSize: ViewSize {
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Crop and scale to a view's size, as --content-mode and --pad say.", valueName: "WxH"),
        transform: WrittenEffect.reader("size"))
    var size: [WrittenEffect] = []

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

    var effects: [WrittenEffect] {
        size.map { size in
            var size = size
            if let contentMode { size = size.with("mode", .word(contentMode.rawValue)) }
            return pad ? size.with("pad", .word("pad")) : size
        }
    }
}

/// Nothing: a command has an option of that name for something else, or none.
struct NoViewSize: ViewSize {
    var effects: [WrittenEffect] { [] }
}

extension Option where Value == [WrittenEffect] {
    /// An option for the effect `name`, which may be given more than once.
    init(wrappedValue: [WrittenEffect], effect name: String) {
        let form = WrittenEffect.form(name)
        self.init(
            wrappedValue: wrappedValue, parsing: .unconditionalSingleValue,
            help: ArgumentHelp("\(form.sentence)", valueName: form.usage), transform: WrittenEffect.reader(name))
    }
}

extension WrittenEffect {
    /// The form called `name`, which is in the table.
    static func form(_ name: String) -> EffectForm {
        guard let form = EffectTable[name] else { preconditionFailure("there is no effect \(name)") }
        return form
    }

    /// A function that reads the values of the effect `name`.
    static func reader(_ name: String) -> @Sendable (String) throws -> WrittenEffect {
        { argument in
            do throws(ImageError) {
                return try form(name).read(argument)
            } catch {
                throw ValidationError(error.message)
            }
        }
    }

    /// The effect `name`, which has no values, `count` times.
    static func flags(_ name: String, _ count: Int) -> [WrittenEffect] {
        (try? form(name).read("")).map { Array(repeating: $0, count: count) } ?? []
    }
}

extension ArgumentHelp {
    /// What the effect `name` does.
    static func effect(_ name: String) -> ArgumentHelp { ArgumentHelp("\(WrittenEffect.form(name).sentence)") }
}
