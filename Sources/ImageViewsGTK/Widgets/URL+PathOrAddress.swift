#if GTK
#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension URL {
    /// The URL of a file's path, or the one that is written; nil where there is none.
    package init?(pathOrAddress text: String) {
        let scheme = text.prefix { $0 != ":" }
        let hasScheme = text.contains(":") && scheme.count > 1 && scheme.allSatisfy { $0.isLetter || $0.isNumber }
        guard hasScheme else {
            self.init(filePath: text)
            return
        }
        self.init(string: text)
    }
}
#endif
