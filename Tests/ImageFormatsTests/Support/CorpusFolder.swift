import Foundation

/// Real files that nobody here wrote, where TESSERA_CORPUS says they are.
enum CorpusFolder {
    static let path = ProcessInfo.processInfo.environment["TESSERA_CORPUS"]

    /// The files of a format, `kind` being valid or invalid.
    static func files(_ kind: String, _ format: String) -> [String] {
        guard let path else { return [] }
        let folder = "\(path)/\(kind)/\(format)"
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted().map { "\(folder)/\($0)" }
    }

    static func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }
}
