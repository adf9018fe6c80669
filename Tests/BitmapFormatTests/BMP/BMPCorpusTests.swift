import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

/// Real files that nobody here wrote.
@Suite("BMP corpus", .needsCorpus)
struct BMPCorpusTests {
    /// Files that Pillow refuses or reads otherwise than the format says.
    static let exceptions = [
        "pal1huff": "Pillow knows no Huffman codes",
        "pal4rle": "Pillow 9 loses its place in runs of four bits; Pillow 13 agrees",
        "rgba32h56": "Pillow 9 knows no header of 56 bytes with these masks; Pillow 13 agrees",
        "rgb24jpeg": "Pillow knows no embedded JPEG",
        "rgb24png": "Pillow knows no embedded PNG",
        "rgba32abf": "Pillow knows no masks with alpha after a header of 40 bytes",
    ]

    @Test("Every valid file decodes to Pillow's pixels", arguments: Corpus.files("valid/bmp"))
    func valid(path: String) throws {
        let file = try Corpus.bytes(path)
        let session = DecoderSession(BMPCodec(), file)
        #expect(session.isComplete && session.error == nil, "\(String(describing: session.error))")
        for round in 0..<3 {
            let split = DecoderSession(BMPCodec(), file, splits: DecoderSession.splits(of: file.count, round: round))
            #expect(split.bitmap?.tightBytes() == session.bitmap?.tightBytes())
            #expect(split.header == session.header)
        }
        if let (name, reason) = Self.exceptions.first(where: { path.contains($0.key) }) {
            print("not compared with Pillow: \(name): \(reason)")
            return
        }
        guard Pillow.isInstalled else { return }
        let expected = try #require(try Pillow.picture(file))
        #expect(session.bitmap?.size == expected.size)
        #expect(session.bitmap?.tightBytes() == expected.samples)
    }

    private static func bitmap(_ name: String) throws -> Bitmap? {
        guard let path = Corpus.files("valid/bmp").first(where: { $0.contains(name) }) else { return nil }
        return DecoderSession(BMPCodec(), try Corpus.bytes(path)).bitmap
    }

    /// bmpsuite stores one picture in every way.
    @Test(
        "Files that Pillow can't read have the same image as the others",
        arguments: [("rgb24jpeg", "rgb24prof", 5), ("rgb24png", "rgb24prof", 0), ("rgba32h56", "rgba32abf", 0)])
    func twins(name: String, twin: String, tolerance: Int) throws {
        guard let bitmap = try Self.bitmap(name), let expected = try Self.bitmap(twin) else { return }
        #expect(bitmap.size == expected.size)
        let sum = zip(bitmap.pixels, expected.pixels).reduce(0) {
            $0 + abs(Int($1.0.red) - Int($1.1.red)) + abs(Int($1.0.green) - Int($1.1.green))
                + abs(Int($1.0.blue) - Int($1.1.blue))
        }
        #expect(sum <= tolerance * 3 * expected.size.pixelCount)
    }

    @Test("The Huffman-coded file is black and white in the right places")
    func blackAndWhite() throws {
        guard let bitmap = try Self.bitmap("pal1huff"), let picture = try Self.bitmap("rgb24prof") else { return }
        #expect(bitmap.size == picture.size)
        let (black, white) = (RGBA8(0, 0, 0), RGBA8(255, 255, 255))
        let certain = zip(bitmap.pixels, picture.pixels).filter { $0.1 == black || $0.1 == white }
        #expect(certain.count > 500)
        // What isn't the letters and their outline is dithered.
        #expect(certain.count { $0.0 == $0.1 } > certain.count * 95 / 100)
    }

    @Test("Every invalid file gives an error or an image", arguments: Corpus.files("invalid/bmp"))
    func invalid(path: String) throws {
        let file = try Corpus.bytes(path)
        let session = DecoderSession(BMPCodec(), file)
        #expect(session.error != nil || session.isComplete)
        let split = DecoderSession(BMPCodec(), file, splits: DecoderSession.splits(of: file.count, round: 0))
        #expect(split.bitmap?.tightBytes() == session.bitmap?.tightBytes())
        #expect(split.error?.code == session.error?.code)
    }
}
