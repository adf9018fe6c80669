internal import Raster

/// Decodes one image of a PNM file; a row is delivered as soon as its bytes have arrived.
final class PNMDecoder: IncrementalDecoder {
    private let options: DecodingOptions
    /// The index of the image to decode.
    private let index: Int
    /// The input not dropped yet; from `position` on it isn't decoded yet.
    private var bytes: [UInt8] = []
    private var position = 0
    /// The number of bytes dropped from the front of the file.
    private var droppedByteCount = 0
    private var isFinished = false
    private var failure: ImageError?
    private(set) var header: ImageHeader?

    // Until the header is known: the image being read, and its parser or the bytes of it still to skip.
    private var imageCount = 0
    private var parser = PNMHeaderParser(at: 0)
    private var skippedByteCount = 0

    private var stored: PNMHeader?
    private var plain: PNMPlainReader?
    private var expander: PNMRowExpander?

    // Set by `start`: the region, and the next stored row.
    private var region: PixelRect?
    private var nextRow = 0

    init(options: DecodingOptions) throws(ImageError) {
        self.options = options
        index = options.imageIndex ?? 0
        guard 0..<max(1, options.limits.maximumFrameCount) ~= index else {
            throw ImageError(
                .invalidParameter,
                "an image index of \(index) is not between 0 and \(options.limits.maximumFrameCount - 1)")
        }
    }

    /// Whether all requested rows were delivered; the rest of the input isn't needed.
    private var isComplete: Bool { region.map { nextRow == $0.y + $0.height } ?? false }

    func append(_ piece: RawSpan) throws(ImageError) {
        guard failure == nil, !isFinished, !isComplete else { return }
        // Moving the remainder costs as much as its length, so it isn't done for every piece.
        if position > bytes.count / 2 {
            bytes.removeFirst(position)
            droppedByteCount += position
            position = 0
        }
        // The pointer doesn't leave the closure.
        piece.withUnsafeBytes { bytes.append(contentsOf: $0) }
        do throws(ImageError) {
            guard bytes.count <= options.limits.maximumInputByteCount else {
                throw ImageError(
                    .limitExceeded,
                    "the PNM needs \(bytes.count) bytes at once; the limit is \(options.limits.maximumInputByteCount)")
            }
            try readHead()
        } catch {
            failure = error
            throw error
        }
    }

    /// Reads headers and skips images up to the header of the image at `index`.
    private func readHead() throws(ImageError) {
        while stored == nil, position < bytes.count {
            if skippedByteCount > 0 {
                let count = min(skippedByteCount, bytes.count - position)
                skippedByteCount -= count
                position += count
                if skippedByteCount == 0 {
                    imageCount += 1
                    parser = PNMHeaderParser(at: droppedByteCount + position)
                }
                continue
            }
            let byte = bytes[position]
            // White space may stand between images.
            if imageCount > 0, parser.byteCount == 0, byte.isPNMSpace {
                position += 1
                parser = PNMHeaderParser(at: droppedByteCount + position)
                continue
            }
            let found = try parser.take(byte)
            position += 1
            guard parser.byteCount <= options.limits.maximumMetadataByteCount else {
                throw ImageError(
                    .limitExceeded,
                    "the PNM header has more than \(options.limits.maximumMetadataByteCount) bytes, the limit")
            }
            if let found { try begin(found) }
        }
    }

    private func begin(_ found: PNMHeader) throws(ImageError) {
        try options.limits.check(found.size, format: .pnm)
        guard imageCount == index else {
            if found.isPlain { throw missingImage(count: imageCount + 1) }
            skippedByteCount = found.rowByteCount * found.size.height
            return
        }
        stored = found
        plain = found.isPlain ? PNMPlainReader(found) : nil
        expander = PNMRowExpander(found, maximumBitsPerChannel: options.maximumBitsPerChannel)
        header = ImageHeader(
            format: .pnm, storedSize: found.size, colorModel: found.isGray ? .gray : .rgb,
            bitsPerChannel: found.bitsPerSample, hasAlpha: found.hasAlpha)
    }

    private func missingImage(count: Int) -> ImageError {
        ImageError(.invalidParameter, "the PNM has \(count) images and none with index \(index)")
    }

    func finish() throws(ImageError) {
        guard !isFinished else { return }
        isFinished = true
        guard failure == nil, stored == nil else { return }
        if imageCount > 0, parser.byteCount == 0 {
            failure = missingImage(count: imageCount)
        } else {
            let place = skippedByteCount > 0 ? "image \(imageCount)" : "its header"
            failure = ImageError(
                .truncated, "the PNM ends within \(place)", byteOffset: droppedByteCount + bytes.count)
        }
        throw failure!
    }

    func start(_ plan: DecodingPlan, delivery: PassDelivery) throws(ImageError) -> BitmapInfo {
        guard let header, let expander else {
            throw ImageError(.invalidParameter, "the PNM header isn't known yet")
        }
        try plan.validate(for: header.storedSize)
        let region = plan.region ?? PixelRect(header.storedSize)
        self.region = region
        return BitmapInfo(
            size: region.size, format: expander.format, alpha: header.hasAlpha ? .straight : .none)
    }

    func read(into target: inout MutablePixelRows) throws(ImageError) -> RowDelivery {
        guard let region, let stored, let expander else {
            throw ImageError(.invalidParameter, "the PNM decoder was not started")
        }
        let end = region.y + region.height
        let bytes = bytes
        let rowByteCount = stored.rowByteCount
        var count = 0
        var damage: ImageError?
        while nextRow < end, count < target.count {
            if plain != nil {
                do throws(ImageError) {
                    let isThere = try plain!.readRow(
                        from: bytes.span, at: &position, isWhole: isFinished, start: droppedByteCount)
                    guard isThere else { break }
                } catch {
                    damage = error
                    break
                }
            } else if bytes.count - position < rowByteCount {
                break
            }
            if nextRow >= region.y {
                if let plain {
                    expander.expand(plain.row.span, from: region.x, to: &target, count)
                } else {
                    let row = bytes.span.extracting(position..<(position + rowByteCount))
                    expander.expand(row, from: region.x, to: &target, count)
                }
                count += 1
            }
            if plain == nil { position += rowByteCount }
            nextRow += 1
        }
        if count > 0 { return .rows(count) }
        if isComplete { return .end }
        if let error = damage ?? failure { throw error }
        guard isFinished else { return .needMoreData }
        throw ImageError(.truncated, "the PNM ends in row \(nextRow)", byteOffset: droppedByteCount + bytes.count)
    }
}
