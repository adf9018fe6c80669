package import Raster

/// The written form of an effect, as an option of `tessera effect` or an item of a URL's query: a name, and values
/// separated by commas.
package struct EffectDefinition: Sendable {
    /// Makes the effect from its values, and an image if it needs one.
    enum Making: Sendable {
        case alone(@Sendable (EffectCall) -> any ImageEffect)
        case withPicture(@Sendable (EffectCall, EffectPicture) -> any ImageEffect)
        /// `Effects.Text`, whose drawing is read as an image that has an SVG document as its name.
        case text
    }

    /// The name, such as `smart-crop`.
    package let name: String
    /// A heading for menus and pages.
    package let title: String
    /// A description in one sentence.
    package let sentence: String
    /// The parameters in written order; empty for effects without values.
    package let parameters: [EffectParameter]
    /// The parameters in short form, such as `x,y,w,h`.
    package let usage: String
    /// Example values; empty for effects without parameters.
    package let example: String
    /// The form that error messages suggest.
    let advice: String
    let making: Making

    /// Whether it may occur more than once.
    package var isRepeatable: Bool {
        if case .alone = making { false } else { true }
    }

    /// Whether it may be written in addresses, which anybody can make. Text isn't: drawing it starts processes.
    package var isForAddresses: Bool {
        if case .text = making { false } else { true }
    }
}

extension EffectDefinition {
    /// An effect with values only.
    init(
        _ name: String, _ title: String, _ sentence: String, _ usage: String = "", _ parameters: [EffectParameter] = [],
        example: String = "", advice: String? = nil,
        _ make: @escaping @Sendable (EffectCall) -> any ImageEffect
    ) {
        self.init(
            name: name, title: title, sentence: sentence, parameters: parameters, usage: usage, example: example,
            advice: advice ?? example, making: .alone(make))
    }

    /// An effect with an image and values, which may occur more than once.
    init(
        _ name: String, _ title: String, _ sentence: String, _ usage: String, _ parameters: [EffectParameter],
        example: String, advice: String? = nil,
        picture make: @escaping @Sendable (EffectCall, EffectPicture) -> any ImageEffect
    ) {
        self.init(
            name: name, title: title, sentence: sentence, parameters: parameters, usage: usage, example: example,
            advice: advice ?? example, making: .withPicture(make))
    }

    /// An effect with one number.
    init(
        number name: String, _ title: String, _ sentence: String, _ usage: String, _ range: ClosedRange<Double>,
        step: Double, standard: Double, example: String, _ make: @escaping @Sendable (Double) -> any ImageEffect
    ) {
        self.init(
            name, title, sentence, usage, [.number(usage, range, step: step, standard: standard)], example: example
        ) { make($0.number(usage)) }
    }

    /// An effect with a size.
    init(
        size name: String, _ title: String, _ sentence: String, example: String,
        _ make: @escaping @Sendable (_ width: Double, _ height: Double) -> any ImageEffect
    ) {
        self.init(
            name, title, sentence, "WxH", [EffectParameter("size", .size(EffectTable.sides))], example: example,
            advice: "a width and a height, as in \(example)"
        ) { make($0.size.width, $0.size.height) }
    }

    /// Whether it sets the size of the result; at most one of these is useful.
    package var isSizing: Bool {
        if case .size = parameters.first?.kind { true } else { false }
    }

