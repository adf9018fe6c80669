import Foundation
import Testing

import JPEGBitstream
import TestSupport

/// A JPEG of the corpus with what its index says of it.
private struct Entry: CustomStringConvertible {
    let path: String
    let size: String
    let variant: [Substring]

    var description: String { path }

    /// The JPEGs below the given folders; none where there is no corpus.
    static func all(in folders: [String]) -> [Entry] {
        guard let folder = Corpus.folder,
            let index = try? String(contentsOfFile: "\(folder)/INDEX.tsv", encoding: .utf8)
        else { return [] }
        return index.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard fields.count >= 9, fields[2] == "jpeg", folders.contains(where: { fields[0].hasPrefix($0) })
            else { return nil }
            return Entry(path: String(fields[0]), size: String(fields[3]), variant: fields[8].split(separator: " "))
        }
    }

    func bytes() throws -> [UInt8] {
        try Corpus.bytes("\(try #require(Corpus.folder))/\(path)")
    }
}

@Suite("Real files", .needsCorpus)
struct CorpusTests {
    @Test(
        "Process, precision, sampling, size and scans match the corpus' index",
        arguments: Entry.all(in: ["valid/jpeg/", "photos/"]))
    private func headers(entry: Entry) throws {
        let bytes = try entry.bytes()
        let structure = JPEGStructure(of: bytes.span.bytes)
        #expect(structure.failure == nil)
        let frame = try #require(structure.frame)
        #expect("\(frame.width)x\(structure.height ?? 0)" == entry.size)
        let sampling = frame.components.map { "\($0.horizontalSampling)x\($0.verticalSampling)" }.joined(separator: ",")
        let found = [
            frame.process.rawValue, "\(frame.precision)bit", "\(frame.components.count)c", "s\(sampling)",
            "scans\(structure.scanCount)",
        ]
        #expect(found == entry.variant.prefix(5).map(String.init))
        #expect(structure.completedScanCount == structure.scanCount)
        #expect(structure.segments.contains { $0.marker == .restartInterval } == entry.variant.contains("dri"))
        #expect(structure.scans.contains { $0.restartCount > 0 } == entry.variant.contains("rst"))
        #expect(structure.extraneousByteCount == 0)
    }

    @Test("Any split gives the same result", arguments: Entry.all(in: ["valid/jpeg/", "invalid/jpeg/", "photos/"]))
    private func splits(entry: Entry) throws {
        let bytes = try entry.bytes()
        let whole = JPEGStructure(of: bytes.span.bytes)
        if bytes.count <= 4096 {
            for boundary in 0...bytes.count { #expect(walk(bytes, splitAt: [boundary]) == whole) }
        }
        var generator = SeededGenerator(state: 0x7E55_E2A0)
        for _ in 0..<4 {
            let boundaries = (0..<200).map { _ in Int.random(in: 0...bytes.count, using: &generator) }.sorted()
            #expect(walk(bytes, splitAt: boundaries) == whole)
        }
    }

    @Test("Damaged files end with an error or their end", arguments: Entry.all(in: ["invalid/jpeg/"]))
    private func damaged(entry: Entry) throws {
        let bytes = try entry.bytes()
        let structure = JPEGStructure(of: bytes.span.bytes)
        #expect((structure.failure == nil) != (structure.endOffset == nil))
        if entry.path.contains("runcated") { #expect(structure.isTruncated) }
        if entry.variant.contains("nosof") {
            #expect(structure.frame == nil)
        } else {
            #expect(structure.frame.map { "\($0.width)x\(structure.height ?? 0)" } == entry.size)
            #expect(entry.variant.contains("scans\(structure.scanCount)"))
        }
    }
}
