internal import ArgumentParser
internal import ImageFormats
internal import Tessera

/// A template for the paths of a batch's outputs, such as `small/{folder}/{stem}.{ext}`.
///
/// The folder before the first placeholder is the root. Paths never lead out of it, whatever the inputs are called.
struct PathTemplate: Sendable {
    private enum Placeholder: String, CaseIterable, Sendable {
        case stem, name, folder, index, width, height
        case filenameExtension = "ext"
    }

    /// The values of an output's placeholders.
    struct Values {
        /// The input's path beneath the folder that was listed, or as the manifest has it.
        let input: String
        /// The input's place in the list, counted from 0.
        let index: Int
        let format: ImageFormat
        /// The output's size in pixels, for templates that need it.
        var size: PixelSize?
    }

    /// The folder of all outputs; empty for the current one.
    let root: String
    private let parts: [TemplatePart<Placeholder>]
    /// The extension if it is written out; nil for `{ext}`.
    let writtenExtension: String?

    /// Parses a template.
    /// - Throws: `ValidationError` for an unknown placeholder, `..`, or a path that is the same for all inputs or has no
    ///   extension.
    init(_ text: String) throws {
        let parts: [TemplatePart<Placeholder>] = try TemplatePart.parts(of: text)
        guard !text.split(separator: "/").contains("..") else {
            throw ValidationError("a template can't contain \"..\": write the folder's path without it")
        }
        guard !text.utf8.contains(0) else { throw ValidationError("a template can't contain a zero byte") }
        guard parts.contains(where: { [.placeholder(.stem), .placeholder(.name), .placeholder(.index)].contains($0) })
        else {
            throw ValidationError("outputs need distinct names: use {stem}, {name} or {index} in the template")
        }
        if text.hasSuffix(".{ext}") {
            writtenExtension = nil
        } else if case .literal(let end)? = parts.last, case let name = FilePath("x" + end).filenameExtension,
            !name.isEmpty
        {
            writtenExtension = name.lowercased()
        } else {
            throw ValidationError("names must end in .{ext} or in a format's extension, as in {stem}.webp")
        }
        var rest = parts
        if case .literal(let start)? = parts.first, let slash = start.utf8.lastIndex(of: UInt8(ascii: "/")) {
            root = slash == start.startIndex ? "/" : String(start[..<slash])
            rest[0] = .literal(String(start[start.utf8.index(after: slash)...]))
        } else {
            root = ""
        }
        self.parts = rest
    }

    /// Whether paths contain the output's width or height.
    var needsSize: Bool { parts.contains(.placeholder(.width)) || parts.contains(.placeholder(.height)) }

    /// Returns the path beneath the root.
    /// - Throws: `invalidParameter` for a path that would leave the root, or another extension than the format's.
    func path(_ values: Values) throws(ImageError) -> String {
        let file = FilePath(values.input)
        let text = parts.map { part in
            switch part {
            case .literal(let text): text
            case .placeholder(.stem): file.stem
            case .placeholder(.name): file.name
            case .placeholder(.folder): file.folder
            case .placeholder(.index):
                String(repeating: "0", count: max(0, 8 - "\(values.index)".count)) + "\(values.index)"
            case .placeholder(.width): values.size.map { "\($0.width)" } ?? ""
            case .placeholder(.height): values.size.map { "\($0.height)" } ?? ""
            case .placeholder(.filenameExtension): values.format.filenameExtension
            }
        }.joined()
        if let writtenExtension, !values.format.filenameExtensions.contains(writtenExtension) {
            throw ImageError(
                .invalidParameter,
                "the template's extension .\(writtenExtension) isn't one of \(values.format); end it in .{ext}")
        }
        guard !text.isPlainPath else { return text }
        // Bytes are compared: a dot with a combining accent isn't equal to a dot as a Swift character.
        var components: [String] = []
        for component in text.utf8.split(separator: UInt8(ascii: "/")).map({ String(Substring($0)) })
        where component != "." {
            guard component != "..", !component.utf8.contains(0) else {
                throw ImageError(
                    .invalidParameter, "its output \(text) would leave \(root.isEmpty ? "the current folder" : root)")
            }
            components.append(component)
        }
        return components.joined(separator: "/")
    }

    /// Returns the hash of the path, without making it; nil for a path that must be made to know it: one that isn't plain, or has
    /// the output's size or the input's index.
    func hash(_ values: Values) -> NameHash? {
        if let writtenExtension, !values.format.filenameExtensions.contains(writtenExtension) { return nil }
        var input = values.input
        return input.withUTF8 { bytes in
            let slash = bytes.lastIndex(of: UInt8(ascii: "/"))
            let name = (slash.map { $0 + 1 } ?? 0)..<bytes.count
            let dot = bytes[name].lastIndex(of: UInt8(ascii: ".")).flatMap { $0 == name.lowerBound ? nil : $0 }
            var path = PlainPathHash()
            for part in parts {
                switch part {
                case .literal(let text): path.add(text.utf8)
                case .placeholder(.stem): path.add(bytes[name.lowerBound..<(dot ?? name.upperBound)])
                case .placeholder(.name): path.add(bytes[name])
                case .placeholder(.folder): path.add(bytes[..<(slash.map { max($0, 1) } ?? 0)])
                case .placeholder(.filenameExtension): path.add(values.format.filenameExtension.utf8)
                case .placeholder(.index), .placeholder(.width), .placeholder(.height): return nil
                }
            }
            return path.value
        }
    }
}

/// Looks at the bytes of a path, one after the other.
private struct PathScan {
    private var previous = UInt8(ascii: "/")
    private var isPlainSoFar = true

    /// Whether the path has neither empty components, nor components that begin with a dot, nor zero bytes.
    var isPlain: Bool { isPlainSoFar && previous != UInt8(ascii: "/") }

    mutating func add(_ byte: UInt8) {
        if byte == 0 || previous == UInt8(ascii: "/") && (byte == UInt8(ascii: "/") || byte == UInt8(ascii: ".")) {
            isPlainSoFar = false
        }
        previous = byte
    }
}

/// The hash of a plain path while it is made.
private struct PlainPathHash {
    private var hash = NameHash()
    private var scan = PathScan()

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            scan.add(byte)
            hash.add(byte)
        }
    }

    /// Nil for a path that isn't plain.
    var value: NameHash? { scan.isPlain ? hash : nil }
}

extension String {
    /// Whether the path is plain (`PathScan`).
    fileprivate var isPlainPath: Bool {
        var scan = PathScan()
        for byte in utf8 { scan.add(byte) }
        return scan.isPlain
    }
}
