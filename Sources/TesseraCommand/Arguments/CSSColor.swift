internal import ArgumentParser
internal import ImageEffects
internal import Tessera

/// A colour on the command line: a name of CSS or hexadecimal digits.
enum CSSColor {
    /// Completes an argument by the names of colours.
    static var completion: CompletionKind { .list(NamedColor.names) }

    /// Parses a colour: a name, or three, four, six or eight hexadecimal digits with or without `#`.
    static func parse(_ argument: String) throws -> RGBA8 {
        guard case .color(let color) = EffectValue.color(argument) else {
            throw ValidationError("write a colour by its name in CSS or in hexadecimal digits, as in white or #336699")
        }
        return color
    }

    /// Parses a colour without transparency.
    static func parseOpaque(_ argument: String) throws -> RGBA8 {
        let color = try parse(argument)
        guard color.alpha == 255 else { throw ValidationError("a background can't be transparent") }
        return color
    }
}
