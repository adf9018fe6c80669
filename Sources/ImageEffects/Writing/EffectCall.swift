package import Raster

/// An effect in its written form: its definition and values. Images are read when the effect is made.
package struct EffectCall: Sendable {
    /// Returns the image with a name.
    package typealias PictureReader = (_ name: String) throws(ImageError) -> EffectPicture

    /// The effect's definition.
    package let definition: EffectDefinition
    /// The values given explicitly, by parameter name.
    package private(set) var values: [String: EffectValue]

    /// `definition` with `values`, which must be of its parameters' kinds.
    init(_ definition: EffectDefinition, _ values: [String: EffectValue] = [:]) {
        self.definition = definition
        self.values = values
    }

    /// The same call with another value, of the parameter's kind.
    package func with(_ name: String, _ value: EffectValue) -> EffectCall {
        var changed = self
        changed.values[name] = value
        return changed
    }

    /// The value of a parameter: given or standard.
    subscript(name: String) -> EffectValue? {
        values[name] ?? definition.parameters.first { $0.name == name }?.standard
    }

    /// The name of the effect's image, if it has one.
    package var picture: String? {
        for case .picture(let name) in values.values { return name }
        return nil
    }

    /// Makes the effect, with `read` for its image.
    /// - Throws: The error of `read`.
    package func effect(_ read: PictureReader) throws(ImageError) -> any ImageEffect {
        switch definition.making {
        case .alone(let make): make(self)
        case .withPicture(let make): make(self, try read(picture ?? ""))
        case .text: try makeText(read)
        }
    }

    /// Makes text in the style that `with` has set.
    private func makeText(_ read: PictureReader) throws(ImageError) -> Effects.Text {
        var lettering = Lettering("")
        if case .text(let text) = self["text"] { lettering.text = text }
        if case .text(let font) = self["font"] { lettering.font = font }
        if case .number(let size) = self["size"] { lettering.size = size }
        if case .color(let color) = self["color"] { lettering.color = color }
        if case .number(let width) = values["width"] { lettering.width = width }
        return try Effects.Text(
            lettering, gravity: values["gravity"] == nil ? .south : word("gravity"), x: number("x"), y: number("y")
        ) { (svg) throws(ImageError) in try read(svg).image }
    }

    /// The first parameter whose value is out of range.
    package var parameterBeyondRange: EffectParameter? {
        definition.parameters.first { parameter in values[parameter.name].map { !parameter.allows($0) } ?? false }
    }

    /// The values in their shortest form, identical for equal effects.
    package var text: String {
        var parts: [String] = []
        // Standard values at the end are left out; between others they are kept, since the position identifies a
        // number.
        var necessary = 0
        for parameter in definition.parameters {
            guard let value = values[parameter.name] ?? (parameter.presence == .required ? nil : parameter.standard)
            else { continue }
            parts.append(value.text)
            if parameter.presence == .required || value != parameter.standard { necessary = parts.count }
        }
        return parts.prefix(necessary).joined(separator: ",")
    }
}

// Values of parameters that the definition has, given or standard.
extension EffectCall {
    func number(_ name: String) -> Double {
        if case .number(let value) = self[name] { value } else { 0 }
    }

    func numberIfWritten(_ name: String) -> Double? { values[name].map { _ in number(name) } }

    var size: (width: Double, height: Double) { sizeIfWritten ?? (0, 0) }

    var sizeIfWritten: (width: Double, height: Double)? {
        if case .size(let width, let height) = self["size"] { (width, height) } else { nil }
    }

    var color: RGBA8 {
        if case .color(let value) = self["color"] { value } else { RGBA8(0, 0, 0) }
    }

    func word<Word: RawRepresentable<String> & CaseIterable>(_ name: String) -> Word {
        guard case .word(let text) = self[name], let word = Word(rawValue: text) else {
            return Word.allCases[Word.allCases.startIndex]
        }
        return word
    }
}

/// One value of a written effect.
package enum EffectValue: Hashable, Sendable {
    /// A number.
    case number(Double)
    /// A width and a height.
    case size(width: Double, height: Double)
    /// A colour, straight sRGB.
    case color(RGBA8)
    /// One of a fixed set of words.
    case word(String)
    /// The name of an image.
    case picture(String)
    /// Any text.
    case text(String)

    /// `WxH`, decimals allowed; nil for anything else.
    package static func size(_ text: some StringProtocol) -> EffectValue? {
        let parts = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Double(parts[0]), let height = Double(parts[1]) else { return nil }
        return .size(width: width, height: height)
    }

    /// A name of CSS; or three, four, six or eight hexadecimal digits as in CSS, with or without a number sign; nil for
    /// anything else.
    package static func color(_ text: some StringProtocol) -> EffectValue? {
        if let color = NamedColor.color(text) { return .color(color) }
        var digits = String(text)
        if digits.hasPrefix("#") { digits.removeFirst() }
        // Only one number sign is allowed.
        guard !digits.hasPrefix("#") else { return nil }
        let long = digits.utf8.count <= 4 ? String(digits.flatMap { [$0, $0] }) : digits
        return RGBA8(hex: long).map { .color($0) }
    }

    /// The value in its shortest form, identical for equal values. Colours have no number sign, which would end a URL's
    /// query.
    package var text: String {
        switch self {
        case .number(let value): Self.text(value)
        case .size(let width, let height): "\(Self.text(width))x\(Self.text(height))"
        case .color(let color): String(color.hex.dropFirst())
        case .word(let text), .picture(let text), .text(let text): text
        }
    }

    private static func text(_ value: Double) -> String {
        // -0 is written as 0.
        Int(exactly: value).map { "\($0)" } ?? "\(value)"
    }
}

extension EffectChain {
    /// `written` in the table's order, as `FXImageView` applies them: an invisible shadow is left out, with a visible
    /// one a reflection's gap is measured from the image, and a border without a radius takes that of the corners.
    /// - Throws: The error of `read`.
    package init(ordering written: [EffectCall], _ read: EffectCall.PictureReader) throws(ImageError) {
        self.init()
        var corners = 0.0
        var shadow: Effects.Shadow?
        for written in EffectTable.ordered(written) {
            switch try written.effect(read) {
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
    }

    /// More than half of any image's side, which makes the border a circle.
    private static var circleRadius: Double { 1e6 }
}
