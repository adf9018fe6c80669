#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension ImagePipeline.Configuration {
    /// A name for URLs that leaves out query items which don't tell pictures apart, such as those of a signature; the
    /// order of the others doesn't matter.
    public static func imageID(withoutQueryItems names: Set<String>) -> @Sendable (URL) -> String {
        { url in
            let text = url.absoluteString
            guard let question = text.firstIndex(of: "?") else { return text }
            let end = text[question...].firstIndex(of: "#") ?? text.endIndex
            let items = text[text.index(after: question)..<end].split(separator: "&", omittingEmptySubsequences: false)
                .filter { !names.contains(String($0.prefix { $0 != "=" })) }
                .sorted()
            return text[..<question] + (items.isEmpty ? "" : "?") + items.joined(separator: "&") + text[end...]
        }
    }
}
