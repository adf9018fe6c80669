internal import Tessera

/// What a picture's file is to be called, whatever the address says: safe in any folder and on any terminal.
struct FetchName: Hashable, Sendable {
    /// The name without extension and dot.
    var stem: String
    /// The extension that the address has, or empty.
    let filenameExtension: String

    /// The name that is in the last part of `path`, which has its percent signs resolved.
    init(path: String) {
        let last = path.split(separator: "/").last ?? ""
        let allowed = String(String.UnicodeScalarView(last.unicodeScalars.filter(Self.isAllowed)))
        // A hidden file, or what looks like an option to the next program, is nothing that a server should make.
        let name = String(allowed.drop { $0 == "." || $0 == "-" || $0 == " " })
        let file = FilePath(name)
        let isExtension = Self.isExtension(file.filenameExtension)
        filenameExtension = isExtension ? file.filenameExtension : ""
        stem = Self.shortened(isExtension ? file.stem : name)
        while stem.last == "." || stem.last == " " { stem.removeLast() }
        if stem.isEmpty { stem = "picture" }
    }

    /// The file's name for bytes in `format`; nil for bytes of no known one.
    func fileName(_ format: ImageFormat?) -> String {
        guard let format, !format.filenameExtensions.contains(filenameExtension.lowercased()) else {
            return filenameExtension.isEmpty ? stem : "\(stem).\(filenameExtension)"
        }
        return "\(stem).\(format.filenameExtension)"
    }

    /// No control characters, none that turn the direction of writing, and none that separate folders anywhere.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: false
        default: !scalar.properties.isBidiControl && scalar != "/" && scalar != "\\"
        }
    }

    /// Up to five letters and digits, as formats have them and version numbers don't.
    private static func isExtension(_ text: String) -> Bool {
        (1...5).contains(text.utf8.count) && text.first?.isLetter == true
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    /// What leaves room for numbers and extension in the 255 bytes that file systems allow.
    private static func shortened(_ name: String) -> String {
        var name = name
        while name.utf8.count > 200 { name.removeLast() }
        return name
    }
}
