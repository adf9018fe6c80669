#if JPEGXL
import Foundation
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

@Suite("JPEG XL corpus", .needsCorpus)
struct JPEGXLCorpusTests {
    // djxl's floats, rounded to the nearest, are exactly what rows hold, lossy or not: there is no tolerance.
    @Test("Every valid file decodes to djxl's pixels", arguments: Corpus.files("valid/jxl"), [8, 16])
    func valid(path: String, bits: Int) throws {
        let file = try Corpus.bytes(path)
        let options = DecodingOptions(color: .asStored, maximumBitsPerChannel: bits)
        let decoded = try ImageSource.decode(file, options: options)
        #expect(decoded.error == nil)
        #expect(decoded.bitmap.format.bitsPerChannel == (decoded.header.bitsPerChannel > 8 ? bits : 8))
        guard DJXL.isInstalled else { return }
        let expected = try #require(try DJXL.decode(file)?.first)
        #expect(decoded.bitmap.size == expected.size)
        if decoded.header.colorModel == .cmyk {
            try checkInks(decoded.bitmap, expected)
        } else {
            #expect(decoded.bitmap.storedSamples == expected.samples(as: decoded.bitmap.info))
        }
    }

    /// djxl leaves inks as they are: cyan, magenta, yellow, black and alpha, 1 for none.
    private func checkInks(_ bitmap: Bitmap, _ inks: DJXL.Picture) throws {
        let samples = bitmap.storedSamples
        try #require(inks.channelCount == 5 && samples.count == inks.samples.count / 5 * 4)
        let levels = inks.samples.map { Int(min(max($0, 0), 1) * 255 + 0.5) }
        var worst = 0
        for pixel in 0..<(samples.count / 4) {
            for channel in 0..<3 {
                let expected = (levels[5 * pixel + channel] * levels[5 * pixel + 3] + 127) / 255
                worst = max(worst, abs(expected - Int(samples[4 * pixel + channel])))
            }
            worst = max(worst, abs(levels[5 * pixel + 4] - Int(samples[4 * pixel + 3])))
        }
        #expect(worst == 0)
    }

    @Test("Every animation's frames are djxl's", arguments: Corpus.files("valid/jxl"))
    func animations(path: String) throws {
        let file = try Corpus.bytes(path)
        let isAnimated = JPEGXLCodec().identify(FormatProbe(whole: file.span.bytes)) == .match(.jpegXL, .animated)
        #expect(isAnimated == path.contains("animation"))
        guard isAnimated else { return }
        let decoder = try JPEGXLCodec()
            .makeAnimationDecoder(for: FormatProbe(whole: file.span.bytes), options: DecodingOptions(color: .asStored))
        try decoder.append(file.span.bytes)
        try decoder.finish()
        let info = try decoder.start()
        #expect(decoder.header?.sequence?.count == decoder.frames.count)
        guard DJXL.isInstalled else { return }
        let expected = try #require(try DJXL.decode(file))
        try #require(decoder.frames.count == expected.count)
        for index in expected.indices {
            let frame = try decoder.decodeFrame(at: index)
            #expect(frame.info == info)
            #expect(frame.storedSamples == expected[index].samples(as: info), "frame \(index)")
        }
        // Back, on, and to one on its own.
        for index in [expected.count / 2, 1, 2, expected.count - 1, 0] {
            let frame = try decoder.decodeFrame(at: index)
            #expect(frame.storedSamples == expected[index].samples(as: info), "frame \(index), sought")
        }
    }

    @Test("Every valid file gives the same for any split, passes included", arguments: Corpus.files("valid/jxl"))
    func splits(path: String) throws {
        let file = try Corpus.bytes(path)
        let whole = DecoderSession(JPEGXLCodec(), file)
        #expect(whole.isComplete && whole.error == nil)
        let every = DecoderSession(JPEGXLCodec(), file, delivery: .every)
        #expect(every.bitmap?.tightBytes() == whole.bitmap?.tightBytes())
        for round in 0..<3 {
            let splits = DecoderSession.splits(of: file.count, round: file.count < 1000 ? 0 : round + 1)
            let session = DecoderSession(JPEGXLCodec(), file, splits: splits, delivery: round == 0 ? .last : .every)
            #expect(session.bitmap?.tightBytes() == whole.bitmap?.tightBytes())
            #expect(session.header == whole.header)
            #expect(session.isComplete && session.error == nil)
            if round > 0 {
                #expect(session.passBitmaps.map { $0.tightBytes() } == every.passBitmaps.map { $0.tightBytes() })
            }
        }
    }

    @Test("Every invalid file gives an error or an image", arguments: Corpus.files("invalid/jxl"))
    func invalid(path: String) throws {
        let file = try Corpus.bytes(path)
        let session = DecoderSession(JPEGXLCodec(), file)
        #expect(session.isComplete || session.error != nil)
        let split = DecoderSession(JPEGXLCodec(), file, splits: Array(1..<file.count), delivery: .every)
        #expect(split.isComplete == session.isComplete)
        #expect(split.error?.code == session.error?.code)
        guard DJXL.isInstalled else { return }
        let theirs = try DJXL.decode(file)
        #expect((theirs != nil) == session.isComplete)
    }

    @Test("The orientation is reported and not applied")
    func orientation() throws {
        for (name, orientation) in [
            ("orientation2", Orientation.upMirrored), ("orientation8", .left), ("sunset", .rightMirrored),
        ] {
            let path = try #require(Corpus.files("valid/jxl").first { $0.contains(name) })
            let file = try Corpus.bytes(path)
            let session = DecoderSession(JPEGXLCodec(), file)
            #expect(session.header?.metadata.orientation == orientation)
            let upright = try ImageSource.decode(file, options: DecodingOptions(color: .asStored))
            let turned = try session.bitmap?.oriented(by: orientation)
            #expect(upright.bitmap.tightBytes() == turned?.tightBytes())
        }
    }

    @Test(
        "A packed JPEG is restored exactly, unless cjxl can't either", arguments: Corpus.files("valid/jpeg")
    )
    func reconstruction(path: String) throws {
        let jpeg = try Corpus.bytes(path)
        let file: [UInt8]
        do throws(ImageError) {
            file = try JPEGXL.data(losslesslyFrom: jpeg, effort: 3)
        } catch {
            #expect(error.code == .unsupported || error.code == .corrupt)
            guard DJXL.isInstalled else { return }
            // cjxl makes files of some that nothing comes back from.
            let theirs = try DJXL.encode(jpeg, named: "in.jpg", arguments: ["-e", "3", "--lossless_jpeg=1"])
            let returned = theirs.flatMap { try? JPEGXL.jpegData(from: $0) }
            #expect(returned != jpeg)
            return
        }
        #expect(try JPEGXL.jpegData(from: file) == jpeg)
    }

    @Test("A file's JPEG is found")
    func storedJPEG() throws {
        let path = try #require(Corpus.files("valid/jxl").first { $0.contains("grayscale_jpeg") })
        let jpeg = try #require(try JPEGXL.jpegData(from: try Corpus.bytes(path)))
        #expect(jpeg.starts(with: [0xFF, 0xD8, 0xFF]) && jpeg.suffix(2) == [0xFF, 0xD9])
        let decoded = try ImageSource.decode(jpeg, options: DecodingOptions(color: .asStored))
        #expect(decoded.error == nil && decoded.bitmap.format == .gray8)
    }
}
#endif