    /// Parses values from a command line option or a query item.
    /// - Throws: `invalidParameter` with a message that gives the expected form.
    package func read(_ text: String) throws(ImageError) -> EffectCall {
        var rest = text[...]
        var isAtEnd = parameters.isEmpty && text.isEmpty
        var values: [String: EffectValue] = [:]
        for (index, parameter) in parameters.enumerated() where !isAtEnd {
            if parameter.presence == .withPrevious, values[parameters[index - 1].name] == nil { continue }
            // An image's name at the end may contain commas.
            let takesAll = [.picture, .text].contains(parameter.kind) && index == parameters.count - 1
            let part = takesAll ? rest : rest.prefix { $0 != "," }
            guard let value = parameter.value(part) else {
                guard parameter.presence == .optional else { throw failure(text) }
                continue
            }
            values[parameter.name] = value
            isAtEnd = part.endIndex == rest.endIndex
            if !isAtEnd { rest = rest[rest.index(after: part.endIndex)...] }
        }
        guard isAtEnd else { throw failure(text) }
        for (index, parameter) in parameters.enumerated() where values[parameter.name] == nil {
            switch parameter.presence {
            case .required: throw failure(text)
            case .optional: break
            case .withPrevious: if values[parameters[index - 1].name] != nil { throw failure(text) }
            }
        }
        return EffectCall(self, values)
    }

    private func failure(_ text: String) -> ImageError {
        let shown = text.utf8.count > 60 ? "\(text.prefix(60))…" : text
        if parameters.count == 1, case .number = parameters[0].kind {
            return ImageError(.invalidParameter, "\"\(shown)\" is no number")
        }
        if isSizing, parameters.count == 1 { return ImageError(.invalidParameter, "write \(advice)") }
        return ImageError(.invalidParameter, "\"\(shown)\" makes no sense here; write \(advice)")
    }
}

/// A parameter in the written form of an effect, or of an option written beside effects.
package struct EffectParameter: Sendable {
    /// The kind of a value.
    package enum Kind: Hashable, Sendable {
        /// A number in a range, and the step for sliders.
        case number(ClosedRange<Double>, step: Double)
        /// A width and a height, each in a range.
        case size(ClosedRange<Double>)
        /// A colour.
        case color
        /// One of a fixed set of words.
        case word([String])
        /// The name of an image: a path or an identifier.
        case picture
        /// Any text.
        case text
    }

    /// Whether the parameter may be left out.
    package enum Presence: Hashable, Sendable {
        /// Always required.
        case required
        /// Optional. The kind of the next value shows whether it was left out.
        case optional
        /// Required if the optional parameter before it is present, otherwise not allowed.
        case withPrevious
    }

    /// The name.
    package let name: String
    /// The kind of its value.
    package let kind: Kind
    /// Whether it may be left out.
    package let presence: Presence
    /// The value if it is left out. For a required number, a slider's initial value, which leaves the image unchanged
    /// if such a number exists.
    package let standard: EffectValue?

    package init(_ name: String, _ kind: Kind, _ presence: Presence = .required, standard: EffectValue? = nil) {
        self.name = name
        self.kind = kind
        self.presence = presence
        self.standard = standard
    }

    /// A number.
    package static func number(
        _ name: String, _ range: ClosedRange<Double>, step: Double, standard: Double? = nil,
        _ presence: Presence = .required
    ) -> Self {
        Self(name, .number(range, step: step), presence, standard: standard.map { .number($0) })
    }

    /// A case of an enumeration, optional.
    package static func word<Word: RawRepresentable<String> & CaseIterable>(_ name: String, standard: Word) -> Self {
        Self(name, .word(Word.allCases.map(\.rawValue)), .optional, standard: .word(standard.rawValue))
    }

    /// Parses `text`; nil if it isn't of this kind. Numbers may be out of range.
    func value(_ text: Substring) -> EffectValue? {
        switch kind {
        case .number: return Double(text).map { .number($0) }
        case .size: return EffectValue.size(text)
        case .color: return EffectValue.color(text)
        case .word(let words):
            let text = text.lowercased()
            return words.first { $0.lowercased() == text }.map { .word($0) }
        case .picture: return text.isEmpty ? nil : .picture(String(text))
        case .text: return text.isEmpty ? nil : .text(String(text))
        }
    }

    /// Whether `value`, which must be of this kind, is in range.
    package func allows(_ value: EffectValue) -> Bool {
        switch (kind, value) {
        case (.number(let range, _), .number(let number)): range.contains(number)
        case (.size(let range), .size(let width, let height)): range.contains(width) && range.contains(height)
        default: true
        }
    }
}
