import CTesseraJPEG
import Foundation
import ImageFormats
import ImageFormatsTestSupport
import Raster
import SamplePictures
import TestSupport
import Testing

@Suite("JPEG at reduced sizes by the lowest frequencies")
struct JPEGLowFrequencyTests {
    private static let size = PixelSize(width: 320, height: 240)

    /// The basis of a DCT of `count` values, by frequency and position.
    private static func basis(_ count: Int) -> [[Double]] {
        (0..<count).map { frequency in
            (0..<count).map { position in
                let scale = (frequency == 0 ? 1 : 2) / Double(count)
                return scale.squareRoot() * cos(Double((2 * position + 1) * frequency) * .pi / Double(2 * count))
            }
        }
    }

    /// The lowest `side` × `side` frequencies of a block, as that many samples.
    private static func reduced(_ block: [[Double]], to side: Int) -> [[Double]] {
        let (large, small) = (basis(8), basis(side))
        var frequencies = small
        for v in 0..<side {
            for u in 0..<side {
                var sum = 0.0
                for y in 0..<8 { for x in 0..<8 { sum += large[v][y] * large[u][x] * block[y][x] } }
                frequencies[v][u] = sum * Double(side) / 8
            }
        }
        return (0..<side).map { y in
            (0..<side).map { x in
                var sum = 0.0
                for v in 0..<side { for u in 0..<side { sum += small[v][y] * small[u][x] * frequencies[v][u] } }
                return sum
            }
        }
    }

    @Test("Samples are the transform's of the lowest frequencies of libjpeg's pixels", arguments: [6, 4, 3, 2])
    func transform(side: Int) throws {
        let file = JPEGFixture.file(.init(pixels: TESSERA_JPEG_PIXELS_GRAY8, size: Self.size))
        let pixels = JPEGScans.decode(file, pixels: TESSERA_JPEG_PIXELS_GRAY8, eighths: 8)
        // Pixels at the ends of their range have lost a part of their block's frequencies.
        let made = try JPEGSlicedRowsTests.decode(file, side: side, threads: 2, sliceByteCount: 400, isLow: true)
        let width = Self.size.width * side / 8
        var compared = 0
        for row in 0..<(Self.size.height / 8) {
            for column in 0..<(Self.size.width / 8) {
                let block = (0..<8).map { y in
                    (0..<8).map { x in Double(pixels[(8 * row + y) * Self.size.width + 8 * column + x]) }
                }
                guard block.allSatisfy({ $0.allSatisfy { $0 > 0 && $0 < 255 } }) else { continue }
                let expected = Self.reduced(block, to: side)
                for y in 0..<side {
                    for x in 0..<side {
                        let sample = Double(made.pixels[(side * row + y) * width + side * column + x])
                        // Pixels were rounded, as samples are.
                        #expect(abs(sample - min(max(expected[y][x], 0), 255)) < 1.2)
                        compared += 1
                    }
                }
            }
        }
        #expect(!made.isDamaged && compared > 1000)
    }

    @Test("Pixels don't depend on threads and slices", arguments: [6, 4, 3, 2])
    func threads(side: Int) throws {
        for subsampling in JPEGSampleRowsTests.samplings {
            let file = JPEGFixture.file(.init(subsampling: subsampling, size: Self.size))
            let one = try JPEGSlicedRowsTests.decode(file, side: side, threads: 1, sliceByteCount: 100_000, isLow: true)
            for (threads, sliceByteCount) in [(1, 200), (2, 300), (3, 1000), (8, 200)] {
                let made = try JPEGSlicedRowsTests.decode(
                    file, side: side, threads: threads, sliceByteCount: sliceByteCount, isLow: true)
                #expect(!made.isDamaged && made.pixels == one.pixels, "\(subsampling), \(threads) threads")
            }
        }
    }

    @Test("Chroma of DC alone leaves brightness as it is, for any number of threads")
    func subsampledEighth() throws {
        for subsampling in JPEGSampleRowsTests.samplings {
            let kind = JPEGFixture.Kind(subsampling: subsampling, size: Self.size)
            func made(_ file: [UInt8], _ threads: Int) throws -> [UInt8] {
                try JPEGSlicedRowsTests.decode(
                    file, side: 1, threads: threads, sliceByteCount: 300, keepsSubsampling: true
                ).pixels
            }
            var random = SeededGenerator(4)
            let gray = (0..<Self.size.pixelCount).flatMap { _ in
                let level = UInt8.random(in: 0...255, using: &random)
                return [level, level, level, 255]
            }
            let grayFile = JPEGFixture.file(kind, pixels: gray)
            let expected = JPEGScans.decode(grayFile, pixels: TESSERA_JPEG_PIXELS_RGBA8, eighths: 1)
            #expect(try made(grayFile, 2) == expected, "\(subsampling)")
            let file = JPEGFixture.file(kind)
            let one = try made(file, 1)
            for threads in [2, 3, 8] { #expect(try made(file, threads) == one, "\(subsampling), \(threads) threads") }
        }
    }

    @Test("A thumbnail is one of the full size, to less than a level")
    func thumbnail() throws {
        let size = PixelSize(width: 1200, height: 880)
        let pixels = try SamplePicture.valley.makeBitmap(size: size).tightBytes()
        let file = JPEGFixture.file(.init(size: size), pixels: pixels)
        for (width, gap, decodedWidth, error) in [
            (50, 2, 150, 1), (120, 2, 300, 0.5), (225, 2, 450, 0.5), (300, 2, 600, 0.5), (450, 2, 900, 0.5),
            // An eighth is of means, and has twice the target's pixels whatever the gap.
            (50, 1.4, 150, 1), (100, 1.4, 300, 0.5), (210, 1.4, 300, 0.5), (300, 1.4, 450, 0.5), (420, 1.4, 600, 0.5),
            (640, 1.4, 900, 0.5),
        ] {
            var plan = DecodingPlan(targetSize: PixelSize(width: width, height: width * 880 / 1200))
            plan.reducingGap = gap
            let target = try #require(plan.targetSize)
            func reduced(_ plan: DecodingPlan) throws -> [UInt8] {
                let session = DecoderSession(JPEGCodec(), file, plan: plan, options: DecodingOptions(color: .asStored))
                let bitmap = try #require(session.bitmap)
                #expect(bitmap.size.width == (plan == .full ? size.width : decodedWidth))
                return try bitmap.resampled(to: target, filter: .lanczos3).tightBytes()
            }
            let (full, made) = try (reduced(.full), reduced(plan))
            let squares = zip(full, made).map { (Int($0) - Int($1)) * (Int($0) - Int($1)) }
            let mean = Double(squares.reduce(0, +)) / Double(squares.count)
            #expect(mean < error, "\(width) of \(decodedWidth): \(mean)")
        }
    }
}
