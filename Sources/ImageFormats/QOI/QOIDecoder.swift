internal import Raster

/// A session that reads one QOI file: a row comes when its bytes have.
final class QOIDecoder: IncrementalDecoder {
    private let options: DecodingOptions
    /// What came and isn't decoded, from `position` on.
    private var bytes: [UInt8] = []
    private var position = 0
    /// Bytes of the file in front of `bytes`.
    private var droppedByteCount = 0
    private var rows: QOIRowReader?
    private var isFinished = false
    private var failure: ImageError?
    private(set) var header: ImageHeader?

    // What `start` fixed, and the next stored row.
    private var region: PixelRect?
    private var nextRow = 0

    init(options: DecodingOptions) { self.options = options }

    /// Whether all rows that are wanted were delivered; what follows is of no use.
    private var isComplete: Bool { region.map { nextRow == $0.y + $0.height } ?? false }

    func append(_ piece: RawSpan) throws(ImageError) {
        guard failure == nil, !isFinished, !isComplete else { return }
        // Moving the rest costs as much as there is of it, so not for every piece.
        if position > bytes.count / 2 {
            bytes.removeFirst(position)
            droppedByteCount += position
            position = 0
        }
        // Used within the call only.
        piece.withUnsafeBytes { bytes.append(contentsOf: $0) }
        do throws(ImageError) {
            guard bytes.count <= options.limits.maximumInputByteCount else {
                throw ImageError(
                    .limitExceeded,
                    "the QOI needs \(bytes.count) bytes at once; the limit is \(options.limits.maximumInputByteCount)")
            }
            if header == nil, bytes.count >= QOIHeader.byteCount { try readHeader() }
        } catch {
            failure = error
            throw error
        }
    }

    private func readHeader() throws(ImageError) {
        let stored = try QOIHeader(bytes, limits: options.limits)
        position = QOIHeader.byteCount
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
        let bytes = bytes
        var count = 0
        var outcome = QOIRowReader.Outcome.complete
        while nextRow < end, count < target.count {
            outcome = rows!.readRow(from: bytes.span, at: &position, isWhole: isFinished)
            guard outcome == .complete else { break }
            if nextRow >= region.y {
                rows!.copyRow(from: region.x, to: target.row(count, as: RGBA8.self))
                count += 1
            }
            nextRow += 1
        }
        if count > 0 { return .rows(count) }
        if isComplete { return .end }
        let offset = droppedByteCount + position
        if outcome == .ended {
            throw ImageError(.corrupt, "the QOI's end is marked in row \(nextRow)", byteOffset: offset)
        }
        if let failure { throw failure }
        guard isFinished else { return .needMoreData }
        throw ImageError(.truncated, "the QOI ends in row \(nextRow)", byteOffset: droppedByteCount + bytes.count)
    }
}

/// Makes pixels of a file's chunks, a row at a time, wherever the bytes end in between.
struct QOIRowReader {
    /// What became of a row.
    enum Outcome {
        /// It is there.
        case complete
        /// It takes more bytes.
        case needsMore
        /// The end of the file is marked within it.
        case ended
    }

    /// The row that is being read.
    private var row: [RGBA8]
    /// Its pixels so far.
    private var x = 0
    /// Pixels that were seen, each at its `qoiIndex`.
    private var seen = [RGBA8](repeating: RGBA8(0, 0, 0, 0), count: 64)
    private var pixel = RGBA8(0, 0, 0, 255)
    /// How often it is still to be repeated.
    private var run = 0
    /// What alpha is put over, where the picture has none.
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

    /// Reads what is missing of the next row from `bytes`, beginning at `position`, which is left behind what was used.
    /// - Parameter isWhole: Whether no more bytes come.
    mutating func readRow(from bytes: Span<UInt8>, at position: inout Int, isWhole: Bool) -> Outcome {
        let opaque = opaque
        var (pixel, run, x, next) = (pixel, run, x, position)
        // Taken out for the call, so that nothing is looked up per pixel.
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

    /// What keeps the index 0 at `start` from being a pixel: that it begins the mark of the end, or may begin it.
    private static func end(_ bytes: Span<UInt8>, at start: Int, isWhole: Bool) -> Outcome? {
        let marker = QOIHeader.endMarker
        for index in 1..<marker.count {
            guard start + index < bytes.count else { return isWhole ? nil : .needsMore }
            if bytes[start + index] != marker[index] { return nil }
        }
        return .ended
    }
}
