internal import Raster

/// Decodes one QOI file; a row is delivered as soon as its bytes have arrived.
final class QOIDecoder: IncrementalDecoder {
    private let options: DecodingOptions
    private var input = ArrivedBytes()
    private var rows: QOIRowReader?
    private var isFinished = false
    private var failure: ImageError?
    private(set) var header: ImageHeader?

    // Set by `start`: the region, and the next stored row.
    private var region: PixelRect?
    private var nextRow = 0

    init(options: DecodingOptions) { self.options = options }

    /// Whether all requested rows were delivered; the rest of the input isn't needed.
    private var isComplete: Bool { region.map { nextRow == $0.y + $0.height } ?? false }

    func append(_ piece: RawSpan) throws(ImageError) {
        guard failure == nil, !isFinished, !isComplete else { return }
        do throws(ImageError) {
            try input.append(piece, format: .qoi, limits: options.limits)
            if header == nil, input.bytes.count >= QOIHeader.byteCount { try readHeader() }
        } catch {
            failure = error
            throw error
        }
    }

    private func readHeader() throws(ImageError) {
        let stored = try QOIHeader(input.bytes, limits: options.limits)
        input.position = QOIHeader.byteCount
        rows = QOIRowReader(width: stored.size.width, hasAlpha: stored.hasAlpha)
        header = ImageHeader(
            format: .qoi, storedSize: stored.size, colorModel: .rgb, hasAlpha: stored.hasAlpha,
            profile: stored.isLinear ? .calibrated(gamma: 1, nil) : .sRGB)
    }

    func finish() throws(ImageError) {
        guard !isFinished else { return }
        isFinished = true
        if failure == nil, header == nil { try readHeader() }
    }

    func start(_ plan: DecodingPlan, delivery: PassDelivery) throws(ImageError) -> BitmapInfo {
        guard let header else { throw ImageError(.invalidParameter, "the QOI header isn't known yet") }
        try plan.validate(for: header.storedSize)
        let region = plan.region ?? PixelRect(header.storedSize)
        self.region = region
        return BitmapInfo(
            size: region.size, format: .rgba8, alpha: header.hasAlpha ? .straight : .none, profile: header.profile)
    }

    func read(into target: inout MutablePixelRows) throws(ImageError) -> RowDelivery {
        guard let region, rows != nil else { throw ImageError(.invalidParameter, "the QOI decoder was not started") }
        let end = region.y + region.height
        let bytes = input.bytes
        var count = 0
        var outcome = QOIRowReader.Outcome.complete
        while nextRow < end, count < target.count {
            outcome = rows!.readRow(from: bytes.span, at: &input.position, isWhole: isFinished)
            guard outcome == .complete else { break }
            if nextRow >= region.y {
                rows!.copyRow(from: region.x, to: target.row(count, as: RGBA8.self))
                count += 1
            }
            nextRow += 1
        }
        if count > 0 { return .rows(count) }
        if isComplete { return .end }
        let offset = input.offset
        if outcome == .ended {
            throw ImageError(.corrupt, "the QOI's end is marked in row \(nextRow)", byteOffset: offset)
        }
        if let failure { throw failure }
        guard isFinished else { return .needMoreData }
        throw ImageError(.truncated, "the QOI ends in row \(nextRow)", byteOffset: input.endOffset)
    }
}

/// Decodes chunks into pixels, one row at a time; the bytes may end anywhere in between.
struct QOIRowReader {
    /// The result of reading a row.
    enum Outcome {
        /// The row is complete.
        case complete
        /// The row needs more bytes.
        case needsMore
        /// The end marker occurs within the row.
        case ended
    }

    /// The row being read.
    private var row: [RGBA8]
    /// The number of pixels read so far.
    private var x = 0
    /// Recently seen pixels, each at its `qoiIndex`.
    private var seen = [RGBA8](repeating: RGBA8(0, 0, 0, 0), count: 64)
    private var pixel = RGBA8(0, 0, 0, 255)
    /// How many more times `pixel` is repeated.
    private var run = 0
    /// 255 where the image has no alpha, ORed into each pixel's alpha; else 0.
    private let opaque: UInt8

