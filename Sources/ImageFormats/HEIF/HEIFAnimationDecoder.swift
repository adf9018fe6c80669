#if HEIF
internal import Raster

/// Decodes the frames of a HEIC sequence once all bytes have arrived.
///
/// libheif 1.15 can't read tracks, so each frame is passed to it as a file with a single image. A file without a
/// sequence has one frame, its image.
final class HEIFAnimationDecoder: AnimationDecoder {
    private let format: ImageFormat
    private let options: DecodingOptions
    private var bytes: [UInt8] = []
    private var sequence: ISOImageSequence?
    private var first: HEIFFile?
    private(set) var header: ImageHeader?
    private(set) var frames: [AnimationFrame] = []

    init(_ format: ImageFormat, options: DecodingOptions) {
        self.format = format
        // Each frame becomes a file with a single image.
        self.options = options.single
    }

    func append(_ piece: RawSpan) throws(ImageError) {
        try options.limits.checkInput(bytes.count + piece.byteCount, format: format)
        // Used within the call only.
        piece.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    func finish() throws(ImageError) {
        guard first == nil else { return }
        bytes = try ISOItemFile.expanded(bytes)
        sequence = try ISOImageSequence(bytes, limits: options.limits)
        let file = try open(0)
        var header = file.header
        let samples = sequence?.samples ?? []
        header.sequence = ImageSequence(.animation, count: max(1, samples.count), loopCount: 0)
        let canvas = PixelRect(header.storedSize)
        frames = samples.map { AnimationFrame(region: canvas, storedDuration: $0.duration) }
        if frames.isEmpty { frames = [AnimationFrame(region: canvas, storedDuration: 0)] }
        let isInOrder = sequence?.isInOrder ?? true
        if !isInOrder { frames = Array(frames.prefix(1)) }
        self.header = header
        first = file
        guard isInOrder else {
            throw ImageError(
                .unsupported,
                "can't decode the \(format) sequence beyond its first frame: frames are stored in another order than they are shown"
            )
        }
        guard sequence?.isComplete ?? true else {
            throw ImageError(.truncated, "the \(format) file ends in frame \(frames.count) of its sequence")
        }
    }

    func start() throws(ImageError) -> BitmapInfo {
        guard let first else { throw ImageError(.invalidParameter, "the \(format) header isn't known yet") }
        return first.info
    }

    func decodeFrame(at index: Int) throws(ImageError) -> Bitmap {
        guard let first, frames.indices.contains(index) else {
            throw ImageError(.invalidParameter, "the \(format) file has no frame \(index)")
        }
        let file = try open(index)
        guard file.info.size == first.info.size, file.info.alpha == first.info.alpha else {
            throw ImageError(.corrupt, "frame \(index) of the \(format) sequence differs from its header")
        }
        var info = first.info
        info.size = file.info.size
        let picture = file.picture()
        _ = try picture.start(.full)
        return try WholePictureRows(picture, info).makeBitmap()
    }

    /// A frame as a separate file; without a sequence, the file itself.
    private func open(_ index: Int) throws(ImageError) -> HEIFFile {
        let file = try sequence?.still(index, of: bytes, limits: options.limits) ?? bytes
        return try HEIFFile(file, format: format, options: options, allowsGray: false)
    }
}
#endif
