import Foundation
import Testing

import JPNGContainer

private let samples = ProcessInfo.processInfo.environment["TESSERA_SAMPLES"]

@Suite("Real files", .enabled(if: samples != nil, "TESSERA_SAMPLES is not set"))
struct SampleTests {
    @Test(
        "Files of the original's releases are found, and their parts join to the same file",
        arguments: [
            ("64x64.jpng", JPNGFooter.Identifier.misspelled, 0..<6289, 6289..<7056),
            ("Lake.jpng", .standard, 0..<9659, 9659..<13027),
        ] as [(String, JPNGFooter.Identifier, Range<Int>, Range<Int>)])
    func sample(name: String, identifier: JPNGFooter.Identifier, color: Range<Int>, mask: Range<Int>) throws {
        let folder = URL(filePath: try #require(samples))
        let file = [UInt8](try Data(contentsOf: folder.appending(path: "jpng/\(name)")))
        let data = file.span.bytes
        let container = try #require(try JPNGContainer.find(in: data))
        #expect(container.footer.identifier == identifier)
        #expect(container.footer.majorVersion == 1)
        #expect(container.footer.minorVersion == 0)
        #expect(container.maskKind == .png)
        #expect(container.colorRange == color)
        #expect(container.maskRange == mask)
        #expect(container.slackRange.isEmpty)

        let joined = try JPNGContainer.join(
            color: container.color(of: data), mask: container.mask(of: data), isTagged: false)
        #expect(joined.dropLast(4) == file.dropLast(4))
        #expect(joined.suffix(4) == Array("GNPJ".utf8)[...])
    }
}
