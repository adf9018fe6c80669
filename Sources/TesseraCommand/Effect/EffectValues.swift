internal import ArgumentParser
internal import Tessera

/// The values of an effect's option, separated by commas, taken one after the other.
struct EffectValues {
    private let argument: String
    private let example: String
    private var rest: ArraySlice<Substring>

    /// Reads `argument`; `example` shows in errors how to write it.
    init(_ argument: String, example: String) {
        self.argument = argument
        self.example = example
        rest = argument.split(separator: ",", omittingEmptySubsequences: false)[...]
    }

    private var failure: ValidationError { ValidationError("\"\(argument)\" makes no sense here; write \(example)") }

    /// The next value as `parse` reads it; nil, and nothing is taken, if that can't.
    private mutating func next<T>(_ parse: (Substring) -> T?) -> T? {
        guard let value = rest.first.flatMap(parse) else { return nil }
        rest = rest.dropFirst()
        return value
    }

    private func needed<T>(_ value: T?) throws -> T {
        guard let value else { throw failure }
        return value
    }

    /// Says that there should be no more.
    func finish() throws { guard rest.isEmpty else { throw failure } }

    mutating func text() throws -> String { try needed(next { $0.isEmpty ? nil : String($0) }) }

    mutating func number() throws -> Double { try needed(numberIfPresent()) }
    mutating func numberIfPresent() -> Double? { next { Double($0) } }

    mutating func size() throws -> (width: Double, height: Double) { try needed(sizeIfPresent()) }
    mutating func sizeIfPresent() -> (width: Double, height: Double)? {
        next { try? EffectArgument.size(String($0)) }
    }

    mutating func color() throws -> RGBA8 { try needed(colorIfPresent()) }
    mutating func colorIfPresent() -> RGBA8? { next { $0.hasPrefix("#") ? RGBA8(css: $0) : nil } }

    mutating func choice<T: RawRepresentable<String> & CaseIterable>() throws -> T { try needed(choiceIfPresent()) }
    mutating func choiceIfPresent<T: RawRepresentable<String> & CaseIterable>() -> T? {
        next { word in T.allCases.first { $0.rawValue.lowercased() == word.lowercased() } }
    }
}

extension RGBA8 {
    /// A colour as in CSS: a number sign and three, four, six or eight hexadecimal digits.
    fileprivate init?(css text: Substring) {
        let digits = text.dropFirst()
        self.init(hex: digits.count <= 4 ? "#" + digits.flatMap { [$0, $0] } : String(text))
    }
}
