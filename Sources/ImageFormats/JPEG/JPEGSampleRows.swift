internal import CTesseraKernels
package import JPEGBitstream

/// Makes rows of samples out of a JPEG's coefficients: inverse DCT and upsampling, bit for bit as libjpeg-turbo does them, at
/// full size, a half, a quarter or an eighth.
///
/// Rows and columns are those of the image at that size. Holds two rows of MCUs of each component, since upsampling looks at the
/// rows above and below. Rows must be requested from the top to the bottom; those above the first are only read, not
/// transformed.
package struct JPEGSampleRows {
    /// A component: its samples, and its last requested row in the image's width.
    struct Plane {
        let layout: JPEGCoefficientLayout.Component
        let steps: [UInt16]
        /// Samples on a block's side. More than the image's pixels where the component has fewer blocks: then it needs less
        /// upsampling.
        let side: Int
        /// Samples across and down.
        let width: Int
        let height: Int
        let upsampling: Upsampling
        /// Samples in a row, padded to whole blocks.
        let stride: Int
        /// Rows of MCUs that are held.
        let held: Int
        /// The rows of MCUs, each in the place of its number modulo `held`.
        var samples: [UInt16] = []
        var line: [UInt16] = []

        /// Rows in a row of MCUs.
        var rowsPerMCU: Int { side * layout.down }
        /// Where a row of the component begins in `samples`.
        func place(of row: Int) -> Int { row % (held * rowsPerMCU) * stride }
        /// Samples that are held.
        var sampleCount: Int { held * rowsPerMCU * stride }
    }

    /// How a component's samples become as many as the image has pixels (libjpeg-turbo 2.1).
    enum Upsampling: Hashable {
        case none
        /// Triangle filters: each sample has 3/4 from the nearest, in one direction or both.
        case columns, rows, both
        /// Each sample as often as needed.
        case replication(across: Int, down: Int)
    }

    private(set) var planes: [Plane]
    package private(set) var coefficients: JPEGCoefficientRows
    let bits: UInt32
    /// Pixels that a block of the component with the most samples has on a side.
    private let side: Int
    /// The first row of MCUs that is needed.
    private let firstRow: Int
    /// The image's size.
    package let width: Int
    package let height: Int

    /// The first damage so far.
    package var failure: JPEGBitstreamError? { coefficients.failure }

    /// The rows of the image above the first damage that leaves nothing to show, as far as is known.
    package var soundRowCount: Int { min(height, coefficients.soundRowCount * rowsPerMCU) }

    /// Rows of the image in a row of MCUs.
    private var rowsPerMCU: Int { side * coefficients.layout.verticalSampling }

    /// The working memory for an image with this layout, in bytes.
    /// - Parameter side: As for the initialiser.
    package static func byteCount(_ layout: JPEGCoefficientLayout, side: Int = 8) -> Int {
        let line = layout.components.count * (layout.mcusAcross * layout.horizontalSampling * side + 16)
        return layout.byteCount + 2 * sampleByteCount(layout, side: side) + line * MemoryLayout<UInt16>.size
    }

    /// Bytes of a row of MCUs' samples.
    static func sampleByteCount(_ layout: JPEGCoefficientLayout, side: Int) -> Int {
        layout.components.reduce(0) { sum, component in
            let side = Self.side(of: component, in: layout, least: side)
            return sum + side * side * component.stride * component.down * MemoryLayout<UInt16>.size
        }
    }

    /// Whether the sampling factors divide the largest; libjpeg refuses others too.
    package static func canUpsample(_ layout: JPEGCoefficientLayout) -> Bool {
        layout.components.allSatisfy {
            layout.horizontalSampling % $0.across == 0 && layout.verticalSampling % $0.down == 0
        }
    }

    /// For each component, whether its samples are made of DC alone.
    package static func needsOnlyDC(_ layout: JPEGCoefficientLayout, side: Int) -> [Bool] {
        neededCounts(layout, side: side, isLow: false).map { $0 == 1 }
    }

    /// For each component, how many coefficients its samples are made of, in zigzag order.
    /// - Parameter isLow: Whether samples at a quarter, three eighths, a half and three quarters are made of as many of the lowest
    ///   frequencies.
    static func neededCounts(
        _ layout: JPEGCoefficientLayout, side: Int, isLow: Bool, keepsSubsampling: Bool = false
    ) -> [Int] {
        layout.components.map {
            switch Self.side(of: $0, in: layout, least: side, keepsSubsampling: keepsSubsampling) {
            case 1: 1
            // The last of the lowest 2 × 2, 3 × 3, 4 × 4 and 6 × 6 has these places in zigzag order.
            case 2 where isLow: 4 + 1
            case 3 where isLow: 12 + 1
            case 4 where isLow: 24 + 1
            case 6 where isLow: 51 + 1
            default: 64
            }
        }
    }

    /// Samples on a side of a component's blocks: as many as it can have without more samples than the image's pixels, in
    /// both directions alike, as libjpeg has it; or the least.
    private static func side(
        of component: JPEGCoefficientLayout.Component, in layout: JPEGCoefficientLayout, least: Int,
        keepsSubsampling: Bool = false
    ) -> Int {
        var side = least
        while !keepsSubsampling, side <= 4, layout.horizontalSampling * least % (component.across * side * 2) == 0,
            layout.verticalSampling * least % (component.down * side * 2) == 0
        {
            side *= 2
        }
        return side
    }

    /// Prepares to deliver rows of `coefficients`, from row `first` of the image on. No row of MCUs that these need may have
    /// been decoded.
    ///
    /// The sampling factors must be such that it can upsample.
    /// - Parameter side: Pixels on a block's side: 8, 4, 2 or 1.
    package init(_ coefficients: JPEGCoefficientRows, bits: Int, side: Int = 8, from first: Int) {
        let layout = coefficients.layout
        width = (layout.width * side + 7) / 8
        height = (layout.height * side + 7) / 8
        planes = Self.planes(layout, coefficients.steps, side: side, held: 2)
        for index in planes.indices {
            planes[index].samples = [UInt16](repeating: 0, count: planes[index].sampleCount)
            planes[index].line = [UInt16](repeating: 0, count: Self.lineCount(layout, side: side))
        }
        self.coefficients = coefficients
        self.bits = UInt32(bits)
        self.side = side
        // A row above the first may be needed for its upsampling.
        firstRow = Self.firstRow(first, layout, side: side)
    }

    /// The planes' shapes, without memory.
    /// - Parameter keepsSubsampling: Whether each component has the same number of samples on a block's side.
    static func planes(
        _ layout: JPEGCoefficientLayout, _ steps: [[UInt16]], side: Int, held: Int, keepsSubsampling: Bool = false
    ) -> [Plane] {
        let (across, down) = (layout.horizontalSampling, layout.verticalSampling)
        return zip(layout.components, steps).map { component, steps in
            let blockSide = Self.side(of: component, in: layout, least: side, keepsSubsampling: keepsSubsampling)
            let width = (layout.width * component.across * blockSide + 8 * across - 1) / (8 * across)
            return Plane(
                layout: component, steps: steps, side: blockSide, width: width,
                height: (layout.height * component.down * blockSide + 8 * down - 1) / (8 * down),
                upsampling: Self.upsampling(
                    across: across * side / (component.across * blockSide),
                    down: down * side / (component.down * blockSide), isSmooth: side > 1 || keepsSubsampling,
                    width: width),
                stride: component.stride * blockSide, held: held)
        }
    }

    /// The samples of a line: the image's width in whole MCUs, and a margin.
    static func lineCount(_ layout: JPEGCoefficientLayout, side: Int) -> Int {
        layout.mcusAcross * layout.horizontalSampling * side + 16
    }

    /// The first row of MCUs needed for row `y` of the image.
    package static func firstRow(_ y: Int, _ layout: JPEGCoefficientLayout, side: Int) -> Int {
        max(0, y - layout.verticalSampling) / (side * layout.verticalSampling)
    }

    private static func upsampling(across: Int, down: Int, isSmooth: Bool, width: Int) -> Upsampling {
        switch (across, down) {
        case (1, 1): .none
        case (2, 1) where isSmooth && width > 2: .columns
        case (1, 2) where isSmooth: .rows
        case (2, 2) where isSmooth && width > 2: .both
        default: .replication(across: across, down: down)
        }
    }

    /// Fills each plane's line with row `y` of the image, decoding the rows of MCUs that it needs.
    /// - Parameters:
    ///   - data: The bytes that the coefficients are decoded from.
    ///   - start: The byte of the JPEG at which they begin.
    package mutating func fillLines(_ y: Int, _ data: RawSpan, from start: Int) {
        while !canFillLines(y) {
            coefficients.decodeRow(data, from: start)
            transformRow()
        }
        fillLines(y)
    }

    /// Whether the rows of MCUs that row `y` of the image needs have been decoded.
    package func canFillLines(_ y: Int) -> Bool {
        // The row below the next may be needed.
        let last = min(y + coefficients.layout.verticalSampling, height - 1)
        return coefficients.rowCount > last / rowsPerMCU
    }

    /// Fills each plane's line with row `y` of the image; no row of MCUs may have been decoded that it doesn't need.
    package mutating func fillLines(_ y: Int) {
        for index in planes.indices { planes[index].fillLine(y) }
    }

    /// Decodes the next row of MCUs from pieces of the scans, unless it needs more bytes: then returns false.
    package mutating func decodeRow(_ data: RawSpan, _ pieces: [JPEGScanPiece]) -> Bool {
        guard coefficients.decodeRow(data, pieces) else { return false }
        transformRow()
        return true
    }

    private mutating func transformRow() {
        guard coefficients.rowCount > firstRow else { return }
        for index in planes.indices { planes[index].transform(coefficients, bits: bits) }
    }
}

