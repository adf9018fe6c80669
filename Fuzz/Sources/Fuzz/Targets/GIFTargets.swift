import ImageFormats
import Raster

extension FuzzTarget {
    /// The GIF decoder.
    static let gif = decoding("gif", with: GIFCodec(), seedExtensions: ["gif"]) { [] }

    /// The GIF decoder for animations: every frame, with the file at once and in pieces, which have to give the same.
    static let gifAnimation = FuzzTarget(
        name: "gif-animation", seedExtensions: ["gif"], seeds: { Fixtures.encoded(with: GIFCodec()) }
    ) { input in
        var splits = Splits(input)
        var pieces: [Range<Int>] = []
        while let piece = splits.next() { pieces.append(piece) }
        let whole = frames(of: input, [0..<input.count])
        let inPieces = frames(of: input, pieces)
        precondition(whole.frames == inPieces.frames && whole.pixels == inPieces.pixels, "other frames in pieces")
        precondition(whole.error == inPieces.error, "another error in pieces")
    }

    /// The frames that are there, the pixels of each (nil where it is damaged) and what ends the file too early.
    private static func frames(
        of input: [UInt8], _ pieces: [Range<Int>]
    ) -> (frames: [AnimationFrame], pixels: [[UInt8]?], error: ImageError.Code?) {
        let probe = FormatProbe(whole: input.span.bytes)
        let options = DecodingOptions(
            limits: DecodingLimits(
                maximumPixelCount: 1 << 18, maximumSideLength: 1 << 14, maximumInputByteCount: 1 << 20,
                maximumWorkingByteCount: 1 << 26, maximumMetadataByteCount: 1 << 18, maximumScanCount: 20,
                maximumFrameCount: 50, maximumCompressionRatio: 10_000))
        guard let decoder = try? GIFCodec().makeAnimationDecoder(for: probe, options: options) else {
            return ([], [], nil)
        }
        var failure: ImageError.Code?
        do throws(ImageError) {
            for piece in pieces { try decoder.append(input.span.bytes.extracting(piece)) }
            try decoder.finish()
        } catch {
            failure = error.code
        }
        guard decoder.header != nil, let info = try? decoder.start() else { return ([], [], failure) }
        let pixels = decoder.frames.indices.map { index -> [UInt8]? in
            let frame = decoder.frames[index]
            precondition(frame.region.lies(within: info.size), "frame \(index) lies outside of the canvas")
            guard let bitmap = try? decoder.decodeFrame(at: index) else { return nil }
            precondition(bitmap.size == frame.region.size)
            // A frame may leave parts of an opaque canvas as they are; one that replaces them is as the canvas is.
            precondition(bitmap.info.alpha == info.alpha || frame.blending == .over)
            return bitmap.tightBytes()
        }
        return (decoder.frames, pixels, failure)
    }
}
