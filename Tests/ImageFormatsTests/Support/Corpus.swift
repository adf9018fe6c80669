import Foundation

/// Real files that nobody here wrote, where TESSERA_CORPUS says they are.
enum Corpus {
    static let folder = ProcessInfo.processInfo.environment["TESSERA_CORPUS"]

    /// The paths of the files in a folder of the corpus, such as `valid/heif`, in order.
    static func files(_ name: String) -> [String] {
        guard let folder else { return [] }
        let path = "\(folder)/\(name)"
        return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted().map { "\(path)/\($0)" }
    }

    static func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }
}
