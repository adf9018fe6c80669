internal import Raster

/// Decodes one image of a PNM file; a row is delivered as soon as its bytes have arrived.
final class PNMDecoder: IncrementalDecoder {
    private let options: DecodingOptions
    /// The index of the image to decode.
    private let index: Int
    private var input = ArrivedBytes()
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
        do throws(ImageError) {
            try input.append(piece, format: .pnm, limits: options.limits)
            try readHead()
        } catch {
            failure = error
            throw error
        }
    }

    /// Reads headers and skips images up to the header of the image at `index`.
    private func readHead() throws(ImageError) {
        while stored == nil, input.position < input.bytes.count {
            if skippedByteCount > 0 {
                let count = min(skippedByteCount, input.bytes.count - input.position)
                skippedByteCount -= count
                input.position += count
                if skippedByteCount == 0 {
                    imageCount += 1
                    parser = PNMHeaderParser(at: input.offset)
                }
                continue
            }
            let byte = input.bytes[input.position]
            // White space may stand between images.
            if imageCount > 0, parser.byteCount == 0, byte.isPNMSpace {
                input.position += 1
                parser = PNMHeaderParser(at: input.offset)
                continue
            }
            let found = try parser.take(byte)
            input.position += 1
            try options.limits.checkHeader(parser.byteCount, format: .pnm)
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
                .truncated, "the PNM ends within \(place)", byteOffset: input.endOffset)
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
        let bytes = input.bytes
        let rowByteCount = stored.rowByteCount
        var count = 0
        var damage: ImageError?
        while nextRow < end, count < target.count {
            if plain != nil {
                do throws(ImageError) {
                    let isThere = try plain!.readRow(
                        from: bytes.span, at: &input.position, isWhole: isFinished, start: input.droppedByteCount)
                    guard isThere else { break }
                } catch {
                    damage = error
                    break
                }
            } else if bytes.count - input.position < rowByteCount {
                break
            }
            if nextRow >= region.y {
                if let plain {
                    expander.expand(plain.row.span, from: region.x, to: &target, count)
                } else {
                    let row = bytes.span.extracting(input.position..<(input.position + rowByteCount))
                    expander.expand(row, from: region.x, to: &target, count)
                }
                count += 1
            }
            if plain == nil { input.position += rowByteCount }
            nextRow += 1
        }
        if count > 0 { return .rows(count) }
        if isComplete { return .end }
        if let error = damage ?? failure { throw error }
        guard isFinished else { return .needMoreData }
        throw ImageError(.truncated, "the PNM ends in row \(nextRow)", byteOffset: input.endOffset)
    }
}
