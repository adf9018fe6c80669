internal import ArgumentParser
internal import Tessera

/// A template for outputs' names, such as `{stem}-{width}.{ext}`.
struct NameTemplate: Sendable {
    /// A part of a name.
    private enum Part: Hashable {
        case literal(String)
        case stem, width, height, filenameExtension
    }

    private let parts: [Part]

    private static let placeholders: [String: Part] = [
        "stem": .stem, "width": .width, "height": .height, "ext": .filenameExtension,
    ]

    /// Parses a template.
    /// - Throws: `ValidationError` for an unknown placeholder, a path, or a name that isn't distinct or has no extension.
    init(_ text: String) throws {
        var parts: [Part] = []
        var rest = text[...]
        while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            parts.append(.literal(String(rest[..<brace])))
            let name = rest[brace...].dropFirst().prefix { $0 != "}" }
            guard rest[brace] == "{", name.endIndex < rest.endIndex, let part = Self.placeholders[String(name)] else {
                throw ValidationError(
                    "\"\(rest[brace...])\" begins with no placeholder; use {stem}, {width}, {height} and {ext}")
            }
            parts.append(part)
            rest = rest[name.endIndex...].dropFirst()
        }
        parts.append(.literal(String(rest)))
        self.parts = parts.filter { $0 != .literal("") }

        guard !text.contains("/") else {
            throw ValidationError("write a name without folders; use --output-dir FOLDER")
        }
        guard self.parts.contains(.stem) else {
            throw ValidationError("names without {stem}, the input's name, are the same for all inputs")
        }
        guard text.hasSuffix(".{ext}"), self.parts.filter({ $0 == .filenameExtension }).count == 1 else {
            throw ValidationError(
                "names must end in .{ext}, which is the format's extension; use --to to choose a format")
        }
    }

    /// Whether names contain the output's width or height.
    var needsSize: Bool { parts.contains(.width) || parts.contains(.height) }

    /// Returns the name for an input called `stem`.
    /// - Parameter size: The output's size in pixels, for templates that need it.
    func name(stem: String, filenameExtension: String, size: PixelSize?) -> String {
        parts.map { part in
            switch part {
            case .literal(let text): text
            case .stem: stem
            case .width: size.map { "\($0.width)" } ?? ""
            case .height: size.map { "\($0.height)" } ?? ""
            case .filenameExtension: filenameExtension
            }
        }.joined()
    }
}
