public import Raster

/// Decodes a picture that is handed over again and again, with all of the bytes so far each time.
///
/// That is the contract of SDWebImage's `SDProgressiveImageCoder` and of Nuke's `ImageDecoding`, by whose names the
/// methods go. Bytes that were there before are passed over, so the work is the same as with an `ImageSource`, which does
/// it: proportional to what is new. For one task at a time.
///
/// ```swift
/// let coder = ProgressiveImageCoder()
/// coder.updateIncrementalData(received, finished: false)
/// show(try coder.incrementalDecodedImage())
/// ```
public final class ProgressiveImageCoder {
    private let source: ImageSource
    private var hasNewPixels = false

    /// Whether the last bytes were there, or were refused. What is handed over afterwards is left aside.
    public private(set) var isFinished = false
    /// Width and height once upright, since the update with which they became known.
    public private(set) var size: PixelSize?
    /// How stored pixels have to be turned, since the update with which it became known. Pictures are turned already,
    /// unless the options say otherwise.
    public private(set) var orientation: Orientation?

    /// A coder that decodes what `plan` asks for, previews included.
    public init(
        plan: DecodingPlan = .full, options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default
    ) {
        source = ImageSource(plan: plan, options: options, registry: registry)
    }

    /// Why the picture isn't whole, once that is known.
    public var error: ImageError? { source.error }

    /// Takes all of the bytes so far, and decodes what is new of them.
    ///
    /// Fewer bytes than the last time bring nothing new. What is wrong with them is in `error`; the picture so far stays.
    public func updateIncrementalData(_ data: RawSpan, finished: Bool) {
        guard !isFinished else { return }
        do throws(ImageError) {
            if data.byteCount > source.byteCount {
                try take(source.append(data.extracting(droppingFirst: source.byteCount)))
            }
            if finished { try take(source.finish()) }
        } catch {
            // Rows that came before the error are new too.
            hasNewPixels = true
        }
        isFinished = finished || source.error != nil
    }

    /// Takes all of the bytes so far, and decodes what is new of them.
    public func updateIncrementalData(_ data: some Sequence<UInt8>, finished: Bool) {
        // Without a copy where there is such storage: the same bytes come again and again. Used within the call only.
        let isDone: Void? = data.withContiguousStorageIfAvailable {
            updateIncrementalData(RawSpan(_unsafeElements: $0), finished: finished)
        }
        if isDone == nil { updateIncrementalData(Array(data).span.bytes, finished: finished) }
    }

    /// Frees what decoding has to keep, for a program that is told that memory is short.
    ///
    /// There is no picture until the next update, which decodes all of its bytes again; the pictures from then on are the
    /// same. One that is finished stays.
    public func removeIntermediateState() { source.removeIntermediateState() }

    private func take(_ events: [DecodingEvent]) {
        for event in events {
            switch event {
            case .header(let header):
                size = size ?? header.size
                orientation = orientation ?? header.metadata.orientation
            case .rows, .pass, .complete: hasNewPixels = true
            case .metadata, .frame: break
            }
        }
    }

    /// The picture so far, a copy until it is finished; nil before the first row.
    /// - Parameter scale: Pixels per point; 0 for the display's.
    /// - Throws: Only for want of memory.
    public func incrementalDecodedImage(scale: Double = 1) throws(ImageError) -> Image? {
        guard let bitmap = try source.currentBitmap() else { return nil }
        return source.header.map { Image(bitmap, format: $0.format, scale: scale) } ?? Image(bitmap, scale: scale)
    }

    /// Takes all of the bytes so far; the picture where they brought new pixels, else nil.
    public func decodePartiallyDownloadedData(_ data: some Sequence<UInt8>) -> Image? {
        hasNewPixels = false
        updateIncrementalData(data, finished: false)
        return hasNewPixels ? (try? incrementalDecodedImage()) ?? nil : nil
    }

    /// Takes all of the bytes there are, and finishes; the work done for previews isn't done again.
    /// - Throws: What keeps the picture from being whole.
    public func decode(_ data: some Sequence<UInt8>) throws(ImageError) -> Image {
        updateIncrementalData(data, finished: true)
        if let error { throw error }
        guard let image = try incrementalDecodedImage() else {
            throw ImageError(.truncated, "the picture has no pixels")
        }
        return image
    }
}
