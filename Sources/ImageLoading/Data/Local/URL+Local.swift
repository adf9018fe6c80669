#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension URL {
    /// Whether this is a file, or has its bytes in itself.
    var isLocal: Bool { scheme.map { ["file", "data"].contains($0.lowercased()) } ?? false }
}
