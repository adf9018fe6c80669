internal import ArgumentParser
internal import Tessera

/// The effects as options of a command, in the order in which they are applied.
///
/// An option that is given more than once is applied as often. `Size` is what `--size` means, which not all commands use
/// for an effect.
struct EffectArguments<Size: ViewSize>: ParsableArguments {
    // MARK: Geometry

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Cut out a rectangle. Where it reaches beyond the picture, it is transparent, or ,clamped or ,intersected.",
            valueName: "x,y,w,h"),
        transform: EffectArgument.crop)
    var crop: [EffectArgument] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Scale up or down to fit within a size.", valueName: "WxH"),
        transform: EffectArgument.sized { .scaleToFit(width: $0, height: $1) })
    var fit: [EffectArgument] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Scale up or down to fill a size, and cut off what is more, centred.", valueName: "WxH"),
        transform: EffectArgument.sized { .scaleToFill(width: $0, height: $1) })
    var fill: [EffectArgument] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Scale up or down to cover a size, and keep what is more.", valueName: "WxH"),
        transform: EffectArgument.sized { .cover(width: $0, height: $1) })
    var cover: [EffectArgument] = []

    @Option(
        parsing: .unconditionalSingleValue, help: ArgumentHelp("Stretch to a size.", valueName: "WxH"),
        transform: EffectArgument.sized { .scale(width: $0, height: $1) })
    var scale: [EffectArgument] = []

    @OptionGroup var view: Size

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Scale to cover a size and cut out where most is to be seen; ,entropy looks for detail alone.",
            valueName: "WxH"),
        transform: EffectArgument.smartCrop)
    var smartCrop: [EffectArgument] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Mirror: horizontal (left and right) or vertical.", valueName: "axis"),
        transform: EffectArgument.flip)
    var flip: [EffectArgument] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Turn clockwise, on a canvas that holds all of it.", valueName: "degrees"),
        transform: EffectArgument.number { .rotate(degrees: $0) })
    var rotate: [EffectArgument] = []

    // MARK: Colours and layers

    @Flag(help: "Take the colour out.")
    var grayscale: Int

    @Option(
        parsing: .unconditionalSingleValue, help: ArgumentHelp("Brown as an old print, 0 to 1.", valueName: "amount"),
        transform: EffectArgument.number { .sepia($0) })
    var sepia: [EffectArgument] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Multiply how colourful it is: 0 is grey, 1 as before.", valueName: "factor"),
        transform: EffectArgument.number { .saturation($0) })
    var saturation: [EffectArgument] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Multiply colours: 0 is black, 1 as before.", valueName: "factor"),
        transform: EffectArgument.number { .brightness($0) })
    var brightness: [EffectArgument] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Multiply the distance from middle grey: 0 is grey, 1 as before.", valueName: "factor"),
        transform: EffectArgument.number { .contrast($0) })
    var contrast: [EffectArgument] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Make red, green, blue and alpha of those there were, and a constant: four rows of five.",
            valueName: "20 numbers"),
        transform: EffectArgument.colorMatrix)
    var colorMatrix: [EffectArgument] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Lay a colour over it, by a blend mode: \(BlendMode.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "#rrggbbaa,mode"),
        transform: EffectArgument.tint)
    var tint: [EffectArgument] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Sharpen by an amount, and a radius (1 unless given).", valueName: "amount,radius"),
        transform: EffectArgument.sharpen)
    var sharpen: [EffectArgument] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Blur by a Gaussian with this standard deviation.", valueName: "radius"),
        transform: EffectArgument.number { .blur(radius: $0) })
    var blur: [EffectArgument] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Lay a picture over it, at its own size or ,WxH, as opaque as ,0.5 says, by a blend mode.",
            valueName: "file,x,y"),
        transform: EffectArgument.overlay)
    var overlay: [EffectArgument] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Keep what a grey picture, stretched over it, has white.", valueName: "file"),
        transform: EffectArgument.mask)
    var mask: [EffectArgument] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Keep what a grey picture, stretched over it, has black.", valueName: "file"),
        transform: EffectArgument.invertedMask)
    var invertMask: [EffectArgument] = []

    @Option(
        parsing: .unconditionalSingleValue, help: ArgumentHelp("Multiply alpha, 0 to 1.", valueName: "alpha"),
        transform: EffectArgument.number { .opacity($0) })
    var opacity: [EffectArgument] = []

    @Flag(help: "Make a grey picture of the alpha, for use as a mask.")
    var maskFromAlpha: Int

    // MARK: Shape and light

    @Flag(help: "Cut out the disc in the middle.")
    var circle: Int

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Round the corners; four radii count clockwise from the top left.", valueName: "radius"),
        transform: EffectArgument.radius)
    var radius: [EffectArgument] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Draw a line inside the edge. Its corners are those of --radius or --circle, or of a third value.",
            valueName: "width,#rrggbb"),
        transform: EffectArgument.border)
    var border: [EffectArgument] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Drop a shadow, black unless ,#rrggbbaa says otherwise; ,threeSigma makes room for all of it.",
            valueName: "x,y,blur"),
        transform: EffectArgument.shadow)
    var shadow: [EffectArgument] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Reflect this part of the height below it, after a gap (0) and with an opacity (1).",
            valueName: "scale,gap,alpha"),
        transform: EffectArgument.reflect)
    var reflect: [EffectArgument] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Make the reflection alone.", valueName: "scale"),
        transform: EffectArgument.number { .reflected(scale: $0) })
    var reflected: [EffectArgument] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Lay it on a colour, so that nothing is transparent.", valueName: "#rrggbb"),
        transform: EffectArgument.flatten)
    var flatten: [EffectArgument] = []
}

