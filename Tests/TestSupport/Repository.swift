import Foundation

/// The sources that the tests were built from.
package enum Repository {
    /// The path of a file by its path in the repository, such as `Scripts/prepare`.
    package static func file(_ path: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent(path).path
    }
}
