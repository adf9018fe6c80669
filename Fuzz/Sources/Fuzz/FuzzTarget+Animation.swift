import ImageFormats
import Raster

extension FuzzTarget {
    /// A target that reads all frames of an animation with one codec: at once, then in pieces, of which the same must
    /// come, the same fault included.
    static func animation(_ name: String, with codec: any ImageCodec, seedExtensions: [String]) -> FuzzTarget {
        FuzzTarget(
            name: name, seedExtensions: seedExtensions,
            seeds: { Fixtures.animated(with: codec) + Fixtures.encoded(with: codec) }
        ) { input in
            var splits = Splits(input)
            var pieces: [Range<Int>] = []
            while let piece = splits.next() { pieces.append(piece) }
            let whole = AnimationReading(input, pieces: [0..<input.count], codec)
            let inPieces = AnimationReading(input, pieces: pieces, codec)
            precondition(whole == inPieces, "in pieces it is another animation")
        }
    }
}

/// All that comes of an animation.
private struct AnimationReading: Equatable {
    var header: ImageHeader?
    var frames: [AnimationFrame] = []
    /// Nil where a frame is damaged.
    var pixels: [[UInt8]?] = []
    var failure: ImageError.Code?

    init(_ input: [UInt8], pieces: [Range<Int>], _ codec: any ImageCodec) {
        let probe = FormatProbe(streamPrefix: input.span.bytes)
        guard let decoder = try? codec.makeAnimationDecoder(for: probe, options: Self.options) else { return }
        do throws(ImageError) {
            for piece in pieces { try decoder.append(input.span.bytes.extracting(piece)) }
            try decoder.finish()
        } catch {
            failure = error.code
        }
        header = decoder.header
        frames = decoder.frames
        guard header != nil, let info = try? decoder.start() else { return }
        pixels = frames.indices.map { index in
            precondition(frames[index].region.lies(within: info.size), "frame \(index) lies outside of the canvas")
            guard let bitmap = try? decoder.decodeFrame(at: index) else { return nil }
            precondition(bitmap.size == frames[index].region.size && bitmap.alpha == info.alpha)
            return bitmap.tightBytes()
        }
    }

    /// As the defaults, within limits that keep each input short of a second.
    private static let options = DecodingOptions(
        limits: DecodingLimits(
            maximumPixelCount: 1 << 16, maximumSideLength: 1 << 14, maximumInputByteCount: 1 << 20,
            maximumWorkingByteCount: 1 << 26, maximumMetadataByteCount: 1 << 18, maximumScanCount: 20,
            maximumFrameCount: 50, maximumCompressionRatio: 10_000))
}
