internal import JPNGContainer
internal import Raster

/// Decodes a JPNG with a known footer: one decoder each for the colour part and the mask, whose rows are combined.
final class JPNGDecoder: IncrementalDecoder {
    private let footer: JPNGFooter
    private let options: DecodingOptions
    private let color: any IncrementalDecoder
    private var mask: JPNGMask
    private var position = 0
    private var isFinished = false

    private(set) var header: ImageHeader?

    // Set by `start`.
    private var plan: DecodingPlan?
    private var size = PixelSize(width: 0, height: 0)
    /// A buffer for rows of a grey colour part; nil if the colour part is RGB.
    private var grays: PixelStrip?

    // Progress.
    private var nextRow = 0
    private var alpha: (any RowSource)?
    /// A buffer for rows of the mask.
    private var alphas: PixelStrip?
    /// The error to throw after the available rows.
    private var failure: ImageError?
    /// Whether no further row can be produced.
    private var isOver = false

    /// The number of rows decoded at a time: few enough to stay in the processor's cache until their alpha is set.
    private static let rowsAtATime = 32

    /// Creates a session for a file that ends in `footer`.
    init(_ footer: JPNGFooter, options: DecodingOptions) throws(ImageError) {
        // A JPNG has one image, even if its colour part lists more.
        guard options.imageIndex ?? 0 == 0 else {
            throw ImageError(.invalidParameter, "a JPNG has one image and none with index \(options.imageIndex!)")
        }
        self.footer = footer
        self.options = options
        var colorOptions = options
        colorOptions.maximumBitsPerChannel = 8
        color = try JPEGCodec().makeDecoder(for: FormatProbe(streamPrefix: RawSpan()), options: colorOptions)
        mask = JPNGMask(offset: Int(footer.imageSize), options: options)
    }

    /// True, since the mask comes last.
    var prefersWholeInput: Bool { true }

    func append(_ bytes: RawSpan) throws(ImageError) {
        let range = position..<(position + bytes.byteCount)
        position = range.upperBound
        let (colorEnd, maskEnd) = (Int(footer.imageSize), Int(footer.maskRange.upperBound))
        if range.lowerBound < colorEnd {
            do throws(ImageError) {
                try color.append(bytes.extracting(first: min(bytes.byteCount, colorEnd - range.lowerBound)))
                if range.upperBound >= colorEnd { try color.finish() }
            } catch {
                // Once there is a header, rows may be available, which also need the mask; the error follows them.
                guard color.header != nil else { throw error }
            }
            readHeader()
        }
        let (first, last) = (max(range.lowerBound, colorEnd), min(range.upperBound, maskEnd))
        if first < last {
            mask.append(bytes.extracting((first - range.lowerBound)..<(last - range.lowerBound)))
        }
    }

    func finish() throws(ImageError) {
        guard !isFinished else { return }
        isFinished = true
        try color.finish()
        readHeader()
        mask.finish()
    }

    private func readHeader() {
        guard header == nil, var header = color.header else { return }
        header.format = .jpng
        header.hasAlpha = true
        header.sequence = nil
        self.header = header
    }

