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
        /// What a picture is called: a path, an identifier.
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
    package let standard: WrittenValue?

    package init(_ name: String, _ kind: Kind, _ presence: Presence = .required, standard: WrittenValue? = nil) {
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
    func value(_ text: Substring) -> WrittenValue? {
        switch kind {
        case .number: return Double(text).map { .number($0) }
        case .size: return WrittenValue.size(text)
        case .color: return WrittenValue.color(text)
        case .word(let words):
            let text = text.lowercased()
            return words.first { $0.lowercased() == text }.map { .word($0) }
        case .picture: return text.isEmpty ? nil : .picture(String(text))
        }
    }

    /// Whether `value`, which is of this kind, lies in the range.
    package func allows(_ value: WrittenValue) -> Bool {
        switch (kind, value) {
        case (.number(let range, _), .number(let number)): range.contains(number)
        case (.size(let range), .size(let width, let height)): range.contains(width) && range.contains(height)
        default: true
        }
    }
}
