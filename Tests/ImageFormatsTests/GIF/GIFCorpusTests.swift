import Foundation
import ImageFormats
import Raster
import Testing

/// Real files that nobody here wrote, where TESSERA_CORPUS says they are.
enum GIFCorpus {
    static let folder = ProcessInfo.processInfo.environment["TESSERA_CORPUS"]

    static func files(_ kind: String) -> [String] {
        guard let folder else { return [] }
        let path = "\(folder)/\(kind)/gif"
        return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted().map { "\(path)/\($0)" }
    }

    static func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }
}

@Suite("GIF corpus", .enabled(if: GIFCorpus.folder != nil, "TESSERA_CORPUS is not set"))
struct GIFCorpusTests {
    /// Where a frame without transparency leaves some of the canvas uncovered, Pillow fills it with the colour of index 0,
    /// and gives what a frame disposed of the background's colour. Browsers leave both transparent, and so do we.
    private static let opaqueInPillow = [
        "imagers__issue_1455_undersized.gif", "wuffs__background-color.gif", "wuffs__small-frame-interlaced.gif",
    ]

    @Test(
        "every frame of every valid file is as Pillow shows it",
        .enabled(if: GIFPrograms.hasPillow, "there is no Python with Pillow; TESSERA_PYTHON can name one"),
        arguments: GIFCorpus.files("valid"))
    func valid(path: String) throws {
        let file = try GIFCorpus.bytes(path)
        let animation = GIFAnimation(file)
        #expect(animation.error == nil && animation.frameError == nil)
        let oracle = try #require(try GIFPrograms.pillowFrames(path))
        #expect(animation.shown.count == oracle.count)
        let isOpaqueThere = Self.opaqueInPillow.contains { path.hasSuffix($0) }
        for (index, frame) in oracle.enumerated() where index < animation.shown.count {
            #expect(animation.info?.size == frame.size)
            let shown = animation.shown[index]
            #expect(shown.count == frame.pixels.count)
            let differing = zip(shown, frame.pixels).filter { $0 != $1 && !(isOpaqueThere && $0.alpha == 0) }
            #expect(differing.isEmpty, "frame \(index): \(differing.count) pixels differ")
            if isOpaqueThere { #expect(shown.contains { $0.alpha == 0 }) }
            #expect(Int((animation.frames[index].storedDuration * 1000).rounded()) == frame.duration)
        }
        let still = GIFSession(file)
        #expect(still.isComplete && still.error == nil)
        #expect(still.pixels == animation.shown[0])
    }

    @Test("every valid file gives the same for any split", arguments: GIFCorpus.files("valid"))
    func splits(path: String) throws {
        let file = try GIFCorpus.bytes(path)
        let whole = GIFSession(file)
        let animation = GIFAnimation(file)
        var random = SeededGenerator(UInt64(file.count))
        for round in 0..<4 {
            var splits: [Int] = []
            while (splits.last ?? 0) < file.count - 1 {
                let most = round == 0 && file.count < 4096 ? 1 : 1 << Int.random(in: 6..<16, using: &random)
                splits.append(min(file.count - 1, (splits.last ?? 0) + Int.random(in: 1...most, using: &random)))
            }
            let session = GIFSession(file, splits: splits, delivery: round % 2 == 0 ? .last : .every)
            #expect(session.pixels == whole.pixels && session.header == whole.header && session.error == nil)
            guard round == 0 else { continue }
            #expect(GIFAnimation(file, splits: splits).shown == animation.shown)
        }
    }

    @Test("every invalid file gives an error or a picture", arguments: GIFCorpus.files("invalid"))
    func invalid(path: String) throws {
        let file = try GIFCorpus.bytes(path)
        let session = GIFSession(file)
        #expect(session.error != nil || session.isComplete)
        let animation = GIFAnimation(file)
        #expect(
            animation.error != nil || animation.frameError != nil || animation.shown.count == animation.frames.count)
    }

    @Test(
        "what is wrong with each invalid file",
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
        let file = try GIFCorpus.bytes("\(try #require(GIFCorpus.folder))/invalid/gif/\(name)")
        #expect(GIFSession(file).error?.code == code)
    }

    @Test("every valid file survives being written", arguments: GIFCorpus.files("valid"))
    func rewriting(path: String) throws {
        let animation = GIFAnimation(try GIFCorpus.bytes(path))
        let size = try #require(animation.info?.size)
        let frames = try animation.shown.map { try GIFPictures.bitmap(size, $0) }
        let options = EncodingOptions(loopCount: animation.header?.sequence?.loopCount ?? 1)
        let written = GIFAnimation(
            try GIFPictures.encode(frames, animation.frames.map(\.storedDuration), options: options))
        #expect(written.shown == animation.shown)
        #expect(written.header?.sequence?.loopCount == (frames.count > 1 ? options.loopCount : 1))
    }
}
