internal import CTesseraKernels
package import JPEGBitstream

/// Makes rows of samples out of a JPEG's coefficients: inverse DCT and upsampling, bit for bit as libjpeg-turbo does them.
///
/// Holds two rows of MCUs of each component, since upsampling looks at the rows above and below. Rows must be requested
/// from the top to the bottom; those above the first are only read, not transformed.
package struct JPEGSampleRows {
    /// A component: its samples, and its last requested row in the image's width.
    struct Plane {
        let layout: JPEGCoefficientLayout.Component
        let steps: [UInt16]
        let upsampling: Upsampling
        /// Samples in a row, padded to whole blocks.
        let stride: Int
        /// Two rows of MCUs, the even one first.
        var samples: [UInt16]
        var line: [UInt16]

        /// Rows in a row of MCUs.
        var rowsPerMCU: Int { 8 * layout.down }
        /// Where a row of the component begins in `samples`.
        func place(of row: Int) -> Int { row % (2 * rowsPerMCU) * stride }
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
    private var coefficients: JPEGCoefficientRows
    let bits: UInt32
    /// The first row of MCUs that is needed.
    private let firstRow: Int
    /// Whether all arithmetic so far was within the range in which every form of libjpeg's gives the same.
    package private(set) var isExact = true

    package var width: Int { coefficients.layout.width }

    /// The first damage so far.
    package var failure: JPEGBitstreamError? { coefficients.failure }

    /// The rows of the image above the first damage that leaves nothing to show, as far as is known.
    package var soundRowCount: Int {
        min(
            coefficients.layout.height,
            coefficients.soundRowCount * 8 * coefficients.layout.verticalSampling)
    }

    /// The working memory for an image with this layout, in bytes.
    package static func byteCount(_ layout: JPEGCoefficientLayout) -> Int {
        let samples = 2 * 64 * layout.blockCount
        let line = layout.components.count * (layout.mcusAcross * layout.horizontalSampling * 8 + 16)
        return layout.byteCount + (samples + line) * MemoryLayout<UInt16>.size
    }

    /// Whether the sampling factors divide the largest; libjpeg refuses others too.
    package static func canUpsample(_ layout: JPEGCoefficientLayout) -> Bool {
        layout.components.allSatisfy {
            layout.horizontalSampling % $0.across == 0 && layout.verticalSampling % $0.down == 0
        }
    }

    /// Prepares to deliver rows of `coefficients`, none of which has been decoded, from row `first` of the image on.
    ///
    /// The sampling factors must be such that it can upsample.
    package init(_ coefficients: JPEGCoefficientRows, bits: Int, from first: Int) {
        let layout = coefficients.layout
        var planes: [Plane] = []
        for (component, steps) in zip(layout.components, coefficients.steps) {
            let (across, down) = (layout.horizontalSampling, layout.verticalSampling)
            let stride = component.stride * 8
            planes.append(
                Plane(
                    layout: component, steps: steps,
                    upsampling: Self.upsampling(
                        across: across / component.across, down: down / component.down, width: component.width),
                    stride: stride, samples: [UInt16](repeating: 0, count: stride * 16 * component.down),
                    line: [UInt16](repeating: 0, count: layout.mcusAcross * across * 8 + 16)))
        }
        self.planes = planes
        self.coefficients = coefficients
        self.bits = UInt32(bits)
        // A row above the first may be needed for its upsampling.
        firstRow = max(0, first - layout.verticalSampling) / (8 * layout.verticalSampling)
    }

    private static func upsampling(across: Int, down: Int, width: Int) -> Upsampling {
        switch (across, down) {
        case (1, 1): .none
        case (2, 1) where width > 2: .columns
        case (1, 2): .rows
        case (2, 2) where width > 2: .both
        default: .replication(across: across, down: down)
        }
    }

    /// Fills each plane's line with row `y` of the image.
    /// - Parameter data: The bytes that the coefficients are decoded from.
    package mutating func fillLines(_ y: Int, _ data: RawSpan) {
        // The row below the next may be needed.
        let last = min(y + coefficients.layout.verticalSampling, coefficients.layout.height - 1)
        let needed = last / (8 * coefficients.layout.verticalSampling)
        while coefficients.rowCount <= needed { transformNextRow(data) }
        for index in planes.indices { planes[index].fillLine(y) }
    }

    private mutating func transformNextRow(_ data: RawSpan) {
        coefficients.decodeRow(data)
        let number = coefficients.rowCount - 1
        guard number >= firstRow else { return }
        for index in planes.indices where !planes[index].transform(coefficients, bits: bits) { isExact = false }
    }
}

extension JPEGSampleRows.Plane {
    /// Makes samples of the row of MCUs that was decoded last; returns whether they are exact.
    mutating func transform(_ coefficients: JPEGCoefficientRows, bits: UInt32) -> Bool {
        let top = place(of: (coefficients.rowCount - 1) * rowsPerMCU)
        let (layout, steps, stride) = (layout, steps, stride)
        return samples.withUnsafeMutableBufferPointer { samples in
            var isExact = true
            for row in 0..<layout.down {
                let block = layout.start + row * layout.stride
                coefficients.coefficients.withUnsafeBufferPointer { values in
                    coefficients.masks.withUnsafeBufferPointer { masks in
                        // There are as many blocks from there on, and room for eight rows of `stride` samples.
                        let fits = tessera_jpeg_inverse_dct(
                            values.baseAddress! + 64 * block, masks.baseAddress! + block, layout.blocksAcross, steps,
                            bits, samples.baseAddress! + top + 8 * row * stride, stride)
                        isExact = isExact && fits
                    }
                }
            }
            return isExact
        }
    }

    /// Fills the line with row `y` of the image.
    mutating func fillLine(_ y: Int) {
        let count = layout.width
        let row = y / upsampling.rowFactor
        // The other row of the pair whose mean this is; beyond the edges the first and last rows repeat.
        let other = min(max(y % 2 == 0 ? row - 1 : row + 1, 0), layout.height - 1)
        let (near, far) = (place(of: row), place(of: other))
        let isLower = y % 2 == 1
        let upsampling = upsampling
        var line = line
        self.line = []
        samples.withUnsafeBufferPointer { samples in
            // Both rows have `count` samples, and the line room for the image's width and some more.
            let (near, far) = (samples.baseAddress! + near, samples.baseAddress! + far)
            line.withUnsafeMutableBufferPointer { line in
                let target = line.baseAddress!
                switch upsampling {
                case .none: target.update(from: near, count: count)
                case .columns: tessera_jpeg_double_columns(near, target, count)
                case .rows: tessera_jpeg_double_rows(near, far, isLower ? 2 : 1, target, count)
                case .both: tessera_jpeg_double_both(near, far, target, count)
                case .replication(let across, _): tessera_jpeg_repeat_columns(near, UInt32(across), target, count)
                }
            }
        }
        self.line = line
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
