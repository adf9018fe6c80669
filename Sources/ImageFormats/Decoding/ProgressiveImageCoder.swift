public import Raster

/// Decodes an arriving image from all of its bytes so far, passed again with each update.
///
/// The methods have the names and contracts of SDWebImage's `SDProgressiveImageCoder` and Nuke's `ImageDecoding`. Bytes
/// from earlier updates are skipped, so the work is proportional to the new bytes, as with `ImageSource`. Use it from
/// one task at a time.
///
/// ```swift
/// let coder = ProgressiveImageCoder()
/// coder.updateIncrementalData(received, finished: false)
/// show(try coder.incrementalDecodedImage())
/// ```
public final class ProgressiveImageCoder {
    private let source: ImageSource
    private var hasNewPixels = false

    /// Whether the last bytes have arrived, or the input was rejected. Later updates are ignored.
    public private(set) var isFinished = false
    /// The width and height of the upright image; nil until an update contains the header.
    public private(set) var size: PixelSize?
    /// The orientation of stored pixels; nil until an update contains the header. Decoded images already have it
    /// applied, unless the options specify otherwise.
    public private(set) var orientation: Orientation?

    /// Creates a coder that decodes the part and size that `plan` selects, previews included.
    public init(
        plan: DecodingPlan = .full, options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default
    ) {
        source = ImageSource(plan: plan, options: options, registry: registry)
    }

    /// The reason why the image is incomplete, once it is known.
    public var error: ImageError? { source.error }

    /// Decodes the new part of all bytes so far.
    ///
    /// Fewer bytes than last time change nothing. An error is in `error`, and the image so far stays available.
    public func updateIncrementalData(_ data: RawSpan, finished: Bool) {
        guard !isFinished else { return }
        do throws(ImageError) {
            if data.byteCount > source.byteCount {
                try take(source.append(data.extracting(droppingFirst: source.byteCount)))
            }
            if finished { try take(source.finish()) }
        } catch {
            // Rows decoded before the error are new too.
            hasNewPixels = true
        }
        isFinished = finished || source.error != nil
    }

    /// Decodes the new part of all bytes so far.
    public func updateIncrementalData(_ data: some Sequence<UInt8>, finished: Bool) {
        // Avoids copying contiguous bytes, since the same ones come again. The pointer is used within the call only.
        let isDone: Void? = data.withContiguousStorageIfAvailable {
            updateIncrementalData(RawSpan(_unsafeElements: $0), finished: finished)
        }
        if isDone == nil { updateIncrementalData(Array(data).span.bytes, finished: finished) }
    }

    /// Frees the decoder and the image so far, for use under memory pressure.
    ///
    /// There is no image until the next update, which decodes its bytes from the first. A finished image stays.
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

    /// Returns the image so far; nil before the first row. Makes a copy until the image is finished.
    /// - Parameter scale: The pixels per point; 0 for the display's.
    /// - Throws: `outOfMemory`.
    public func incrementalDecodedImage(scale: Double = 1) throws(ImageError) -> Image? {
        guard let bitmap = try source.currentBitmap() else { return nil }
        return source.header.map { Image(bitmap, format: $0.format, scale: scale) } ?? Image(bitmap, scale: scale)
    }

    /// Decodes the new part of all bytes so far, and returns the image; nil if there are no new pixels.
    public func decodePartiallyDownloadedData(_ data: some Sequence<UInt8>) -> Image? {
        hasNewPixels = false
        updateIncrementalData(data, finished: false)
        return hasNewPixels ? (try? incrementalDecodedImage()) ?? nil : nil
    }

    /// Decodes the complete bytes, and reuses the work done for previews.
    /// - Throws: The error that makes the image incomplete.
    public func decode(_ data: some Sequence<UInt8>) throws(ImageError) -> Image {
        updateIncrementalData(data, finished: true)
        if let error { throw error }
        guard let image = try incrementalDecodedImage() else {
            throw ImageError(.truncated, "the image has no pixels")
        }
        return image
    }
}
