#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Tessera

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
