import Foundation
import TestSupport
import Testing

/// Tags of real files, against ExifTool.
@Suite("tessera metadata: real files", .needsCorpus, .needs(CommandLineTool("exiftool")))
struct MetadataCorpusTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    fileprivate static let exiftool = CommandLineTool("exiftool")
    private static let files = Corpus.files("photos", "valid/jpeg", "valid/png", "valid/webp", "valid/apng")
        .filter { path in ["jpg", "jpeg", "png", "webp", "apng"].contains { path.hasSuffix(".\($0)") } }

    /// Tags whose values both programs write alike.
    private static let tags = [
        "EXIF:Make", "EXIF:Model", "EXIF:Orientation", "EXIF:Software", "EXIF:DateTimeOriginal", "EXIF:ModifyDate",
        "EXIF:CreateDate", "EXIF:Artist", "EXIF:Copyright", "EXIF:FNumber", "EXIF:ISO", "EXIF:FocalLength",
        "EXIF:LensModel", "EXIF:SerialNumber", "EXIF:WhiteBalance", "EXIF:UserComment", "XMP:Title", "XMP:Creator",
        "XMP:Subject", "XMP:Label", "XMP:City", "IPTC:City", "IPTC:Keywords", "IPTC:By-line", "IPTC:Headline",
        "IPTC:Caption-Abstract", "IPTC:CopyrightNotice",
    ]

    @Test("Tags are read as ExifTool reads them")
    func reads() throws {
        let outcome = try Command.run(["metadata", "get", "--json"] + Self.files, in: folder)
        let lines = outcome.text.split(separator: "\n")
        var ours: [String: [String: Any]] = [:]
        for line in lines {
            let object = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            ours[try #require(object["file"] as? String)] = object["tags"] as? [String: Any]
        }
        let output = try #require(
            try Self.exiftool.output(
                ["-j", "-G0", "-charset", "iptc=latin1"] + Self.tags.map { "-\($0)#" } + Self.files,
                successes: [0, 1]))
        let theirs = try #require(JSONSerialization.jsonObject(with: Data(output)) as? [[String: Any]])
        var count = 0
        func text(_ value: Any?) -> String? {
            guard let value else { return nil }
            let words = (value as? [Any] ?? [value]).map { "\($0)".trimmingCharacters(in: .whitespaces) }
            return words.joined(separator: ", ")
        }
        for file in theirs {
            let path = try #require(file["SourceFile"] as? String)
            for tag in Self.tags {
                guard let expected = text(file[tag]), !expected.isEmpty else { continue }
                let found = text(ours[path]?[tag]) ?? "nothing"
                let isEqual = Double(found).flatMap { a in
                    Double(expected).map { abs(a - $0) <= 1e-4 * max(1, abs($0)) }
                }
                #expect(isEqual ?? (found == expected), "\(path): \(tag) is \(found), not \(expected)")
                count += 1
            }
        }
        #expect(count > 100)
    }

    /// ExifTool's warnings about a file, each once.
    private func problems(_ path: String) throws -> Set<String> {
        let output = try #require(
            try Self.exiftool.output(["-validate", "-a", "-warning", "-error", path], successes: [0, 1]))
        return Set(
            String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
                .filter { $0.hasPrefix("Warning") || $0.hasPrefix("Error") })
    }

    @Test("Edited files have no problem that they hadn't, and the same image", arguments: files)
    func edits(_ path: String) throws {
        let name = URL(fileURLWithPath: path).lastPathComponent
        let isJPEG = name.hasSuffix("jpg") || name.hasSuffix("jpeg")
        let outcome = try Command.run(
            [
                "metadata", "set", path, name, "--tag", "Artist=Jané", "--tag", "XMP:Rating=3", "--shift-dates", "1h",
            ] + (isJPEG ? ["--tag", "IPTC:Keywords=ä"] : []), in: folder)
        guard outcome.status == 0 else {
            // Damaged blocks aren't edited, and that is said.
            #expect(try outcome.errors.contains(name) && !folder.names().contains(name), "\(outcome.errors)")
            return
        }
        #expect(try problems(folder.file(name)).subtracting(problems(path)).isEmpty)
        let pixels = try Command.run("compare", path, name, "--max-difference", "0", "--quiet", in: folder)
        #expect(pixels.status == 0, "\(pixels.errors)")
        let printed = try Command.run("metadata", "get", name, "--tag", "Artist", "--tag", "XMP:Rating", in: folder)
        #expect(printed.text.contains("Jané") && printed.text.contains("3"))
    }
}
