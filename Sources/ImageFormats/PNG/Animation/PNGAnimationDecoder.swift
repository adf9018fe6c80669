internal import Raster

/// Decodes the frames of an animated PNG; a still PNG has one frame.
///
/// Frames are kept compressed, and each is decoded as a still image.
final class PNGAnimationDecoder: AnimationDecoder {
    private let options: DecodingOptions
    private var reader: PNGChunkReader
    private(set) var header: ImageHeader?

    convenience init(options: DecodingOptions) {
        self.init(
            PNGChunkReader(limits: options.limits, frames: PNGFrameList(limits: options.limits)), options: options)
    }

    /// Creates a session for data that `reader`, which collects frames, has read and will read.
    init(_ reader: PNGChunkReader, options: DecodingOptions) {
        self.options = options
        self.reader = reader
        findHeader()
    }

    var frames: [AnimationFrame] { reader.frames?.frames ?? [] }

    func append(_ bytes: RawSpan) throws(ImageError) {
        defer { findHeader() }
        // The pointer is used within the call only.
        try bytes.withUnsafeBytes { (buffer) throws(ImageError) in try reader.append(buffer) }
        if let damage = reader.damage { throw damage }
    }

    func finish() throws(ImageError) {
        guard header != nil else {
            throw ImageError(.truncated, "the PNG file ends before its pixels", byteOffset: reader.offset)
        }
        guard reader.isAtEnd else {
            throw ImageError(.truncated, "the PNG file ends too early", byteOffset: reader.offset)
        }
        try reader.frames?.checkCount(offset: reader.offset)
    }

    private func findHeader() {
        guard header == nil, reader.hasReachedImageData, var found = reader.imageHeader(options)?.header else { return }
        // Any frame may be disposed of to transparency.
        if found.sequence != nil { found.hasAlpha = true }
        header = found
    }

    func start() throws(ImageError) -> BitmapInfo {
        guard let header else { throw ImageError(.invalidParameter, "the PNG header isn't known yet") }
        return canvasInfo(header)
    }

    private func canvasInfo(_ header: ImageHeader) -> BitmapInfo {
        let isDeep = header.bitsPerChannel == 16 && options.maximumBitsPerChannel > 8
        return BitmapInfo(
            size: header.storedSize, format: isDeep ? .rgba16 : .rgba8, alpha: header.hasAlpha ? .straight : .none,
            profile: header.profile)
    }

    func decodeFrame(at index: Int) throws(ImageError) -> Bitmap {
        guard let header, let still = reader.frame(at: index) else {
            throw ImageError(.invalidParameter, "the PNG animation has no frame \(index)")
        }
        let decoder = PNGDecoder(still, options: options)
        try decoder.finish()
        let options = DecodingOptions(color: .asStored, appliesOrientation: false)
        let planned = try PlannedDecoding(.full, of: decoder.header ?? header, options: options) {
            (plan) throws(ImageError) in try decoder.start(plan, delivery: .last)
        }
        let picture = try ImageCanvas(planned, format: .png, options: options)
        var events: [DecodingEvent] = []
        try picture.fill(from: decoder, events: &events)
        guard let bitmap = try picture.finished() else {
            throw ImageError(.truncated, "frame \(index) of the PNG animation has no pixels")
        }
        let info = canvasInfo(header)
        return try bitmap.converted(to: info.format, alpha: bitmap.alpha)
            .withMeaning(alpha: info.alpha, profile: info.profile)
    }
}