extension JPEGSampleRows.Plane {
    /// Makes samples of the row of MCUs that was decoded last.
    mutating func transform(_ coefficients: JPEGCoefficientRows, bits: UInt32) {
        let top = place(of: (coefficients.rowCount - 1) * rowsPerMCU)
        let (layout, steps, stride, side) = (layout, steps, stride, side)
        samples.withUnsafeMutableBufferPointer { samples in
            for row in 0..<layout.down {
                let block = layout.start + row * layout.stride
                coefficients.coefficients.withUnsafeBufferPointer { values in
                    coefficients.masks.withUnsafeBufferPointer { masks in
                        // There are as many blocks from there on, and room for `side` rows of `stride` samples. Where libjpeg's
                        // forms disagree about samples, these are as good as any.
                        let (values, masks) = (values.baseAddress! + 64 * block, masks.baseAddress! + block)
                        let target = samples.baseAddress! + top + side * row * stride
                        let count = layout.blocksAcross
                        _ =
                            switch side {
                            case 8: tessera_jpeg_inverse_dct(values, masks, count, steps, bits, target, stride)
                            case 1: tessera_jpeg_means(values, 64, count, steps[0], bits, target)
                            default:
                                tessera_jpeg_reduced_inverse_dct(
                                    values, masks, count, steps, bits, UInt32(side), target, stride)
                            }
                    }
                }
            }
        }
    }

