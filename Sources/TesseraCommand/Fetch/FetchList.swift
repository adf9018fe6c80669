internal import Essentials
internal import ImageLoading
internal import Tessera

/// The images to fetch, each with a unique file name.
struct FetchList {
    private(set) var entries: [FetchEntry] = []
    private var stems: Set<String> = []

    /// Reads `addresses`; `-` stands for standard input, with one address per line.
    init(_ addresses: [String]) throws(ImageError) {
        for address in addresses {
            guard address == "-" else {
                add(address)
                continue
            }
            let lines = String(decoding: try Source.standardInput().bytes(), as: UTF8.self).split(
                whereSeparator: \.isNewline)
            for line in lines {
                let words = line.drop(while: \.isWhitespace)
                if let last = words.lastIndex(where: { !$0.isWhitespace }) { add(String(words[...last])) }
            }
        }
    }

    /// Adds an address; the first of several equal names stays as it is, the others are numbered from 2.
    private mutating func add(_ address: String) {
        var entry = FetchEntry(address)
        let stem = entry.name.stem
        var number = 1
        while !stems.insert(entry.name.stem).inserted {
            number += 1
            entry.name.stem = "\(stem)-\(number)"
        }
        entries.append(entry)
    }
}

/// An image to fetch.
struct FetchEntry: Sendable {
    /// The address as given, shortened and safe to print.
    let label: String
    /// The URL of the image; nil if the address is invalid.
    let url: URL?
    /// The name of its file.
    var name: FetchName

    /// Parses a URL or the path of a file.
    init(_ address: String) {
        let visible = address.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }
        let text = String(String.UnicodeScalarView(visible))
        label = text.count > 120 ? "\(text.prefix(60))…\(text.suffix(20))" : text
        if S3Address.isAddress(address) {
            // Its key is written as it is.
            url = (try? S3Address(address))?.url
        } else if Self.isURL(address) {
            url = URL(string: address)
        } else {
            url = URL(fileURLWithPath: address)
        }
        name = FetchName(path: url.map(Self.path) ?? "")
    }

    /// Returns the path of `url`; empty for a data URL.
    private static func path(of url: URL) -> String {
        guard url.scheme?.lowercased() != "data" else { return "" }
        let path = url.path(percentEncoded: false)
        // Percent-encoded bytes may not be valid text.
        return path.isEmpty ? url.path(percentEncoded: true) : path
    }

    /// Whether `address` begins like a URL rather than a path.
    private static func isURL(_ address: String) -> Bool {
        guard let colon = address.firstIndex(of: ":") else { return false }
        let scheme = address[..<colon].lowercased()
        guard scheme.first?.isLetter == true,
            scheme.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) })
        else { return false }
        return ["http", "https", "file", "data"].contains(scheme) || address[colon...].hasPrefix("://")
    }

    /// Whether the image comes from a server.
    var isRemote: Bool { url?.scheme.map { ["http", "https", "s3"].contains($0.lowercased()) } ?? false }

    /// Returns the URL to load.
    /// - Throws: `invalidParameter` for an invalid URL, `unsupported` for a server in a build without HTTP.
    func loadableURL() throws(ImageError) -> URL {
        guard let url else {
            throw ImageError(.invalidParameter, "invalid URL: write one as in https://example.org/photo.jpg")
        }
        guard !isRemote || DataLoader.defaultHTTP != nil else {
            throw ImageError(.unsupported, "HTTP isn't built into this program: it was built without the trait HTTP")
        }
        return url
    }

    /// Returns the line that reports the error.
    func message(about error: any Error) -> String {
        let message =
            switch error {
            case let error as ImageError where error.code == .inputOutput: "\(error)"
            case ImagePipeline.Error.dataLoadingFailed(DataLoadingError.unreadable(let message)): message
            case ImagePipeline.Error.dataLoadingFailed(let error): "\(label): \(error)"
            default: "\(label): \(error)"
            }
        return LimitsArguments.namingOptions(in: message)
    }
}

/// The name of an image's file: safe in any folder and on any terminal, whatever the address.
struct FetchName: Hashable, Sendable {
    /// The name without extension and dot.
    var stem: String
    /// The extension in the address, or empty.
    let filenameExtension: String

    /// The name in the last component of `path`, which is percent-decoded.
    init(path: String) {
        let last = path.split(separator: "/").last ?? ""
        let allowed = String(String.UnicodeScalarView(last.unicodeScalars.filter(Self.isAllowed)))
        // A server must not create a hidden file, or a name that other programs take for an option.
        let name = String(allowed.drop { $0 == "." || $0 == "-" || $0 == " " })
        let file = FilePath(name)
        let isExtension = Self.isExtension(file.filenameExtension)
        filenameExtension = isExtension ? file.filenameExtension : ""
        stem = Self.shortened(isExtension ? file.stem : name)
        while stem.last == "." || stem.last == " " { stem.removeLast() }
        if stem.isEmpty { stem = "picture" }
    }

    /// Returns the file name for bytes in `format`; nil for an unknown format.
    func fileName(_ format: ImageFormat?) -> String {
        guard let format, !format.filenameExtensions.contains(filenameExtension.lowercased()) else {
            return filenameExtension.isEmpty ? stem : "\(stem).\(filenameExtension)"
        }
        return "\(stem).\(format.filenameExtension)"
    }

    /// Whether the character is allowed: no control characters, bidirectional controls or path separators.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: false
        default: !scalar.properties.isBidiControl && scalar != "/" && scalar != "\\"
        }
    }

    /// Whether `text` is an extension: up to five letters and digits, beginning with a letter, unlike version numbers.
    private static func isExtension(_ text: String) -> Bool {
        (1...5).contains(text.utf8.count) && text.first?.isLetter == true
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    /// Truncates the name to 200 bytes: file systems allow 255 with number and extension.
    private static func shortened(_ name: String) -> String {
        var name = name
        while name.utf8.count > 200 { name.removeLast() }
        return name
    }
}
