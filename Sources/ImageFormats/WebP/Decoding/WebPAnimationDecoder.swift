#if WebP
internal import Raster

/// Decodes the frames of an animated WebP file, each independently of the others.
final class WebPAnimationDecoder: AnimationDecoder {
    private let limits: DecodingLimits
    private var reader: WebPChunkReader
    private var failure: ImageError?
    private(set) var header: ImageHeader?
    private(set) var frames: [AnimationFrame] = []

    init(options: DecodingOptions) {
        limits = options.limits
        reader = WebPChunkReader(limits: options.limits, keepsAllFrames: true)
    }

    func append(_ bytes: RawSpan) throws(ImageError) {
        if let failure { throw failure }
        do throws(ImageError) {
            // The pointer doesn't leave the closure.
            try bytes.withUnsafeBytes { (buffer) throws(ImageError) in try reader.append(buffer) }
        } catch {
            failure = error
        }
        try findHeader()
        while frames.count < reader.frames.count, reader.frames[frames.count].isComplete {
            frames.append(reader.frames[frames.count].animation)
        }
        if let failure { throw failure }
    }

    /// Makes the header when the first frame begins; an orientation after the frames comes too late.
    private func findHeader() throws(ImageError) {
        guard header == nil else { return reader.update(&header!) }
        guard reader.isAnimated || reader.extended == nil && reader.frames.isEmpty else {
            throw fail(ImageError(.unsupported, "the WebP file holds one image and no animation"))
        }
        guard let canvas = reader.extended?.canvas, !reader.frames.isEmpty else { return }
        var known: ImageHeader
        do throws(ImageError) {
            known = try reader.header(canvas, limits: limits)
        } catch {
            throw fail(error)
        }
        // Frames may leave parts of the canvas uncovered, whatever the file's alpha flag is.
        known.hasAlpha = true
        header = known
    }

    private func fail(_ error: ImageError) -> ImageError {
        failure = error
        return error
    }

    func finish() throws(ImageError) {
        if let failure { throw failure }
        guard reader.isAtEnd else {
            throw fail(
                ImageError(
                    .truncated, "the WebP animation ends after \(frames.count) frames", byteOffset: reader.offset))
        }
        guard header != nil else { throw fail(ImageError(.corrupt, "the WebP file holds no frames")) }
    }

    func start() throws(ImageError) -> BitmapInfo {
        guard let header else { throw ImageError(.invalidParameter, "the WebP header isn't known yet") }
        return BitmapInfo(size: header.storedSize, format: .rgba8, alpha: .straight, profile: header.profile)
    }

    func decodeFrame(at index: Int) throws(ImageError) -> Bitmap {
        guard let header, frames.indices.contains(index) else {
            throw ImageError(.invalidParameter, "the WebP animation has no frame \(index) so far")
        }
        return try reader.frames[index].decoded(profile: header.profile, limits: limits)
    }
}

extension WebPFrame {
    /// Decodes all pixels of an image whose bytes are there.
    func decoded(profile: ColorProfile, limits: DecodingLimits) throws(ImageError) -> Bitmap {
        var place = self
        place.animation.region = PixelRect(animation.region.size)
        let placement = WebPPlacement(place, plan: .full, canvas: animation.region.size, isAnimated: false)
        try limits.checkWorkingMemory(placement.workingByteCount, for: "decoding the WebP image")
        let pixels = try WebPPixelDecoder()
        try pixels.append(bytes)
        try pixels.start(PixelRect(placement.size), isOpaque: hasAlpha == false)
        var bitmap = try MutableBitmap(
            uninitialized: BitmapInfo(size: placement.size, format: .rgba8, alpha: .straight, profile: profile))
        var done = 0
        while done < placement.size.height {
            let read = try bitmap.withMutableRows(done..<placement.size.height) { (rows) throws(ImageError) -> Int? in
                try pixels.read(
                    into: &rows, at: 0, columns: 0..<rows.width, count: rows.count, step: bytes.count, isFinal: true)
            }
            guard let read, read > 0 else {
                throw ImageError(.corrupt, "the WebP image's data ends before its last row")
            }
            done += read
        }
        return bitmap.freeze()
    }
}
#endif
