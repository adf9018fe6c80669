package import Raster

/// An effect as someone wrote it: a form, and values. A picture in it is read when the effect is made.
package struct WrittenEffect: Sendable {
    /// Gets the picture of a name.
    package typealias PictureReader = (_ name: String) throws(ImageError) -> EffectPicture

    /// The effect's form.
    package let form: EffectForm
    /// The values that were written, by their parameters' names.
    package private(set) var values: [String: WrittenValue]

    /// `form` with `values`, which have to be of its parameters' kinds.
    init(_ form: EffectForm, _ values: [String: WrittenValue] = [:]) {
        self.form = form
        self.values = values
    }

    /// The same with another value for one parameter, of its kind.
    package func with(_ name: String, _ value: WrittenValue) -> WrittenEffect {
        var changed = self
        changed.values[name] = value
        return changed
    }

    /// What is or counts as written for a parameter.
    subscript(name: String) -> WrittenValue? {
        values[name] ?? form.parameters.first { $0.name == name }?.standard
    }

    /// The picture's name, where there is one in the effect.
    package var picture: String? {
        for case .picture(let name) in values.values { return name }
        return nil
    }

    /// The effect.
    package func effect(_ read: PictureReader) throws(ImageError) -> any ImageEffect {
        switch form.making {
        case .alone(let make): make(self)
        case .withPicture(let make): make(self, try read(picture ?? ""))
        }
    }

    /// The first parameter whose value lies beyond its range.
    package var parameterBeyondRange: EffectParameter? {
        form.parameters.first { parameter in values[parameter.name].map { !parameter.allows($0) } ?? false }
    }

    /// The values in their shortest form, the same whenever they mean the same.
    package var text: String {
        var parts: [String] = []
        // What is left out at the end is known from the form; between others, numbers are told apart only by their place.
        var necessary = 0
        for parameter in form.parameters {
            guard let value = values[parameter.name] ?? (parameter.presence == .required ? nil : parameter.standard)
            else { continue }
            parts.append(value.text)
            if parameter.presence == .required || value != parameter.standard { necessary = parts.count }
        }
        return parts.prefix(necessary).joined(separator: ",")
    }
}

// Values of parameters that the form is known to have, written or standard.
extension WrittenEffect {
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
