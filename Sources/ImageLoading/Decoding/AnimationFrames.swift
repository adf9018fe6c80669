#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import ImageFormats
internal import Raster
internal import Synchronization

/// The bytes and the decoder of an animation, for all that is made of it.
final class AnimationFrames: Sendable {
    /// What is known so far.
    struct Facts: Sendable {
        var header: ImageHeader?
        var size: PixelSize?
        var frameCount: Int?
        var durations: [Double] = []
        var isFinished = false
        var error: ImageError?
        /// Bytes of the file, and of the canvases that the decoder may come to keep.
        var byteCount = 0
    }

    private struct Input {
        let source: AnimatedImageSource
        /// Bytes that the source has taken in.
        var byteCount = 0
        var isFinished = false
    }

    /// Held while a frame is decoded: the decoder makes one at a time.
    private let input: Mutex<Input>
    /// Apart, so that nobody who asks waits for a frame.
    private let known = Mutex(Facts())
    /// What the decoder's canvases may take from the next frame on; nil for what it has.
    private let wantedByteBudget = Mutex<Int?>(nil)

    init(options: DecodingOptions) {
        input = Mutex(Input(source: AnimatedImageSource(options: options)))
    }

    var facts: Facts { known.withLock { $0 } }

    func frame(at index: Int) throws(ImageError) -> Bitmap {
        try input.withLock { (input) throws(ImageError) in
            if let byteBudget = wantedByteBudget.withLock({ $0.take() }) { input.source.byteBudget = byteBudget }
            return try input.source.frame(at: index)
        }
    }

    /// Has the decoder keep canvases of no more than so many bytes, from the next frame on.
    func limitKeptCanvases(byteCount: Int) { wantedByteBudget.withLock { $0 = byteCount } }

    /// Takes in what of `data`, all bytes so far, is new.
    func append(_ data: Data, isLast: Bool) throws(ImageError) -> [DecodingEvent] {
        try input.withLock { (input) throws(ImageError) in
            guard !input.isFinished else { return [] }
            defer { publish(input) }
            var events: [DecodingEvent] = []
            if data.count > input.byteCount {
                let start = input.byteCount
                input.byteCount = data.count
                events = try input.source.append(data.bytes.extracting(start..<data.count))
            }
            if isLast {
                input.isFinished = true
                events += try input.source.finish()
            }
            return events
        }
    }

    private func publish(_ input: borrowing Input) {
        let source = input.source
        let canvasByteCount = Double(source.size?.pixelCount ?? 0) * 4 * Double(source.frames.count)
        let kept = Int(min(canvasByteCount, Double(AnimatedImageSource.defaultByteBudget)))
        let facts = Facts(
            header: source.header, size: source.size, frameCount: source.frameCount,
            durations: source.frames.map(\.duration), isFinished: input.isFinished || source.error != nil,
            error: source.error,
            byteCount: input.byteCount + kept)
        known.withLock { $0 = facts }
    }
}
