import Foundation
package import Testing

/// Real files that nobody here wrote, where TESSERA_CORPUS says they are.
package enum Corpus {
    package static let folder = ProcessInfo.processInfo.environment["TESSERA_CORPUS"]

    /// The paths of the files in folders of the corpus, such as `valid/heif`, each folder's in order.
    package static func files(_ names: String...) -> [String] {
        guard let folder else { return [] }
        return names.flatMap { name -> [String] in
            let path = "\(folder)/\(name)"
            return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted().map { "\(path)/\($0)" }
        }
    }

    package static func bytes(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips where there is no corpus, and says so.
    package static var needsCorpus: Self { .enabled(if: Corpus.folder != nil, "TESSERA_CORPUS is not set") }
}