    /// Fills the line with row `y` of the image.
    mutating func fillLine(_ y: Int) {
        var line = line
        self.line = []
        samples.withUnsafeBufferPointer { samples in
            line.withUnsafeMutableBufferPointer {
                let (near, far) = rows(of: y)
                // Both rows have `width` samples.
                fill(
                    $0.baseAddress!, y, from: samples.baseAddress! + place(of: near),
                    samples.baseAddress! + place(of: far))
            }
        }
        self.line = line
    }

    /// The rows that row `y` of the image is made of: the nearest, and the other of the pair whose mean it may be. Beyond the edges
    /// the first and last rows repeat.
    func rows(of y: Int) -> (near: Int, far: Int) {
        let row = y / upsampling.rowFactor
        return (row, min(max(y % 2 == 0 ? row - 1 : row + 1, 0), height - 1))
    }

    /// Fills a line, which has room for the image's width and some more, with row `y` of the image, from the rows that it is made
    /// of.
    func fill(
        _ target: UnsafeMutablePointer<UInt16>, _ y: Int, from near: UnsafePointer<UInt16>, _ far: UnsafePointer<UInt16>
    ) {
        let count = width
        let isLower = y % 2 == 1
        switch upsampling {
        case .none: target.update(from: near, count: count)
        case .columns: tessera_jpeg_double_columns(near, target, count)
        case .rows: tessera_jpeg_double_rows(near, far, isLower ? 2 : 1, target, count)
        case .both: tessera_jpeg_double_both(near, far, target, count)
        case .replication(let across, _): tessera_jpeg_repeat_columns(near, UInt32(across), target, count)
        }
    }
}

extension JPEGSampleRows.Upsampling {
    /// Rows of the image for each row of the component.
    var rowFactor: Int {
        switch self {
        case .none, .columns: 1
        case .rows, .both: 2
        case .replication(_, let down): down
        }
    }
}
