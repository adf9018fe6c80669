import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("One frame of an animation as a still image") struct AnimationFrameDecoderTests {
    private let book = FlipBook(PixelSize(width: 7, height: 5), count: 6, seed: 3)

    private func options(_ index: Int) -> DecodingOptions {
        DecodingOptions(color: .asStored, imageIndex: index)
    }

    @Test("Every frame is decoded by its index")
    func everyFrameDecodesByItsIndex() throws {
        for (index, expected) in book.composed.enumerated() {
            let decoded = try ImageSource.decode(book.bytes, options: options(index), registry: .flip)
            #expect(decoded.error == nil && decoded.bitmap.storedSamples == expected)
            #expect(decoded.header.sequence?.count == 6)
            let rows = try ImageRowSource(Source(book.bytes), options: options(index), registry: .flip)
            #expect(try rows.makeBitmap().storedSamples == expected)
            let region = PixelRect(x: 2, y: 1, width: 3, height: 2)
            let part = try ImageSource.decode(
                book.bytes, plan: DecodingPlan(region: region), options: options(index), registry: .flip)
            #expect(try part.bitmap.tightBytes() == decoded.bitmap.cropped(to: region).tightBytes())
            let encoded = try EncodedImage(book.bytes, options: options(index), registry: .flip)
            #expect(try encoded.makeBitmap(.full).storedSamples == expected)
        }
    }

    @Test("A frame is available as soon as its bytes are", arguments: [1, 9, 100])
    func arriving(step: Int) throws {
        let bytes = book.bytes
        let source = ImageSource(options: options(2), registry: .flip)
        var arrived: Int?
        for start in stride(from: 0, to: bytes.count, by: step) {
            try source.append(Array(bytes[start..<min(bytes.count, start + step)]))
            if source.isComplete, arrived == nil { arrived = start + step }
        }
        try source.finish()
        #expect(try source.currentBitmap()?.storedSamples == book.composed[2])
        let end = book.head.count + book.frames[0...2].reduce(0) { $0 + 8 + $1.pixels.count }
        #expect(arrived! >= end && arrived! < end + step)
    }

    @Test("Missing frames are refused")
    func framesThatArentThereAreRefused() throws {
        for index in [6, 1000, -1, Int.max] {
            #expect(
                errorCode { try ImageSource.decode(book.bytes, options: options(index), registry: .flip) }
                    == .invalidParameter)
        }
        let cut = Array(book.bytes.dropLast())
        #expect(try ImageSource.decode(cut, options: options(4), registry: .flip).error == nil)
        #expect(errorCode { try ImageSource.decode(cut, options: options(5), registry: .flip) } == .truncated)
    }

    @Test("Without an index, the codec's own session is used")
    func withoutAnIndexTheCodecsOwnSessionDecides() {
        #expect(errorCode { try ImageSource.decode(book.bytes, registry: .flip) } == .unsupported)
    }
}
