import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

@Suite("GIF corpus", .needsCorpus)
struct GIFCorpusTests {
    /// Where a frame without transparency leaves some of the canvas uncovered, Pillow fills it with the colour of index 0,
    /// and gives what a frame disposed of the background's colour. Browsers leave both transparent, and so do we.
    private static let opaqueInPillow = [
        "imagers__issue_1455_undersized.gif", "wuffs__background-color.gif", "wuffs__small-frame-interlaced.gif",
    ]

    @Test(
        "Every frame of every valid file agrees with Pillow", .needsPillow,
        arguments: Corpus.files("valid/gif"))
    func valid(path: String) throws {
        let file = try Corpus.bytes(path)
        let animation = GIFAnimation(file)
        #expect(animation.error == nil && animation.frameError == nil)
        let source = try AnimatedImageSource(file, options: DecodingOptions(color: .asStored))
        let oracle = try #require(try Pillow.frames(file))
        #expect(animation.shown.count == oracle.count && source.frames.count == oracle.count)
        let isOpaqueThere = Self.opaqueInPillow.contains { path.hasSuffix($0) }
        for (index, frame) in oracle.enumerated() where index < animation.shown.count {
            #expect(animation.info?.size == frame.size)
            // As the test composes it, and as everybody else is given it.
            let shown = animation.shown[index]
            #expect(try source.frame(at: index).pixels == shown, "frame \(index)")
            #expect(shown.count == frame.shown.count)
            let differing = zip(shown, frame.shown).filter { $0 != $1 && !(isOpaqueThere && $0.alpha == 0) }
            #expect(differing.isEmpty, "frame \(index): \(differing.count) pixels differ")
            if isOpaqueThere { #expect(shown.contains { $0.alpha == 0 }) }
            #expect(Int((animation.frames[index].storedDuration * 1000).rounded()) == frame.duration)
        }
        let still = DecoderSession(gif: file)
        #expect(still.isComplete && still.error == nil)
        #expect(still.pixels == animation.shown[0])
    }

    @Test("Every valid file decodes the same for any split of its bytes", arguments: Corpus.files("valid/gif"))
    func splits(path: String) throws {
        let file = try Corpus.bytes(path)
        let whole = DecoderSession(gif: file)
        let animation = GIFAnimation(file)
        for round in 0..<4 {
            let splits = DecoderSession.splits(of: file.count, round: round)
            let session = DecoderSession(gif: file, splits: splits, delivery: round % 2 == 0 ? .last : .every)
            #expect(session.pixels == whole.pixels && session.header == whole.header && session.error == nil)
            guard round == 0 else { continue }
            #expect(GIFAnimation(file, splits: splits).shown == animation.shown)
        }
    }

    @Test("Every invalid file gives an error or an image", arguments: Corpus.files("invalid/gif"))
    func invalid(path: String) throws {
        let file = try Corpus.bytes(path)
        let session = DecoderSession(gif: file)
        #expect(session.error != nil || session.isComplete)
        let animation = GIFAnimation(file)
        #expect(
            animation.error != nil || animation.frameError != nil || animation.shown.count == animation.frames.count)
    }

    @Test(
        "Each invalid file has its error",
        arguments: [
            ("imageflow__gif_frame_buffer_oob.gif", ImageError.Code.limitExceeded),
            ("imageflow__gif_frame_exceeds_canvas.gif", .truncated),
            ("imageflow__gif_oob_palette_index.gif", .corrupt),
            // A frame without pixels is a canvas without any colour.
            ("imageflow__gif_zero_size_frame.gif", nil),
            ("imagegif__issue-96-small-codesize.gif", .corrupt),
            // The first of its frames is whole.
            ("libvips__invalid_multiframe.gif", nil),
            ("pillow__zero_width.gif", .corrupt),
        ] as [(String, ImageError.Code?)])
    func reasons(name: String, code: ImageError.Code?) throws {
        let file = try Corpus.bytes("\(try #require(Corpus.folder))/invalid/gif/\(name)")
        #expect(DecoderSession(gif: file).error?.code == code)
    }

    @Test("Every valid file can be written and read back", arguments: Corpus.files("valid/gif"))
    func rewriting(path: String) throws {
        let animation = GIFAnimation(try Corpus.bytes(path))
        let size = try #require(animation.info?.size)
        let frames = try animation.shown.map { try GIFPictures.bitmap(size, $0) }
        let options = EncodingOptions(loopCount: animation.header?.sequence?.loopCount ?? 1)
        let written = GIFAnimation(
            try GIFPictures.encode(frames, animation.frames.map(\.storedDuration), options: options))
        #expect(written.shown == animation.shown)
        #expect(written.header?.sequence?.loopCount == (frames.count > 1 ? options.loopCount : 1))
    }
}