    init(width: Int, hasAlpha: Bool) {
        row = [RGBA8](repeating: RGBA8(0, 0, 0), count: width)
        opaque = hasAlpha ? 0 : 255
    }

    /// Copies the row's pixels from column `first` on.
    func copyRow(from first: Int, to target: consuming MutableSpan<RGBA8>) {
        let row = row.span
        for index in 0..<target.count { target[index] = row[first + index] }
    }

    /// Reads the rest of the next row from `bytes`, starting at `position`, which advances past the bytes used.
    /// - Parameter isWhole: Whether no more bytes follow.
    mutating func readRow(from bytes: Span<UInt8>, at position: inout Int, isWhole: Bool) -> Outcome {
        let opaque = opaque
        var (pixel, run, x, next) = (pixel, run, x, position)
        // Moved into locals for the call, which avoids a lookup for each pixel.
        var (rowPixels, seenPixels) = (row, seen)
        (row, seen) = ([], [])
        defer {
            (self.pixel, self.run, self.x, position) = (pixel, run, x, next)
            (self.row, self.seen) = (rowPixels, seenPixels)
        }
        var row = rowPixels.mutableSpan
        var seen = seenPixels.mutableSpan
        if x == row.count { x = 0 }
        while x < row.count {
            if run > 0 {
                let end = min(row.count, x + run)
                run -= end - x
                var shown = pixel
                shown.alpha |= opaque
                while x < end {
                    row[x] = shown
                    x += 1
                }
                continue
            }
            guard next < bytes.count else { return .needsMore }
            let tag = bytes[next]
            switch tag >> 6 {
            case 0:  // QOI_OP_INDEX
                if tag == 0, let outcome = Self.end(bytes, at: next, isWhole: isWhole) { return outcome }
                pixel = seen[Int(tag)]
                next += 1
            case 1:  // QOI_OP_DIFF
                pixel.red &+= (tag >> 4 & 3) &- 2
                pixel.green &+= (tag >> 2 & 3) &- 2
                pixel.blue &+= (tag & 3) &- 2
                next += 1
            case 2:  // QOI_OP_LUMA
                guard next + 2 <= bytes.count else { return .needsMore }
                let rest = bytes[next + 1]
                let green = (tag & 63) &- 32
                pixel.red &+= green &- 8 &+ rest >> 4
                pixel.green &+= green
                pixel.blue &+= green &- 8 &+ rest & 15
                next += 2
            default:
                guard tag >= 0xFE else {  // QOI_OP_RUN
                    run = Int(tag & 63) + 1
                    seen[pixel.qoiIndex] = pixel
                    next += 1
                    continue
                }
                // QOI_OP_RGB, QOI_OP_RGBA
                let byteCount = tag == 0xFF ? 5 : 4
                guard next + byteCount <= bytes.count else { return .needsMore }
                pixel.red = bytes[next + 1]
                pixel.green = bytes[next + 2]
                pixel.blue = bytes[next + 3]
                if tag == 0xFF { pixel.alpha = bytes[next + 4] }
                next += byteCount
            }
            seen[pixel.qoiIndex] = pixel
            var shown = pixel
            shown.alpha |= opaque
            row[x] = shown
            x += 1
        }
        return .complete
    }

    /// Checks whether the index 0 at `start` begins the end marker, or may begin it; nil if it is a pixel.
    private static func end(_ bytes: Span<UInt8>, at start: Int, isWhole: Bool) -> Outcome? {
        let marker = QOIHeader.endMarker
        for index in 1..<marker.count {
            guard start + index < bytes.count else { return isWhole ? nil : .needsMore }
            if bytes[start + index] != marker[index] { return nil }
        }
        return .ended
    }
}
