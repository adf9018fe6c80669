import ImageFormats
import ImageFormatsTestSupport
import Raster
import TestSupport
import Testing

@Suite("Damaged lossless JPEG files")
struct JPEGLosslessDamageTests {
    private static let color = LosslessJPEG {
        ($0.sampling, $0.scans) = ([(1, 1), (1, 1), (1, 1)], [[0, 1, 2]])
        ($0.width, $0.height, $0.predictors, $0.restartRows) = (9, 12, [4], 4)
    }
    private static let separate = LosslessJPEG {
        ($0.sampling, $0.scans) = ([(1, 1), (1, 1), (1, 1)], [[0], [1], [2]])
        ($0.width, $0.height) = (9, 12)
    }

    private static func decode(_ file: [UInt8], splits: [Int] = []) -> DecoderSession {
        DecoderSession(JPEGCodec(), file, splits: splits)
    }

    @Test("A file cut anywhere gives its rows, then the error with its length")
    func truncated() throws {
        for image in [Self.color, Self.separate] {
            let file = image.file
            let whole = try #require(Self.decode(file).bitmap).tightBytes()
            var before = 0
            for end in 0..<(file.count - 2) {
                let cut = Array(file[..<end])
                for splits in [[], Array(stride(from: 11, to: end, by: 11))] {
                    let session = Self.decode(cut, splits: splits)
                    #expect(session.error?.code == .truncated, "\(end)")
                    // libjpeg reports the place where the header breaks off itself.
                    if session.header != nil { #expect(session.error?.byteOffset == end, "\(end)") }
                    #expect(session.rows >= before && session.rows <= 12)
                    before = session.rows
                    let rows = session.bitmap?.tightBytes() ?? []
                    #expect(rows == Array(whole.prefix(rows.count)))
                }
            }
            #expect(before == (image.scans.count == 1 ? 11 : before) && before < 12)
        }
    }

    @Test("Damage ends the image with the rows before it and its byte")
    func damaged() throws {
        var file = Self.color.file
        let restart = try #require((0..<file.count).first { file[$0] == 0xFF && file[$0 + 1] == 0xD1 })
        file[restart + 1] = 0xD3
        for splits in [[], [100, 200, restart, restart + 1, restart + 2]] {
            let session = Self.decode(file, splits: splits.filter { $0 < file.count }.sorted())
            #expect(session.rows == 8)
            #expect(session.error?.code == .corrupt)
            #expect(session.error?.byteOffset.map { abs($0 - restart) <= 1 } == true)
            #expect(session.error?.message.contains("RST1") == true)
        }
    }

    @Test(
        "Frames that can't be shown are refused before any row",
        arguments: [
            // Two components, five, none; one bit, seventeen.
            ([8, 0, 8, 0, 8, 2, 1, 0x11, 0, 2, 0x11, 0], .unsupported),
            ([8, 0, 8, 0, 8, 5, 1, 17, 0, 2, 17, 0, 3, 17, 0, 4, 17, 0, 5, 17, 0], .unsupported),
            ([1, 0, 8, 0, 8, 1, 1, 0x11, 0], .corrupt), ([17, 0, 8, 0, 8, 1, 1, 0x11, 0], .corrupt),
            ([8, 0, 8, 0, 0, 1, 1, 0x11, 0], nil), ([8, 0, 8, 0, 8, 0], nil), ([8, 0, 8, 0, 8, 1, 1, 0x01, 0], nil),
            ([8, 0, 8, 0, 8, 1, 1, 0x51, 0], nil), ([8, 0, 8, 0, 8, 3, 1, 0x11, 0], nil),
            // No height anywhere.
            ([8, 0, 0, 0, 8, 1, 1, 0x11, 0], .corrupt),
        ] as [([UInt8], ImageError.Code?)])
    func refusedFrames(frame: [UInt8], code: ImageError.Code?) {
        let file =
            [0xFF, 0xD8] + LosslessJPEG.segment(0xC3, frame) + LosslessJPEG.segment(0xDA, [1, 1, 0, 1, 0, 0])
            + [1, 2, 3, 0xFF, 0xD9]
        let session = Self.decode(file)
        #expect(session.header == nil && session.rows == 0)
        let error = session.error
        #expect(error != nil && (code == nil || error?.code == code), "\(String(describing: error))")
    }

    @Test(
        "Differential and arithmetic lossless frames are refused by libjpeg", arguments: [0xC7, 0xCB, 0xCF] as [UInt8])
    func otherProcesses(marker: UInt8) throws {
        var file = LosslessJPEG().file
        let frame = try #require(file.firstIndex(of: 0xC3))
        file[frame] = marker
        #expect(Self.decode(file).error?.code == .unsupported)
    }

    @Test("Limits are checked before memory is allocated")
    func limits() throws {
        func error(_ image: LosslessJPEG, _ change: (inout DecodingLimits) -> Void) -> ImageError.Code? {
            var options = DecodingOptions(color: .asStored)
            change(&options.limits)
            return DecoderSession(JPEGCodec(), image.file, options: options).error?.code
        }
        #expect(error(Self.color) { $0.maximumPixelCount = 9 * 12 - 1 } == .limitExceeded)
        #expect(error(Self.color) { $0.maximumSideLength = 11 } == .limitExceeded)
        #expect(error(Self.color) { $0.maximumWorkingByteCount = 10_000 } == .limitExceeded)
        #expect(error(Self.color) { $0.maximumInputByteCount = 300 } == .limitExceeded)
        #expect(error(Self.color) { $0.maximumPixelCount = 9 * 12 } == nil)
        // A size of 65,535 by 65,535 in a file of a few bytes.
        var file = LosslessJPEG().file
        let frame = try #require(file.firstIndex(of: 0xC3))
        file.replaceSubrange((frame + 4)..<(frame + 8), with: [255, 255, 255, 255])
        let session = Self.decode(file)
        #expect(session.error?.code == .limitExceeded && session.header == nil)
        // Bytes that were decoded aren't held against the limit; those of several scans are.
        var options = DecodingOptions(color: .asStored)
        options.limits.maximumInputByteCount = 600
        for (image, code) in [(Self.color, nil), (Self.separate, .limitExceeded)] as [(LosslessJPEG, ImageError.Code?)]
        {
            var image = image
            image.height = 60
            let file = image.file
            let pieces = Array(stride(from: 50, to: file.count, by: 50))
            #expect(file.count > 1200)
            #expect(DecoderSession(JPEGCodec(), file, splits: pieces, options: options).error?.code == code)
        }
    }

    @Test("Changed bytes never trap, and give the same for any split")
    func mutations() {
        var random = SeededGenerator(21)
        let files = [Self.color, Self.separate, LosslessJPEG { ($0.precision, $0.hasDNL) = (16, true) }].map(\.file)
        var options = DecodingOptions(color: .asStored, maximumBitsPerChannel: 16)
        options.limits.maximumPixelCount = 1 << 22
        for round in 0..<600 {
            var file = files[round % files.count]
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                file[Int.random(in: 0..<file.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            let whole = DecoderSession(JPEGCodec(), file, options: options)
            let pieces = DecoderSession(
                JPEGCodec(), file, splits: Array(stride(from: 37, to: file.count, by: 37)), options: options)
            #expect(whole.rows == pieces.rows && whole.error?.code == pieces.error?.code)
            #expect(whole.bitmap?.tightBytes() == pieces.bitmap?.tightBytes())
        }
    }
}
