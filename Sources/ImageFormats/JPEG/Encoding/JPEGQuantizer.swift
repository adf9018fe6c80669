internal import CTesseraKernels
internal import JPEGBitstream
internal import Raster

/// Turns rows into a JPEG's frame and scans, whose coefficients are worth the bits that they cost.
///
/// A coefficient becomes the nearest value, the one below, or zero: what makes the sum of squared error and price least
/// ("trellis quantisation"). Where a block has much texture, which hides errors, a bit has to bring more. Memory holds the
/// coefficients' tokens, which are about as long as the coefficients other than zero.
final class JPEGQuantizer {
    private let info: BitmapInfo
    private let tables: JPEGQuantizationTables
    private var quantization = tessera_jpeg_quantization()
    private let coders: [JPEGScanCoder]
    private let isProgressive: Bool
    /// Rows that are too few for all processors.
    private var waiting: [UInt8] = []
    private var waitingCount = 0
    private var rowsLeft: Int

    /// - Parameters:
    ///   - subsampling: Luma samples for each of chroma, across and down: 1 or 2.
    ///   - codeLengths: Of luma, then of chroma: for each of 256 symbols about how many bits its code will have.
    init(
        _ info: BitmapInfo, _ tables: JPEGQuantizationTables, subsampling: (UInt8, UInt8), isProgressive: Bool,
        codeLengths: [UInt8]
    ) {
        self.info = info
        self.tables = tables
        self.isProgressive = isProgressive
        rowsLeft = info.size.height
        coders = JPEGTokenScan.script(componentCount: info.format.isGray ? 1 : 3, isProgressive: isProgressive)
            .map(JPEGScanCoder.init)
        let steps = (0..<3).flatMap { tables.steps[min($0, 1)].map(Float.init) }
        let weights = (0..<3).flatMap { tables.weights[min($0, 1)] }
        // All three have 192 floats in the same order.
        withUnsafeMutableBytes(of: &quantization.steps) { $0.copyBytes(from: steps.withUnsafeBytes(Array.init)) }
        let inverses = steps.map { 1 / $0 }
        withUnsafeMutableBytes(of: &quantization.inverses) { $0.copyBytes(from: inverses.withUnsafeBytes(Array.init)) }
        withUnsafeMutableBytes(of: &quantization.weights) { $0.copyBytes(from: weights.withUnsafeBytes(Array.init)) }
        withUnsafeMutableBytes(of: &quantization.lengths) { $0.copyBytes(from: codeLengths) }
        let (costs, smooth) = (tables.bitCosts, tables.smoothCosts)
        quantization.bit_costs = (costs[0], costs[1], costs[1])
        quantization.smooth_costs = (smooth[0], smooth[1], smooth[1])
        (quantization.horizontal, quantization.vertical) = info.format.isGray ? (1, 1) : subsampling
    }

    private var unitHeight: Int { 8 * Int(quantization.vertical) }

    /// The rows that occupy all processors.
    private var batchHeight: Int { 2 * ImageExecutor.processorCount * unitHeight }

    /// Adds the next rows.
    func add(_ rows: borrowing PixelRows) {
        var y = 0
        while y < rows.count {
            let left = rows.count - y
            if waitingCount == 0, left >= batchHeight {
                // The image's last rows may be fewer than an MCU's.
                let count = left == rowsLeft ? left : left / unitHeight * unitHeight
                rowsLeft -= count
                let (start, stride) = (y * rows.bytesPerRow, rows.bytesPerRow)
                rows.withUnsafeBase { base in
                    // The `count` rows from here on belong to `rows`.
                    quantize((base + start).assumingMemoryBound(to: UInt8.self), stride, count)
                }
                y += count
            } else {
                let count = min(batchHeight - waitingCount, left)
                keep(rows, y..<y + count)
                y += count
                if waitingCount == batchHeight || rowsLeft == 0 { addWaiting() }
            }
        }
    }

    private func keep(_ rows: borrowing PixelRows, _ range: Range<Int>) {
        for y in range { rows.bytes(y).withUnsafeBytes { waiting += $0 } }
        waitingCount += range.count
        rowsLeft -= range.count
    }

    private func addWaiting() {
        waiting.withUnsafeBufferPointer { quantize($0.baseAddress!, info.rowByteCount, waitingCount) }
        waiting.removeAll(keepingCapacity: true)
        waitingCount = 0
    }

    /// Adds the tokens of rows of MCUs, made on several threads.
    private func quantize(_ pixels: UnsafePointer<UInt8>, _ bytesPerRow: Int, _ rowCount: Int) {
        let unitHeight = unitHeight
        let unitCount = (rowCount + unitHeight - 1) / unitHeight
        let maker = JPEGTokenMaker(quantization, info, scans: coders.map(\.scan))
        var units = [[[JPEGTokenRow]]](repeating: [], count: unitCount)
        units.withUnsafeMutableBufferPointer { units in
            Rounds.perform(threadCount: ImageExecutor.processorCount, jobCount: unitCount) { unit in
                let height = min(unitHeight, rowCount - unit * unitHeight)
                // Each job has a separate place.
                units[unit] = maker.rows(of: pixels + unit * unitHeight * bytesPerRow, bytesPerRow, height: height)
            }
        }
        for rows in units {
            for (coder, rows) in zip(coders, rows) { rows.forEach(coder.add) }
        }
    }

    /// The file from its quantization tables on, once all rows were added.
    func finish() -> [[UInt8]] {
        // Those that take longest come first.
        let order = coders.indices.sorted { coders[$0].tokenCount > coders[$1].tokenCount }
        var scans = [[UInt8]](repeating: [], count: coders.count)
        scans.withUnsafeMutableBufferPointer { scans in
            Rounds.perform(threadCount: ImageExecutor.processorCount, jobCount: order.count) { job in
                // Each job has a separate place.
                scans[order[job]] = coders[order[job]].makeBytes()
            }
        }
        return [frame] + scans + [[0xFF, JPEGMarker.endOfImage.rawValue]]
    }

    /// The quantization tables and the frame's header (T.81, B.2.2 and B.2.4.1).
    private var frame: [UInt8] {
        let count = info.format.isGray ? 1 : 3
        let tables = (0..<min(count, 2)).flatMap { table in
            JPEGScanCoder.segment(.quantizationTables, self.tables.payload(table))
        }
        let components = (0..<count).flatMap { component -> [UInt8] in
            let sampling = component == 0 ? quantization.horizontal << 4 | quantization.vertical : 0x11
            return [UInt8(component + 1), sampling, UInt8(min(component, 1))]
        }
        // libjpeg, which wrote the file's beginning, takes sides of up to 65500 pixels.
        let size = [info.size.height, info.size.width].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        return tables
            + JPEGScanCoder.segment(.startOfFrame(isProgressive ? 2 : 0), [8] + size + [UInt8(count)] + components)
    }
}
