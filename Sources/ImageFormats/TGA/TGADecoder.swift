internal import Raster

/// Decodes one TGA file.
///
/// An opaque image stored top-down is delivered as its rows arrive. One stored bottom-up has its first row at the end
/// of the file, and the meaning of alpha is stated there, so those files are buffered as they are; run lengths are read
/// twice, to find the rows and to unpack them.
final class TGADecoder: IncrementalDecoder {
    private let options: DecodingOptions
    /// The input not dropped yet.
    private var bytes: [UInt8] = []
    /// The number of bytes dropped from the front of the file.
    private var droppedByteCount = 0
    private var isFinished = false
    private var failure: ImageError?
    private(set) var header: ImageHeader?

    private var stored: TGAHeader?
    private var expander: TGARowExpander?
    private var reader: TGARowReader?
    /// The places of the rows in the file, as far as it has them, once they are known.
    private var places: [TGARowReader.Place]?
    /// Whether alpha is used, and how.
    private var alpha = TGAAlpha.straight

    // Set by `start`: the region, and the next row of the image.
    private var region: PixelRect?
    private var nextRow = 0

    init(options: DecodingOptions) { self.options = options }

    /// Whether rows are delivered only when all bytes have arrived.
    private var needsWholeInput: Bool { stored.map { !$0.isTopDown || $0.hasAlpha } ?? false }

    /// Whether all requested rows were delivered; the rest of the input isn't needed.
    private var isComplete: Bool { region.map { nextRow == $0.y + $0.height } ?? false }

    func append(_ piece: RawSpan) throws(ImageError) {
        guard failure == nil, !isFinished, !isComplete else { return }
        // Moving the remainder costs as much as its length, so it isn't done for every piece.
        if !needsWholeInput, let position = reader?.place.position, position > bytes.count / 2 {
            bytes.removeFirst(position)
            droppedByteCount += position
            reader!.place.position = 0
        }
        // The pointer doesn't leave the closure.
        piece.withUnsafeBytes { bytes.append(contentsOf: $0) }
        do throws(ImageError) {
            try options.limits.checkHeld(bytes.count, format: .tga)
            try readHead()
        } catch {
            failure = error
            throw error
        }
    }

    /// Reads the header and the palette once they have arrived.
    private func readHead() throws(ImageError) {
        guard header == nil, bytes.count >= TGAHeader.byteCount || isFinished else { return }
        let stored = if let known = self.stored { known } else { try TGAHeader(bytes, limits: options.limits) }
        self.stored = stored
        guard bytes.count >= stored.pixelOffset else {
            guard isFinished else { return }
            throw ImageError(
                .truncated,
                "the TGA has \(bytes.count) bytes of the \(stored.pixelOffset) of its header and palette",
                byteOffset: bytes.count)
        }
        expander = TGARowExpander(stored, head: bytes)
        reader = TGARowReader(stored, at: stored.pixelOffset)
        let bits =
            stored.kind == .indexed ? stored.bitsPerPixel : stored.kind == .rgb && stored.bitsPerPixel <= 16 ? 5 : 8
        let model: ImageHeader.ColorModel =
            switch stored.kind {
            case .indexed: .indexed
            case .rgb: .rgb
            case .gray: .gray
            }
        header = ImageHeader(
            format: .tga, storedSize: stored.size, colorModel: model, bitsPerChannel: bits, hasAlpha: stored.hasAlpha)
    }

    func finish() throws(ImageError) {
        guard !isFinished else { return }
        isFinished = true
        guard failure == nil else { return }
        do throws(ImageError) {
            try readHead()
        } catch {
            failure = error
            throw error
        }
        if needsWholeInput, let stated = TGAAlpha.stated(in: bytes) { alpha = stated }
    }

    func start(_ plan: DecodingPlan, delivery: PassDelivery) throws(ImageError) -> BitmapInfo {
        guard let header, let expander else {
            throw ImageError(.invalidParameter, "the TGA header isn't known yet")
        }
        try plan.validate(for: header.storedSize)
        let region = plan.region ?? PixelRect(header.storedSize)
        self.region = region
        nextRow = needsWholeInput ? region.y : 0
        return BitmapInfo(size: region.size, format: expander.format, alpha: header.hasAlpha ? .straight : .none)
    }

    func read(into target: inout MutablePixelRows) throws(ImageError) -> RowDelivery {
        guard let region, let stored, reader != nil else {
            throw ImageError(.invalidParameter, "the TGA decoder was not started")
        }
        if needsWholeInput, !isFinished {
            if let failure { throw failure }
            return .needMoreData
        }
        let end = region.y + region.height
        let bytes = bytes
        var count = 0
        if needsWholeInput {
            let places = places ?? findRows(stored)
            self.places = places
            while nextRow < end, count < target.count {
                let index = stored.isTopDown ? nextRow : stored.size.height - 1 - nextRow
                if index < places.count {
                    reader!.move(to: places[index])
                    _ = reader!.readRow(from: bytes.span)
                    expand(bytes, to: &target, count)
                } else if !stored.isTopDown, !places.isEmpty {
                    // The top rows, missing at the end of a truncated file that has the rows below.
                    let row = PixelRect(x: 0, y: count, width: target.width, height: 1)
                    FrameCompositor.clear(row, of: &target, alpha: stored.hasAlpha ? .straight : .none)
                } else {
                    break
                }
                count += 1
                nextRow += 1
            }
        } else {
            while nextRow < end, count < target.count, reader!.readRow(from: bytes.span) {
                if nextRow >= region.y {
                    expand(bytes, to: &target, count)
                    count += 1
                }
                nextRow += 1
            }
        }
        if count > 0 { return .rows(count) }
        let storedCount = places?.count ?? nextRow
        let neededCount = stored.isTopDown ? end : stored.size.height - region.y
        if storedCount >= neededCount { return .end }
        if let failure { throw failure }
        guard isFinished else { return .needMoreData }
        throw ImageError(
            .truncated, "the TGA ends in stored row \(storedCount) of \(stored.size.height)",
            byteOffset: droppedByteCount + bytes.count)
    }

    /// Fills the target's row `y` with the row read last.
    private func expand(_ bytes: [UInt8], to target: inout MutablePixelRows, _ y: Int) {
        guard let region, let stored, let expander, let reader else { return }
        if stored.usesRunLengths {
            expander.expand(reader.row.span, from: region.x, to: &target, y, alpha: alpha)
        } else {
            let row = bytes.span.extracting(reader.rowStart..<(reader.rowStart + stored.rowByteCount))
            expander.expand(row, from: region.x, to: &target, y, alpha: alpha)
        }
    }

    /// Finds the rows in the file, as far as it has them.
    private func findRows(_ stored: TGAHeader) -> [TGARowReader.Place] {
        var reader = TGARowReader(stored, at: stored.pixelOffset)
        var places: [TGARowReader.Place] = []
        let bytes = bytes
        for _ in 0..<stored.size.height {
            let place = reader.place
            guard reader.readRow(from: bytes.span) else { break }
            places.append(place)
        }
        return places
    }
}
