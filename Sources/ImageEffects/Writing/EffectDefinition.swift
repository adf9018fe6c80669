package import Raster

/// How an effect is written as an option of `tessera effect` and an item of a URL's query: a name, and values separated by
/// commas.
package struct EffectDefinition: Sendable {
    /// How the effect is made.
    enum Making: Sendable {
        case alone(@Sendable (EffectCall) -> any ImageEffect)
        case withPicture(@Sendable (EffectCall, EffectPicture) -> any ImageEffect)
    }

    /// The name: `smart-crop`.
    package let name: String
    /// A heading for people.
    package let title: String
    /// What it does, in a sentence.
    package let sentence: String
    /// Its values, in the order in which they are written; none for what is only named.
    package let parameters: [EffectParameter]
    /// The values by their names, as short as can be: `x,y,w,h`.
    package let usage: String
    /// Values to try it with; empty for what is only named.
    package let example: String
    /// What to write instead of something that makes no sense.
    let advice: String
    let making: Making

    /// Whether it makes sense to have it more than once.
    package var isRepeatable: Bool {
        if case .withPicture = making { true } else { false }
    }
}

extension EffectDefinition {
    /// An effect of values.
    init(
        _ name: String, _ title: String, _ sentence: String, _ usage: String = "", _ parameters: [EffectParameter] = [],
        example: String = "", advice: String? = nil,
        _ make: @escaping @Sendable (EffectCall) -> any ImageEffect
    ) {
        self.init(
            name: name, title: title, sentence: sentence, parameters: parameters, usage: usage, example: example,
            advice: advice ?? example, making: .alone(make))
    }

    /// An effect of an image and values. Several of them make sense.
    init(
        _ name: String, _ title: String, _ sentence: String, _ usage: String, _ parameters: [EffectParameter],
        example: String, advice: String? = nil,
        picture make: @escaping @Sendable (EffectCall, EffectPicture) -> any ImageEffect
    ) {
        self.init(
            name: name, title: title, sentence: sentence, parameters: parameters, usage: usage, example: example,
            advice: advice ?? example, making: .withPicture(make))
    }

    /// An effect of one number.
    init(
        number name: String, _ title: String, _ sentence: String, _ usage: String, _ range: ClosedRange<Double>,
        step: Double, standard: Double, example: String, _ make: @escaping @Sendable (Double) -> any ImageEffect
    ) {
        self.init(
            name, title, sentence, usage, [.number(usage, range, step: step, standard: standard)], example: example
        ) { make($0.number(usage)) }
    }

    /// An effect of a size.
    init(
        size name: String, _ title: String, _ sentence: String, example: String,
        _ make: @escaping @Sendable (_ width: Double, _ height: Double) -> any ImageEffect
    ) {
        self.init(
            name, title, sentence, "WxH", [EffectParameter("size", .size(EffectTable.sides))], example: example,
            advice: "a width and a height, as in \(example)"
        ) { make($0.size.width, $0.size.height) }
    }

    /// Whether it is for a size that is given: of these an image needs no more than one.
    package var isSizing: Bool {
        if case .size = parameters.first?.kind { true } else { false }
    }

    /// Reads values: those of a command line's option, or of a query's item.
    /// - Throws: `invalidParameter` with a message that says how to write them.
    package func read(_ text: String) throws(ImageError) -> EffectCall {
        var rest = text[...]
        var isAtEnd = parameters.isEmpty && text.isEmpty
        var values: [String: EffectValue] = [:]
        for (index, parameter) in parameters.enumerated() where !isAtEnd {
            if parameter.presence == .withPrevious, values[parameters[index - 1].name] == nil { continue }
            // An image's name at the end may have commas of its own.
            let takesAll = parameter.kind == .picture && index == parameters.count - 1
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

/// One value in the written form of an effect, or of anything else that is written beside effects.
package struct EffectParameter: Sendable {
    /// What kind of value it takes.
    package enum Kind: Hashable, Sendable {
        /// A number in a range, which sliders go through by steps.
        case number(ClosedRange<Double>, step: Double)
        /// A width and a height, each in a range.
        case size(ClosedRange<Double>)
        /// A colour.
        case color
        /// One of these words.
        case word([String])
        /// What an image is called: a path, an identifier.
        case picture
    }

    /// Whether it may be left out.
    package enum Presence: Hashable, Sendable {
        /// It has to be there.
        case required
        /// It may be left out. Who comes after it is known by its kind.
        case optional
        /// It has to be there if the optional one before it is, and can't be otherwise.
        case withPrevious
    }

    /// What it's called.
    package let name: String
    /// What it takes.
    package let kind: Kind
    /// Whether it may be left out.
    package let presence: Presence
    /// What counts where it's left out. For a required number, what a slider begins with: it changes nothing, where there
    /// is such a number.
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

    /// A word of a type, which may be left out.
    package static func word<Word: RawRepresentable<String> & CaseIterable>(_ name: String, standard: Word) -> Self {
        Self(name, .word(Word.allCases.map(\.rawValue)), .optional, standard: .word(standard.rawValue))
    }

    /// What `text` says; nil where it is no value of this kind. Numbers may be beyond the range.
    func value(_ text: Substring) -> EffectValue? {
        switch kind {
        case .number: return Double(text).map { .number($0) }
        case .size: return EffectValue.size(text)
        case .color: return EffectValue.color(text)
        case .word(let words):
            let text = text.lowercased()
            return words.first { $0.lowercased() == text }.map { .word($0) }
        case .picture: return text.isEmpty ? nil : .picture(String(text))
        }
    }

    /// Whether `value`, which is of this kind, lies in the range.
    package func allows(_ value: EffectValue) -> Bool {
        switch (kind, value) {
        case (.number(let range, _), .number(let number)): range.contains(number)
        case (.size(let range), .size(let width, let height)): range.contains(width) && range.contains(height)
        default: true
        }
    }
}
