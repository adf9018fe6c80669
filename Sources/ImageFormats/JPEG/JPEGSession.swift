internal import JPEGBitstream
internal import Raster

/// Decodes a JPEG with the decoder for its coding process, which the frame header gives.
///
/// Keeps the bytes before the frame header until it has arrived.
final class JPEGSession: SourceReadingDecoder {
    private let options: DecodingOptions
    /// The decoder of the frame's process; nil until it is known.
    private var decoder: (any IncrementalDecoder)?
    private var walker = JPEGMarkerWalker(recording: 0)
    private var head: [UInt8] = []

    init(options: DecodingOptions) { self.options = options }

    var header: ImageHeader? { decoder?.header }

    var source: Source? {
        get { (decoder as? JPEGDecoder)?.source }
        set { (decoder as? JPEGDecoder)?.source = newValue }
    }

    var prefersWholeInput: Bool { decoder?.prefersWholeInput ?? false }

    func append(_ bytes: RawSpan) throws(ImageError) {
        if let decoder { return try decoder.append(bytes) }
        walk(bytes)
        let structure = walker.structure
        // libjpeg skips segments that it doesn't need, so a longer head isn't kept for it.
        let isTooLong = head.count + bytes.byteCount > options.limits.maximumMetadataByteCount
        guard structure.frame != nil || structure.failure != nil || isTooLong else {
            // The pointer is used within the call only.
            return bytes.withUnsafeBytes { head.append(contentsOf: $0) }
        }
        try choose().append(bytes)
    }

    /// Walks up to the frame header, and a little further.
    private func walk(_ bytes: RawSpan) {
        var offset = 0
        while offset < bytes.byteCount, walker.structure.frame == nil {
            let end = min(offset + 4096, bytes.byteCount)
            do throws(JPEGBitstreamError) {
                try walker.append(bytes.extracting(offset..<end))
            } catch {
                // The decoder reports damage before the frame.
                return
            }
            offset = end
        }
    }

    /// Creates the decoder, and passes the bytes so far to it.
    private func choose() throws(ImageError) -> any IncrementalDecoder {
        let chosen: any IncrementalDecoder =
            switch walker.structure.frame?.marker {
            case .startOfFrame(3): JPEGLosslessDecodingSession(options: options)
            default: try JPEGDecoder(options: options)
            }
        decoder = chosen
        let bytes = head
        head = []
        if !bytes.isEmpty { try chosen.append(bytes.span.bytes) }
        return chosen
    }

    func finish() throws(ImageError) {
        if let decoder { return try decoder.finish() }
        if walker.structure.failure == nil {
            do throws(JPEGBitstreamError) {
                try walker.finish()
            } catch {
                throw ImageError(error)
            }
        }
        try choose().finish()
    }

    func start(_ plan: DecodingPlan, delivery: PassDelivery) throws(ImageError) -> BitmapInfo {
        guard let decoder else { throw ImageError(.invalidParameter, "the JPEG header isn't known yet") }
        return try decoder.start(plan, delivery: delivery)
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> RowDelivery {
        guard let decoder else { throw ImageError(.invalidParameter, "the JPEG decoder was not started") }
        return try decoder.read(into: &rows)
    }
}
