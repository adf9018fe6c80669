internal import Essentials
internal import ImageLoading
internal import Tessera

/// The pictures that are to be fetched, no two of them to be called the same.
struct FetchList {
    private(set) var entries: [FetchEntry] = []
    private var stems: Set<String> = []

    /// Reads `addresses`; `-` stands for those on standard input, one to a line.
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

    /// The first of a name keeps it; the others are numbered from 2 on.
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

/// One picture that is to be fetched.
struct FetchEntry: Sendable {
    /// The address as it was given, fit to be shown.
    let label: String
    /// Where the picture is; nil where the address is none.
    let url: URL?
    /// What its file is to be called.
    var name: FetchName

    /// The picture at `address`: a URL, or the path of a file.
    init(_ address: String) {
        let visible = address.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }
        let text = String(String.UnicodeScalarView(visible))
        label = text.count > 120 ? "\(text.prefix(60))…\(text.suffix(20))" : text
        if Self.isURL(address) {
            url = URL(string: address)
        } else {
            url = URL(fileURLWithPath: address)
        }
        name = FetchName(path: url.map(Self.path) ?? "")
    }

    /// Where in its server the picture is; a data URL has nothing of that kind.
    private static func path(of url: URL) -> String {
        guard url.scheme?.lowercased() != "data" else { return "" }
        let path = url.path(percentEncoded: false)
        // What percent signs stand for may be no text.
        return path.isEmpty ? url.path(percentEncoded: true) : path
    }

    /// Whether `address` begins as a URL does, rather than a path.
    private static func isURL(_ address: String) -> Bool {
        guard let colon = address.firstIndex(of: ":") else { return false }
        let scheme = address[..<colon].lowercased()
        guard scheme.first?.isLetter == true,
            scheme.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) })
        else { return false }
        return ["http", "https", "file", "data"].contains(scheme) || address[colon...].hasPrefix("://")
    }

    /// Whether it comes from a server.
    var isRemote: Bool { url?.scheme.map { ["http", "https"].contains($0.lowercased()) } ?? false }

    /// Where it can be loaded from.
    /// - Throws: `invalidParameter` for what is no URL; `unsupported` for a server in a program without HTTP.
    func loadableURL() throws(ImageError) -> URL {
        guard let url else { throw ImageError(.invalidParameter, "this is no URL") }
        guard !isRemote || DataLoader.defaultHTTP != nil else {
            throw ImageError(.unsupported, "HTTP isn't built into this program: it was built without the trait HTTP")
        }
        return url
    }

    /// The line about it that says why it isn't there.
    func message(about error: any Error) -> String {
        switch error {
        case let error as ImageError where error.code == .inputOutput: "\(error)"
        case ImagePipeline.Error.dataLoadingFailed(DataLoadingError.unreadable(let message)): message
        case ImagePipeline.Error.dataLoadingFailed(let error): "\(label): \(error)"
        default: "\(label): \(error)"
        }
    }
}

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
