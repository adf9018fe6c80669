internal import ArgumentParser
internal import ImageEffects
internal import Tessera

/// `--text` and its style, and the gravity of all effects that have one.
struct TextArguments: ParsableArguments {
    /// The name of the option and of the effect.
    static let name = "text"

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Write text over it, reduced to the picture's size if it is larger.", valueName: "text"),
        transform: { text in
            guard let definition = EffectTable[name] else { preconditionFailure("there is no effect \(name)") }
            return try definition.argument(text)
        })
    var text: [EffectCall] = []

    @Option(
        help: ArgumentHelp(
            "The font of --text: a family, Bold and Italic, and a size, as in 'DejaVu Serif Bold 32'. (default: "
                + "\(Lettering("").font) \(Int(Lettering("").size)))",
            valueName: "font"),
        transform: { argument in
            guard let font = FontArgument(argument) else {
                throw ValidationError("write a font's family and size, as in 'DejaVu Serif Bold 32'")
            }
            return font
        })
    var font: FontArgument?

    @Option(
        help: ArgumentHelp("The colour of --text. (default: white)", valueName: "color"),
        completion: CSSColor.completion, transform: CSSColor.parse)
    var textColor: RGBA8?

    @Option(
        help: ArgumentHelp(
            "Wrap the lines of --text at this width. Default: lines are as given.", valueName: "length"),
        transform: { argument in
            guard let width = Double(argument), width >= 1, width <= 100_000 else {
                throw ValidationError("write a width of at least 1, as in 400")
            }
            return width
        })
    var textWidth: Double?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The distance of --text from the edges that --gravity names. (default: 0,0)", valueName: "x,y"),
        transform: { argument in
            let numbers = argument.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
            guard numbers.count == 2, let x = numbers[0], let y = numbers[1], x.isFinite, y.isFinite else {
                throw ValidationError("write two distances, as in 10,20")
            }
            return TextOffset(x: x, y: y)
        })
    var textOffset: TextOffset?

    @Option(
        help: ArgumentHelp(
            "The corner, side or middle from which places in --text, --overlay, --crop and --extend count. Default: south "
                + "for text, center for --extend, else northwest.",
            valueName: "gravity"))
    var gravity: GravityArgument?

    func validate() throws {
        guard !text.isEmpty || font == nil && textColor == nil && textOffset == nil && textWidth == nil else {
            throw ValidationError(
                "--font, --text-color, --text-width and --text-offset describe --text; add --text TEXT")
        }
    }

    /// The texts with their style.
    var effects: [EffectCall] {
        text.map { text in
            var text = text
            if let textOffset { text = text.with("x", .number(textOffset.x)).with("y", .number(textOffset.y)) }
            if let font {
                if !font.family.isEmpty { text = text.with("font", .text(font.family)) }
                if let size = font.size { text = text.with("size", .number(size)) }
            }
            if let textWidth { text = text.with("width", .number(textWidth)) }
            if let textColor { text = text.with("color", .color(textColor)) }
            return text
        }
    }

    /// Sets the gravity of effects that have one and don't name it themselves.
    func placed(_ effects: [EffectCall]) -> [EffectCall] {
        guard let gravity else { return effects }
        return effects.map { effect in
            let hasGravity =
                effect.definition.name == Self.name || effect.definition.parameters.contains { $0.name == "gravity" }
            return hasGravity && effect.values["gravity"] == nil
                ? effect.with("gravity", .word(gravity.rawValue)) : effect
        }
    }
}

/// A distance on the command line, in units of length.
struct TextOffset: Sendable {
    let x: Double
    let y: Double
}

/// A gravity by its name on the command line.
enum GravityArgument: String, ExpressibleByArgument, CaseIterable {
    case northwest, north, northeast, west, center, east, southwest, south, southeast
}

/// A font on the command line: a family, styles and a size.
struct FontArgument: Sendable {
    /// The family with its styles; empty for the standard one.
    let family: String
    /// The size in units of length; nil for the standard one.
    let size: Double?

    /// Parses an argument, whose last word is a size if it is a number.
    init?(_ argument: String) {
        let words = argument.split(separator: " ")
        guard let last = words.last else { return nil }
        size = Double(last)
        family = (size == nil ? words : words.dropLast()).joined(separator: " ")
        if let size, !(size >= 1 && size <= 2000) { return nil }
    }
}
