#if JPEGXL
internal import CTesseraJXL
internal import Raster

/// Decodes the frames of an animation, blended by libjxl: each covers the whole canvas. A still image has one frame.
final class JPEGXLAnimationDecoder: AnimationDecoder {
    private let stream: JPEGXLStream
    private(set) var frames: [AnimationFrame] = []
    private var info: BitmapInfo?
    private var isFinished = false
    /// The error that ended the search for frames.
    private var failure: ImageError?
    /// The number of frames; nil until all have been found.
    private var frameCount: Int?

    /// - Throws: `unsupported` if libjxl isn't installed.
    init(options: DecodingOptions) throws(ImageError) {
        stream = try JPEGXLStream(options: options, isAnimation: true)
    }

    var header: ImageHeader? {
        var header = stream.header
        header?.sequence?.count = frameCount
        return header
    }

    func append(_ bytes: RawSpan) throws(ImageError) {
        if let failure { throw failure }
        do {
            try stream.append(bytes)
            try findFrames()
        } catch {
            failure = error
            throw error
        }
    }

    func finish() throws(ImageError) {
        guard !isFinished else { return }
        isFinished = true
        if let failure { throw failure }
        try stream.finish()
        try findFrames()
    }

    private func findFrames() throws(ImageError) {
        guard let header = stream.header else { return }
        var found = tessera_jxl_frames()
        let status = tessera_jxl_decoder_find_frames(stream.handle, &found)
        let count = Int(found.frames)
        let limit = stream.options.limits.maximumFrameCount
        guard count <= limit else {
            throw ImageError(
                .limitExceeded,
                "the JPEG XL animation has more frames than the limit of \(limit)"
                    + " (DecodingLimits.maximumFrameCount)")
        }
        let region = PixelRect(header.storedSize)
        // Without ticks per second, durations are 0.
        let ticks = stream.stored
        let tick =
            ticks.ticks_numerator > 0 ? Double(ticks.ticks_denominator) / Double(ticks.ticks_numerator) : 0
        for index in frames.count..<max(count, frames.count) {
            let duration = tessera_jxl_decoder_frame_duration(stream.handle, UInt32(index))
            frames.append(AnimationFrame(region: region, storedDuration: Double(duration) * tick))
        }
        if found.is_complete { frameCount = count }
        try stream.check(status)
    }

    func start() throws(ImageError) -> BitmapInfo {
        guard header != nil, info == nil else {
            throw ImageError(.invalidParameter, "a JPEG XL session is started once, after its header")
        }
        guard !stream.stored.is_cmyk else {
            throw ImageError(.unsupported, "CMYK frames can't be decoded")
        }
        let started = try stream.start(nil, delivery: .last)
        info = started
        return started
    }

    func decodeFrame(at index: Int) throws(ImageError) -> Bitmap {
        guard let info else { throw ImageError(.invalidParameter, "the JPEG XL session was not started") }
        guard frames.indices.contains(index) else {
            throw ImageError(.invalidParameter, "there is no frame \(index) yet")
        }
        // All frames of an animation are checked against the bytes received so far.
        _ = try stream.hasBytes(for: info, isFinished: true)
        let status = stream.withThreads { tessera_jxl_decoder_decode_frame($0, UInt32(index)) }
        if status < 0 {
            var error = stream.error(status)
            error.message = "frame \(index): " + error.message
            // The decoder's position belongs to another frame.
            error.byteOffset = nil
            throw error
        }
        var bitmap = try MutableBitmap(uninitialized: info)
        var rows = bitmap.mutableRows
        let (stride, count, handle) = (rows.bytesPerRow, rows.count, stream.handle)
        rows.withUnsafeBase { base in
            // The shim was started for rows of this width and format; there is room for all of them.
            tessera_jxl_decoder_copy_rows(handle, 0, base.assumingMemoryBound(to: UInt8.self), stride, UInt32(count))
        }
        return bitmap.freeze()
    }
}
#endif