extension EffectArguments {
    /// The options that were given, those applied first at first.
    private var groups: [(name: String, takesValue: Bool, arguments: [EffectArgument])] {
        func flag(_ count: Int, _ effect: any ImageEffect) -> [EffectArgument] {
            (0..<count).map { _ in EffectArgument(effect) }
        }
        return [
            ("crop", true, crop), ("fit", true, fit), ("fill", true, fill), ("cover", true, cover),
            ("scale", true, scale), ("size", true, view.arguments), ("smart-crop", true, smartCrop),
            ("flip", true, flip),
            ("rotate", true, rotate), ("grayscale", false, flag(grayscale, .grayscale)), ("sepia", true, sepia),
            ("saturation", true, saturation), ("brightness", true, brightness), ("contrast", true, contrast),
            ("color-matrix", true, colorMatrix), ("tint", true, tint), ("sharpen", true, sharpen),
            ("blur", true, blur), ("overlay", true, overlay), ("mask", true, mask), ("invert-mask", true, invertMask),
            ("opacity", true, opacity), ("mask-from-alpha", false, flag(maskFromAlpha, .maskFromAlpha)),
            ("circle", false, flag(circle, .circle)), ("radius", true, radius), ("border", true, border),
            ("shadow", true, shadow), ("reflect", true, reflect), ("reflected", true, reflected),
            ("flatten", true, flatten),
        ].filter { !$0.2.isEmpty }
    }

    /// Whether there is none.
    var isEmpty: Bool { groups.isEmpty }

    /// The effects in the order of the help, as `FXImageView` would apply them: a shadow that can't be seen is left out,
    /// and with one the gap of a reflection is what is seen of it. A border follows the corners that are cut before it.
    func chain(_ read: EffectArgument.PictureReader) throws(ImageError) -> EffectChain {
        var effects: [any ImageEffect] = []
        var corners = 0.0
        var shadow: Effects.Shadow?
        for argument in groups.flatMap(\.arguments) {
            switch try argument.effect(read) {
            case let corner as Effects.CornerRadius:
                if Set([corner.topLeft, corner.topRight, corner.bottomLeft, corner.bottomRight]).count == 1 {
                    corners = corner.topLeft
                }
                effects.append(corner)
            case let circle as Effects.Circle:
                corners = Self.circleRadius
                effects.append(circle)
            case var border as Effects.Border:
                if border.radius == 0 { border.radius = corners }
                effects.append(border)
            case let cast as Effects.Shadow:
                guard cast.isVisible else { continue }
                shadow = cast
                effects.append(cast)
            case let reflection as Effects.Reflection:
                effects.append(shadow.map { reflection.below($0) } ?? reflection)
            case let effect:
                effects.append(effect)
            }
        }
        return EffectChain(effects)
    }

    /// More than half of any picture's side, which makes a border round.
    private static var circleRadius: Double { 1e6 }

    /// The effects in the order in which `arguments`, the whole command line, has them.
    func chain(orderedBy arguments: [String], _ read: EffectArgument.PictureReader) throws -> EffectChain {
        var waiting: [String: (takesValue: Bool, arguments: ArraySlice<EffectArgument>)] = [:]
        for group in groups { waiting["--\(group.name)"] = (group.takesValue, group.arguments[...]) }
        var effects: [any ImageEffect] = []
        var words = arguments.makeIterator()
        // An option of an effect takes the next word for its value, whatever it is; no other option takes one that
        // begins with a dash. So every word that looks like an option here is one.
        while let word = words.next(), word != "--" {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first.map(String.init), let option = waiting[name],
                let argument = option.arguments.first
            else { continue }
            waiting[name] = (option.takesValue, option.arguments.dropFirst())
            effects.append(try argument.effect(read))
            if option.takesValue, parts.count == 1 { _ = words.next() }
        }
        guard waiting.values.allSatisfy(\.arguments.isEmpty) else {
            throw CommandFailure("the order of the effects can't be told from the arguments; use --recipe")
        }
        return EffectChain(effects)
    }
}
