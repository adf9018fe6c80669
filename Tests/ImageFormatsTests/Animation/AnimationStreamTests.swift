import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("AnimatedImageSource: a stream") struct AnimationStreamTests {
    private let book = FlipBook(PixelSize(width: 7, height: 5), count: 6, seed: 3)
    private let options = DecodingOptions(color: .asStored)

    @Test("Frames play as soon as they are complete, for every split", arguments: [1, 2, 7, 50, 10_000])
    func arriving(step: Int) throws {
        let (bytes, expected) = (book.bytes, book.composed)
        let source = AnimatedImageSource(options: options, registry: .flip)
        var events: [DecodingEvent] = []
        for start in stride(from: 0, to: bytes.count, by: step) {
            let new = try source.append(Array(bytes[start..<min(bytes.count, start + step)]))
            for case .frame(let index) in new {
                #expect(source.frames.count > index)
                #expect(try source.frame(at: index).storedSamples == expected[index])
            }
            events += new
        }
        #expect(source.frameCount == 6 && !source.isComplete)
        events += try source.finish()
        #expect(source.isComplete)
        #expect(events == [.header(source.header!)] + (0..<6).map { .frame($0) } + [.complete])
    }

    @Test("A truncated animation plays its complete frames")
    func aTruncatedAnimationPlaysWhatThereIs() throws {
        let (bytes, expected) = (book.bytes, book.composed)
        for count in 0..<bytes.count {
            let cut = Array(bytes[..<count])
            let source = AnimatedImageSource(options: options, registry: .flip)
            let error = #expect(throws: ImageError.self) {
                try source.append(cut)
                try source.finish()
            }
            #expect(error?.code == (count < 4 ? .unknownFormat : .truncated), "\(count) bytes")
            #expect(source.error == error && !source.isComplete && source.frameCount == source.frames.count)
            for index in source.frames.indices {
                #expect(try source.frame(at: index).storedSamples == expected[index])
            }
            if source.frames.isEmpty {
                #expect(throws: ImageError.self) { try AnimatedImageSource(cut, registry: .flip) }
            } else {
                #expect(try AnimatedImageSource(cut, registry: .flip).error == error)
            }
            #expect(errorCode { try source.append([1]) } == error?.code)
        }
    }

    @Test("Damaged bytes end the input, and earlier frames stay")
    func brokenBytesEndTheInputAndLeaveTheFramesBefore() throws {
        let source = AnimatedImageSource(options: options, registry: .flip)
        #expect(errorCode { try source.append(book.bytes + [255]) } == .corrupt)
        #expect(source.frames.count == 6 && source.error?.code == .corrupt)
        #expect(try source.frame(at: 5).storedSamples == book.composed[5])
    }

    @Test("An unknown frame count is known at the end")
    func aCountThatIsntSaidIsKnownInTheEnd() throws {
        var book = book
        book.announced = nil
        let source = AnimatedImageSource(options: options, registry: .flip)
        try source.append(book.bytes)
        #expect(source.frameCount == nil && source.frames.count == 6)
        try source.finish()
        #expect(source.frameCount == 6)
        #expect(errorCode { try source.append([1]) } == .invalidParameter)
    }

    @Test("Limits are checked before memory is allocated")
    func limitsAreCheckedBeforeMemoryIsTaken() throws {
        func error(_ change: (inout DecodingLimits) -> Void, _ book: FlipBook) -> ImageError.Code? {
            var limited = DecodingOptions()
            change(&limited.limits)
            return errorCode { try AnimatedImageSource(book.bytes, options: limited, registry: .flip) }
        }
        #expect(error({ $0.maximumPixelCount = 34 }, book) == .limitExceeded)
        #expect(error({ $0.maximumPixelCount = 35 }, book) == nil)
        #expect(error({ $0.maximumWorkingByteCount = 2 * 35 * 4 - 1 }, book) == .limitExceeded)
        #expect(error({ $0.maximumFrameCount = 5 }, book) == .limitExceeded)
        #expect(error({ $0.maximumFrameCount = 6 }, book) == nil)
        var unannounced = book
        unannounced.announced = nil
        var limited = DecodingOptions()
        limited.limits.maximumFrameCount = 4
        let source = try AnimatedImageSource(unannounced.bytes, options: limited, registry: .flip)
        #expect(source.error?.code == .limitExceeded && source.frames.count == 4)
    }

    @Test("A frame outside the canvas is corrupt")
    func aFrameOutsideTheCanvasIsCorrupt() throws {
        var book = book
        book.frames[2].frame.region.x = 200
        let source = try AnimatedImageSource(book.bytes, options: options, registry: .flip)
        #expect(try source.frame(at: 1).storedSamples == self.book.composed[1])
        #expect(errorCode { try source.frame(at: 2) } == .corrupt)
    }

    @Test("Other formats are refused")
    func otherFormatsAreRefused() throws {
        let jpeg = try ImageDestination(format: .jpeg).encode(Bitmap.pattern(4, 4))
        #expect(errorCode { try AnimatedImageSource(jpeg) } == .unsupported)
        #expect(errorCode { try AnimatedImageSource([1, 2, 3, 4, 5]) } == .unknownFormat)
        #expect(errorCode { try AnimatedImageSource([]) } == .unknownFormat)
    }
}
