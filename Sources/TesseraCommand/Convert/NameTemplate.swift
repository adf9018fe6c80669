internal import ArgumentParser
internal import Tessera

/// A template for outputs' names, such as `{stem}-{width}.{ext}`.
struct NameTemplate: Sendable {
    private enum Placeholder: String, CaseIterable, Sendable {
        case stem, width, height
        case filenameExtension = "ext"
    }

    private let parts: [TemplatePart<Placeholder>]

    /// Parses a template.
    /// - Throws: `ValidationError` for an unknown placeholder, a path, or a name that isn't distinct or has no extension.
    init(_ text: String) throws {
        parts = try TemplatePart.parts(of: text)

        guard !text.contains("/") else {
            throw ValidationError("write a name without folders; use --output-dir FOLDER")
        }
        guard parts.contains(.placeholder(.stem)) else {
            throw ValidationError("names without {stem}, the input's name, are the same for all inputs")
        }
        guard text.hasSuffix(".{ext}"), parts.filter({ $0 == .placeholder(.filenameExtension) }).count == 1 else {
            throw ValidationError(
                "names must end in .{ext}, which is the format's extension; use --to to choose a format")
        }
    }

    /// Whether names contain the output's width or height.
    var needsSize: Bool { parts.contains(.placeholder(.width)) || parts.contains(.placeholder(.height)) }

    /// Returns the name for an input called `stem`.
    /// - Parameter size: The output's size in pixels, for templates that need it.
    func name(stem: String, filenameExtension: String, size: PixelSize?) -> String {
        parts.map { part in
            switch part {
            case .literal(let text): text
            case .placeholder(.stem): stem
            case .placeholder(.width): size.map { "\($0.width)" } ?? ""
            case .placeholder(.height): size.map { "\($0.height)" } ?? ""
            case .placeholder(.filenameExtension): filenameExtension
            }
        }.joined()
    }
}

/// A part of a template: text, or a placeholder in braces.
enum TemplatePart<Placeholder>: Hashable, Sendable
where Placeholder: RawRepresentable<String> & CaseIterable & Hashable & Sendable {
    case literal(String)
    case placeholder(Placeholder)

    /// Parses a template.
    /// - Throws: `ValidationError` for an unknown placeholder or a brace without a partner.
    static func parts(of text: String) throws -> [TemplatePart] {
        var parts: [TemplatePart] = []
        var rest = text[...]
        while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            parts.append(.literal(String(rest[..<brace])))
            let name = rest[brace...].dropFirst().prefix { $0 != "}" }
            guard rest[brace] == "{", name.endIndex < rest.endIndex,
                let placeholder = Placeholder(rawValue: String(name))
            else {
                let names = Placeholder.allCases.map { "{\($0.rawValue)}" }
                throw ValidationError(
                    "\"\(rest[brace...])\" begins with no placeholder; use "
                        + "\(names.dropLast().joined(separator: ", ")) and \(names.last ?? "")")
            }
            parts.append(.placeholder(placeholder))
            rest = rest[name.endIndex...].dropFirst()
        }
        parts.append(.literal(String(rest)))
        return parts.filter { $0 != .literal("") }
    }
}
