import Foundation
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

@Suite("PNG corpus", .needsCorpus)
struct PNGCorpusTests {
    @Test("Every valid file decodes to libpng's pixels", arguments: Corpus.files("valid/png", "valid/apng"))
    func valid(path: String) throws {
        let file = try Corpus.bytes(path)
        let session = DecoderSession(png: file)
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
        let reduced = try #require(DecoderSession(png: file, bits: 8).bitmap)
        #expect(reduced.samples16 == oracle.samples.atEightBits.map { $0 * 257 })
    }

    @Test(
        "Every valid file decodes the same for any split of its bytes",
        arguments: Corpus.files("valid/png", "valid/apng"))
    func splits(path: String) throws {
        let file = try Corpus.bytes(path)
        let whole = DecoderSession(png: file)
        let expected = whole.bitmap?.tightBytes()
        for round in 0..<4 {
            let splits = DecoderSession.splits(of: file.count, round: round)
            let session = DecoderSession(png: file, splits: splits, delivery: round % 2 == 0 ? .last : .every)
            #expect(session.bitmap?.tightBytes() == expected)
            #expect(session.header == whole.header)
            #expect(session.error == nil)
        }
    }

    @Test("Every invalid file gives an error or an image", arguments: Corpus.files("invalid/png", "invalid/apng"))
    func invalid(path: String) throws {
        let file = try Corpus.bytes(path)
        let session = DecoderSession(png: file)
        #expect(session.error != nil || session.isComplete)
        // What libpng reads, and we find no fault with, is the same; but libpng knows nothing of an animation's only frame.
        let isFrame = session.header?.sequence?.count == 1
        if session.error == nil, !isFrame, let oracle = LibPNG.decode(file) {
            #expect(session.bitmap?.samples16 == oracle.samples)
        }
    }

    @Test("Every valid file can be written and read back", arguments: Corpus.files("valid/png", "valid/apng"))
    func rewriting(path: String) throws {
        let bitmap = try #require(DecoderSession(png: try Corpus.bytes(path)).bitmap)
        let buffer = ByteBuffer()
        try PNGCodec().encode(bitmap, options: EncodingOptions(), output: buffer)
        let oracle = try #require(LibPNG.decode(buffer.bytes))
        #expect(oracle.samples == bitmap.samples16)
    }
}
