#if WebP
internal import Raster

/// Decodes the image of a WebP file, or the first frame of an animation on its canvas.
final class WebPDecoder: IncrementalDecoder {
    private let options: DecodingOptions
    /// Whether all bytes are available, so that waiting for the last chunks costs nothing.
    private let isWholeAtHand: Bool
    private(set) var reader: WebPChunkReader
    private let pixels: WebPPixelDecoder
    private(set) var header: ImageHeader?
    private(set) var isInputFinished = false
    /// The error that ended the input after the header; thrown once the rows before it were delivered.
    private(set) var failure: ImageError?

    // Set by `start`.
    private var placement: WebPPlacement?
    private var nextRow = 0

    init(options: DecodingOptions, isWholeAtHand: Bool) throws(ImageError) {
        self.options = options
        self.isWholeAtHand = isWholeAtHand
        reader = WebPChunkReader(limits: options.limits, keepsAllFrames: false)
        pixels = try WebPPixelDecoder()
    }

    func append(_ bytes: RawSpan) throws(ImageError) {
        guard failure == nil else { return }
        do throws(ImageError) {
            // The pointer doesn't leave the closure.
            try bytes.withUnsafeBytes { (buffer) throws(ImageError) in try reader.append(buffer) }
        } catch {
            failure = error
        }
        let taken = reader.takeFirstPicture()
        if !taken.isEmpty, !isDone { try pixels.append(taken) }
        try findHeader()
        if header == nil, let failure { throw failure }
    }

    func finish() throws(ImageError) {
        isInputFinished = true
        try findHeader()
        guard header != nil else {
            if let failure { throw failure }
            throw ImageError(
                reader.isAtEnd ? .corrupt : .truncated,
                reader.isAtEnd ? "the WebP file holds no image" : "the WebP file ends before its image begins",
                byteOffset: reader.offset)
        }
    }

    /// Makes the header once the pixels begin.
    ///
    /// EXIF follows the pixels and may contain an orientation: if the file announces EXIF, the header waits for it. XMP
    /// doesn't affect the pixels; the header waits for it only if all bytes are available.
    private func findHeader() throws(ImageError) {
        guard header == nil else { return reader.update(&header!) }
        guard let frame = reader.frames.first, let hasAlpha = frame.hasAlpha,
            let canvas = reader.extended?.canvas ?? frame.picture?.size
        else { return }
        let mayWait = !reader.isAnimated && !reader.isAtEnd && !isInputFinished && failure == nil
        guard !mayWait || reader.awaited.isDisjoint(with: isWholeAtHand ? [.exif, .xmp] : .exif) else { return }
        var known = try reader.header(canvas, limits: options.limits)
        known.hasAlpha = hasAlpha || frame.animation.region.size != canvas
        header = known
    }

    func start(_ plan: DecodingPlan, delivery: PassDelivery) throws(ImageError) -> BitmapInfo {
        guard let header, placement == nil, let frame = reader.frames.first else {
            throw ImageError(.invalidParameter, "a WebP session is started once, after its header")
        }
        try plan.validate(for: header.storedSize)
        let placement = WebPPlacement(frame, plan: plan, canvas: header.storedSize, isAnimated: reader.isAnimated)
        try options.limits.checkWorkingMemory(placement.workingByteCount, for: "decoding the WebP image")
        if let part = placement.decodedPart {
            try pixels.start(part, isOpaque: frame.hasAlpha == false)
        }
        self.placement = placement
        return BitmapInfo(
            size: placement.size, format: .rgba8, alpha: header.hasAlpha ? .straight : .none, profile: header.profile)
    }

    /// Whether all rows were delivered.
    private var isDone: Bool { placement.map { nextRow == $0.size.height } ?? false }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> RowDelivery {
        guard let placement else { throw ImageError(.invalidParameter, "the WebP decoder was not started") }
        guard rows.format == .rgba8, rows.width == placement.size.width, rows.count > 0 else {
            throw ImageError(.invalidParameter, "rows that don't fit the WebP being read")
        }
        if isDone { return try end() }
        let wanted = min(rows.count, placement.size.height - nextRow)
        let count: Int
        if nextRow < placement.frameRows.lowerBound {
            count = min(wanted, placement.frameRows.lowerBound - nextRow)
            rows.clear(count)
        } else if nextRow < placement.frameRows.upperBound {
            let most = min(wanted, placement.frameRows.upperBound - nextRow)
            guard let read = try readFrame(into: &rows, placement, most) else { return .needMoreData }
            count = read
        } else {
            count = wanted
            rows.clear(count)
        }
        nextRow += count
        return .rows(count)
    }

    private func readFrame(
        into rows: inout MutablePixelRows, _ placement: WebPPlacement, _ count: Int
    ) throws(ImageError) -> Int? {
        let frame = reader.frames[0]
        let isFinal = frame.isComplete || isInputFinished || failure != nil
        if placement.frameColumns.count < placement.size.width { rows.clear(count) }
        // Rows above the region are decoded only because chroma interpolation of the region needs them.
        while true {
            let skips = pixelRow < placement.decodedRows.lowerBound
            let most = skips ? min(rows.count, placement.decodedRows.lowerBound - pixelRow) : count
            let read = try pixels.read(
                into: &rows, at: placement.frameColumns.lowerBound, columns: placement.decodedColumns, count: most,
                step: max(Self.leastStep, (frame.byteCount ?? .max) / Self.stepCount), isFinal: isFinal)
            guard let read, read > 0 else { return try waiting(frame) }
            pixelRow += read
            if !skips { return read }
        }
    }

    private var pixelRow = 0

    /// Returns nil to request bytes; throws if there are no more.
    private func waiting(_ frame: WebPFrame) throws(ImageError) -> Int? {
        if frame.isComplete {
            throw ImageError(.corrupt, "the WebP image's data ends before its last row", byteOffset: reader.offset)
        }
        if let failure { throw failure }
        guard isInputFinished else { return nil }
        throw ImageError(.truncated, "the WebP file ends too early", byteOffset: reader.offset)
    }

    /// Handles the end of the rows: the bytes that follow decide whether the file is complete.
    private func end() throws(ImageError) -> RowDelivery {
        // Rows below the region, and other frames, don't matter.
        guard let placement, placement.reachesEnd else { return .end }
        if let failure { throw failure }
        if reader.isAtEnd { return .end }
        guard isInputFinished else { return .needMoreData }
        throw ImageError(.truncated, "the WebP file ends behind its image", byteOffset: reader.offset)
    }

    /// libwebp goes back a few rows whenever its input ends, so it gets the bytes in at most 64 pieces per image: the same
    /// however they arrive, since the rows of a damaged image depend on them.
    private static let stepCount = 64
    private static let leastStep = 256
}

extension MutablePixelRows {
    /// Makes the first `count` rows transparent.
    fileprivate mutating func clear(_ count: Int) {
        FrameCompositor.clear(PixelRect(x: 0, y: 0, width: width, height: count), of: &self, alpha: .straight)
    }
}
#endif
