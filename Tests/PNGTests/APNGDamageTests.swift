import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

@Suite("Animated PNG: damage") struct APNGDamageTests {
    private let registry = CodecRegistry([PNGCodec()])
    private let file = APNGFixture(PixelSize(width: 12, height: 8), count: 4, colorType: 6, bitDepth: 8, seed: 5)

    /// Reads a broken file: its frames must be the first of the right ones, its still whole.
    private func read(_ file: APNGFixture) throws -> (Int, ImageError.Code?) {
        let bytes = file.bytes
        let still = try ImageSource.decode(bytes, options: DecodingOptions(color: .asStored), registry: registry)
        #expect(still.error == nil && still.bitmap.samples16 == (file.poster ?? file.pictures[0]).expected)
        let source = AnimatedImageSource(options: DecodingOptions(color: .asStored), registry: registry)
        do throws(ImageError) {
            try source.append(bytes)
            try source.finish()
        } catch {}
        let expected = file.book(.rgba8).composed
        for index in source.frames.indices { #expect(try source.frame(at: index).storedSamples == expected[index]) }
        return (source.frames.count, source.error?.code)
    }

    @Test("A truncated file plays its complete frames")
    func truncatedFilesPlayWhatThereIs() throws {
        let (bytes, expected) = (file.bytes, file.book(.rgba8).composed)
        var counts: [Int] = []
        for count in 0..<bytes.count {
            let source = AnimatedImageSource(options: DecodingOptions(color: .asStored), registry: registry)
            let code = errorCode {
                try source.append(Array(bytes[..<count]))
                try source.finish()
            }
            #expect(code == .truncated || (count < 8 && code == .unknownFormat), "\(count)")
            counts.append(source.frames.count)
            if let last = source.frames.indices.last {
                #expect(try source.frame(at: last).storedSamples == expected[last])
            }
        }
        #expect(counts == counts.sorted() && counts.last == 4)
    }

    @Test("Chunks out of order end the animation")
    func chunksOutOfOrderEndTheAnimation() throws {
        for number in 0..<7 {
            var broken = file
            broken.wrongNumber = number
            let (count, error) = try read(broken)
            #expect(count < 4 && error == .corrupt, "number \(number)")
        }
    }

    @Test("Invalid control chunks end the animation")
    func controlChunksThatMakeNoSenseEndTheAnimation() throws {
        let changes: [(inout [UInt8]) -> Void] = [
            { $0[3] = 13 }, { $0[7] = 0 }, { $0[8] = 0xFF }, { $0[11] = 12 }, { $0[20] = 3 }, { $0[21] = 2 },
            { $0.removeLast() }, { $0 = [] },
        ]
        for (index, change) in changes.enumerated() {
            for frame in 0..<4 {
                var broken = file
                broken.frames[2].region = PixelRect(x: 0, y: 0, width: 12, height: 8)
                broken.pictures[2] = PNGFixture(12, 8, colorType: 6, bitDepth: 8)
                broken.frames[3].region = broken.frames[2].region
                broken.pictures[3] = broken.pictures[2]
                broken.frames[1].region = broken.frames[2].region
                broken.pictures[1] = broken.pictures[2]
                broken.changeControl = { if $0 == frame { change(&$1) } }
                let (count, error) = try read(broken)
                #expect(count <= frame && error == .corrupt, "change \(index) of frame \(frame)")
            }
        }
    }

    @Test("A first frame that is also the still image must fill the canvas")
    func theFirstFrameMustFillTheCanvasWhereItIsThePicture() throws {
        var broken = file
        broken.changeControl = { index, control in if index == 0 { control[3] = 5 } }
        let (count, error) = try read(broken)
        #expect(count == 0 && error == .corrupt)
    }

    @Test("Wrong frame counts are reported")
    func countsThatAreWrongAreSaid() throws {
        var broken = file
        broken.announcedCount = 7
        let tooFew = try read(broken)
        #expect(tooFew.0 == 4 && tooFew.1 == .corrupt)
        broken.announcedCount = 2
        // What comes behind the last frame is nobody's business.
        let tooMany = try read(broken)
        #expect(tooMany.0 == 2 && tooMany.1 == nil)
    }

    @Test("An invalid frame count leaves a still image")
    func aControlChunkThatIsntOneLeavesAStill() throws {
        for count in [0, 0x8000_0000] {
            var broken = file
            broken.announcedCount = count
            broken.frames[0].blending = .source
            let (frameCount, error) = try read(broken)
            #expect(frameCount == 1 && error == nil)
            let header = try ImageSource.header(of: broken.bytes, registry: registry)
            #expect(header.sequence == nil)
        }
    }

    @Test("Wrong checksums end the animation")
    func damagedChecksumsEndTheAnimation() throws {
        let bytes = file.bytes
        for type in ["fcTL", "fdAT"] {
            let name = Array(type.utf8)
            let at = bytes.indices.dropLast(4).last { Array(bytes[$0..<($0 + 4)]) == name }!
            var broken = bytes
            broken[at + 8] ^= 1
            let source = try AnimatedImageSource(broken, options: DecodingOptions(color: .asStored), registry: registry)
            #expect(source.error?.code == .corrupt && source.frames.count == 3)
            #expect(try ImageSource.decode(broken, registry: registry).error == nil)
        }
    }

    @Test("A frame with damaged data is refused, and the others stay")
    func aFrameOfBrokenDataIsRefusedAndOthersStay() throws {
        var broken = file
        broken.frames[2].region = PixelRect(file.size)
        broken.pictures[2] = PNGFixture(12, 7, colorType: 6, bitDepth: 8)
        let source = try AnimatedImageSource(
            broken.bytes, options: DecodingOptions(color: .asStored), registry: registry)
        #expect(source.frames.count == 4)
        #expect(errorCode { try source.frame(at: 2) } == .truncated)
        #expect(try source.frame(at: 1).storedSamples == file.book(.rgba8).composed[1])
    }

    @Test("Limits are checked")
    func limitsHold() throws {
        func code(_ change: (inout DecodingLimits) -> Void) -> ImageError.Code? {
            var options = DecodingOptions()
            change(&options.limits)
            return errorCode {
                let source = try AnimatedImageSource(file.bytes, options: options, registry: registry)
                if let error = source.error { throw error }
                _ = try source.frame(at: 3)
            }
        }
        #expect(code { _ in } == nil)
        #expect(code { $0.maximumPixelCount = 95 } == .limitExceeded)
        #expect(code { $0.maximumFrameCount = 3 } == .limitExceeded)
        #expect(code { $0.maximumInputByteCount = 300 } == .limitExceeded)
        #expect(code { $0.maximumWorkingByteCount = 700 } == .limitExceeded)
    }

    @Test("No bytes trap")
    func noBytesTrap() throws {
        let bytes = file.bytes
        var random = SeededGenerator(11)
        for _ in 0..<1500 {
            var broken = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                broken[Int.random(in: 8..<broken.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let source = AnimatedImageSource(registry: registry)
            _ = try? source.append(broken)
            _ = try? source.finish()
            for index in source.frames.indices { _ = try? source.frame(at: index) }
            _ = try? ImageSource.decode(broken, options: DecodingOptions(imageIndex: 2), registry: registry)
        }
    }
}
