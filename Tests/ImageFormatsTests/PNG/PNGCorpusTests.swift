import Foundation
import ImageFormats
import Raster
import Testing

/// Real files that nobody here wrote, where TESSERA_CORPUS says they are.
enum PNGCorpus {
    static let folder = ProcessInfo.processInfo.environment["TESSERA_CORPUS"]

    static func files(_ kind: String) -> [String] {
        guard let folder else { return [] }
        return ["png", "apng"].flatMap { format -> [String] in
            let path = "\(folder)/\(kind)/\(format)"
            return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted().map { "\(path)/\($0)" }
        }
    }

    static func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }
}

@Suite("PNG corpus", .enabled(if: PNGCorpus.folder != nil, "TESSERA_CORPUS is not set"))
struct PNGCorpusTests {
    @Test("every valid file decodes to libpng's pixels", arguments: PNGCorpus.files("valid"))
    func valid(path: String) throws {
        let file = try PNGCorpus.bytes(path)
        let session = PNGSession(file)
        #expect(session.isComplete && session.error == nil, "\(String(describing: session.error))")
        let bitmap = try #require(session.bitmap)
        let oracle = try #require(LibPNG.decode(file))
        if path.hasSuffix("circle-trns-before-plte.png") {
            // libpng forgets a tRNS that comes before a palette, even one that only suggests colours. Others keep it.
            #expect(bitmap.samples16.contains(0) && bitmap.alpha == .straight)
            let isColor = { (index: Int) in index % 4 != 3 }
            let samples = bitmap.samples16
            let colors = samples.indices.filter(isColor).map { samples[$0] }
            #expect(colors == oracle.samples.indices.filter(isColor).map { oracle.samples[$0] })
            return
        }
        #expect(bitmap.size == oracle.size)
        #expect(bitmap.samples16 == oracle.samples)
        let reduced = try #require(PNGSession(file, bits: 8).bitmap)
        #expect(reduced.samples16 == oracle.samples.map { UInt16((Int($0) * 255 + 32767) / 65535) * 257 })
    }

    @Test("every valid file gives the same for any split", arguments: PNGCorpus.files("valid"))
    func splits(path: String) throws {
        let file = try PNGCorpus.bytes(path)
        let whole = PNGSession(file)
        let expected = whole.bitmap?.tightBytes()
        var random = SeededGenerator(UInt64(file.count))
        for round in 0..<4 {
            var splits: [Int] = []
            while (splits.last ?? 0) < file.count - 1 {
                let most = round == 0 && file.count < 4096 ? 1 : 1 << Int.random(in: 6..<16, using: &random)
                splits.append(min(file.count - 1, (splits.last ?? 0) + Int.random(in: 1...most, using: &random)))
            }
            let session = PNGSession(file, splits: splits, delivery: round % 2 == 0 ? .last : .every)
            #expect(session.bitmap?.tightBytes() == expected)
            #expect(session.header == whole.header)
            #expect(session.error == nil)
        }
    }

    @Test("every invalid file gives an error or a picture", arguments: PNGCorpus.files("invalid"))
    func invalid(path: String) throws {
        let file = try PNGCorpus.bytes(path)
        let session = PNGSession(file)
        #expect(session.error != nil || session.isComplete)
        // What libpng reads, and we find no fault with, is the same.
        if session.error == nil, let oracle = LibPNG.decode(file) {
            #expect(session.bitmap?.samples16 == oracle.samples)
        }
    }

    @Test("every valid file survives being written", arguments: PNGCorpus.files("valid"))
    func rewriting(path: String) throws {
        let bitmap = try #require(PNGSession(try PNGCorpus.bytes(path)).bitmap)
        let buffer = ByteBuffer()
        try PNGCodec().encode(bitmap, options: EncodingOptions(), output: buffer)
        let oracle = try #require(LibPNG.decode(buffer.bytes))
        #expect(oracle.samples == bitmap.samples16)
    }
}