    func start(_ plan: DecodingPlan, delivery: PassDelivery) throws(ImageError) -> BitmapInfo {
        // Passes of the colour part are useless without the mask, which follows the last one.
        var info = try color.start(plan, delivery: .last)
        self.plan = plan
        size = info.size
        let grayInfo = BitmapInfo(size: size, format: .gray8)
        if info.format.isGray { grays = try PixelStrip(grayInfo, height: Self.rowsAtATime) }
        alphas = try PixelStrip(grayInfo, height: Self.rowsAtATime)
        info.format = .rgba8
        info.alpha = .straight
        return info
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> RowDelivery {
        guard let plan, let storedSize = header?.storedSize else {
            throw ImageError(.invalidParameter, "rows were read from a JPNG session before start()")
        }
        guard isFinished else { return .needMoreData }
        if nextRow == 0, alpha == nil, failure == nil {
            do throws(ImageError) {
                alpha = try mask.makeRowSource(plan, storedSize: storedSize, size: size)
            } catch {
                // The colours are complete: they are delivered opaque, and the error follows.
                failure = error
            }
        }
        var done = 0
        while done < rows.count, nextRow < size.height, !isOver {
            var part = rows.extracting(done..<min(rows.count, done + Self.rowsAtATime))
            let count: Int
            do throws(ImageError) {
                count = try readPart(&part)
            } catch {
                (failure, isOver) = (failure ?? error, true)
                break
            }
            done += count
            nextRow += count
        }
        if done > 0 { return .rows(done) }
        if let failure { throw failure }
        try checkEnds(&rows)
        return .end
    }

    /// Throws if either part was damaged without a row missing.
    private func checkEnds(_ rows: inout MutablePixelRows) throws(ImageError) {
        let color = color
        if let grays {
            _ = try grays.fill(1) { (rows) throws(ImageError) in try Self.readEnd(of: color, &rows) }
        } else {
            _ = try Self.readEnd(of: color, &rows)
        }
        guard let alpha else { return }
        do throws(ImageError) {
            _ = try alphas?.fill(1) { (part) throws(ImageError) in try alpha.read(into: &part) }
        } catch {
            throw maskError(error)
        }
    }

    private static func readEnd(
        of color: any IncrementalDecoder, _ rows: inout MutablePixelRows
    ) throws(ImageError) -> Int {
        guard case .end = try color.read(into: &rows) else {
            throw ImageError(.corrupt, "the colour part of the JPNG has rows beyond its last one")
        }
        return 0
    }

    private func maskError(_ error: ImageError) -> ImageError {
        error.inPart("mask", at: Int(footer.imageSize))
    }

    /// Reads colours, then their alpha; returns the number of rows, 0 when the mask has no more.
    private func readPart(_ rows: inout MutablePixelRows) throws(ImageError) -> Int {
        let wanted = try readColors(&rows)
        guard let alpha, let alphas else { return wanted }
        var done = 0
        while done < wanted {
            let count: Int
            do throws(ImageError) {
                count = try alphas.fill(wanted - done) { (part) throws(ImageError) in try alpha.read(into: &part) }
                guard count > 0 else { throw ImageError(.truncated, "it has too few rows") }
            } catch {
                // Rows with known alpha are valid.
                (failure, isOver) = (maskError(error), true)
                return done
            }
            var part = rows.extracting(done..<(done + count))
            alphas.withRows { JPNGAlpha.apply($0, to: &part, options.jpng) }
            done += count
        }
        return wanted
    }

    private func readColors(_ rows: inout MutablePixelRows) throws(ImageError) -> Int {
        let color = color
        guard let grays else { return try Self.pull(from: color, into: &rows) }
        let count = try grays.fill(rows.count) { (part) throws(ImageError) in try Self.pull(from: color, into: &part) }
        grays.withRows { grays in
            for y in 0..<count {
                let gray = grays.row(y, as: Gray8.self)
                var row = rows.row(y, as: RGBA8.self)
                for x in gray.indices { row[x] = RGBA8(gray[x].value, gray[x].value, gray[x].value) }
            }
        }
        return count
    }

    private static func pull(
        from color: any IncrementalDecoder, into rows: inout MutablePixelRows
    ) throws(ImageError) -> Int {
        guard let count = try color.nextRows(into: &rows), count > 0 else {
            throw ImageError(.truncated, "the colour part of the JPNG ends too early")
        }
        return count
    }
}

/// Applies a mask's rows to a colour part's.
enum JPNGAlpha {
    /// Sets the alpha of `rows`, opaque `RGBA8`, from as many `Gray8` rows of `mask`.
    static func apply(
        _ mask: borrowing PixelRows, to rows: inout MutablePixelRows, _ options: DecodingOptions.JPNG
    ) {
        for y in 0..<rows.count {
            let alpha = mask.row(y, as: Gray8.self)
            var row = rows.row(y, as: RGBA8.self)
            if options == DecodingOptions.JPNG() {
                for x in row.indices { row[x].alpha = alpha[x].value }
            } else {
                apply(alpha, to: &row, options)
            }
        }
    }

    private static func apply(
        _ alpha: Span<Gray8>, to row: inout MutableSpan<RGBA8>, _ options: DecodingOptions.JPNG
    ) {
        for x in row.indices {
            var value = alpha[x].value
            if options.snapsAlpha { value = value <= 2 ? 0 : (value >= 253 ? 255 : value) }
            var pixel = row[x]
            if options.repairsWhiteFlattening {
                // The stored value is min(255, C + 255 - A).
                let white = 255 - value
                pixel.red -= min(white, pixel.red)
                pixel.green -= min(white, pixel.green)
                pixel.blue -= min(white, pixel.blue)
            }
            pixel.alpha = value
            row[x] = pixel
        }
    }
}
