internal import CTesseraJPEG
internal import CTesseraKernels
internal import Raster

/// Turns rows into quantized coefficients, of which each is worth the bits that it costs.
///
/// A coefficient becomes the nearest value, the one below, or zero: what makes the sum of squared error and price least
/// ("trellis quantisation"). Where a block has much texture, which hides errors, a bit has to bring more.
final class JPEGQuantizer {
    /// The shim's encoder, which the owner of this object keeps.
    private let handle: OpaquePointer
    private let info: BitmapInfo
    private var quantization = tessera_jpeg_quantization()
    /// Rows that are too few for all processors.
    private var waiting: [UInt8] = []
    private var waitingCount = 0
    private var rowsLeft: Int
    /// The next row of MCUs.
    private var unitRow: UInt32 = 0

    /// Prepares to fill the coefficients of `handle`, which was started for them.
    init(
        _ handle: OpaquePointer, _ info: BitmapInfo, _ tables: JPEGQuantizationTables, subsampling: (UInt8, UInt8)
    ) {
        self.handle = handle
        self.info = info
        rowsLeft = info.size.height
        let steps = tables.steps.flatMap { $0.map(Float.init) }
        // Both have 128 floats in the same order.
        withUnsafeMutableBytes(of: &quantization.steps) { $0.copyBytes(from: steps.withUnsafeBytes(Array.init)) }
        let inverses = steps.map { 1 / $0 }
        withUnsafeMutableBytes(of: &quantization.inverses) { $0.copyBytes(from: inverses.withUnsafeBytes(Array.init)) }
        withUnsafeMutableBytes(of: &quantization.lengths) { lengths in
            for table in 0..<2 {
                tessera_jpeg_encoder_code_lengths(
                    handle, Int32(table), lengths.baseAddress!.assumingMemoryBound(to: UInt8.self) + 256 * table)
            }
        }
        quantization.bit_cost = tables.bitCost
        quantization.smooth_cost = JPEGQuantizationTables.smoothCost
        (quantization.horizontal, quantization.vertical) = info.format.isGray ? (1, 1) : subsampling
    }

    private var unitHeight: Int { 8 * Int(quantization.vertical) }

    /// The rows that occupy all processors.
    private var batchHeight: Int { 2 * ImageExecutor.processorCount * unitHeight }

    /// Adds the next rows.
    /// - Throws: `outOfMemory`.
    func add(_ rows: borrowing PixelRows) throws(ImageError) {
        var y = 0
        while y < rows.count {
            let left = rows.count - y
            if waitingCount == 0, left >= batchHeight {
                // The image's last rows may be fewer than an MCU's.
                let count = left == rowsLeft ? left : left / unitHeight * unitHeight
                rowsLeft -= count
                let (start, stride) = (y * rows.bytesPerRow, rows.bytesPerRow)
                let pointers = try coefficientRows(count)
                rows.withUnsafeBase { base in
                    // The `count` rows from here on belong to `rows`.
                    quantize((base + start).assumingMemoryBound(to: UInt8.self), stride, count, to: pointers)
                }
                y += count
            } else {
                let count = min(batchHeight - waitingCount, left)
                keep(rows, y..<y + count)
                y += count
                if waitingCount == batchHeight || rowsLeft == 0 { try addWaiting() }
            }
        }
    }

    private func keep(_ rows: borrowing PixelRows, _ range: Range<Int>) {
        for y in range { rows.bytes(y).withUnsafeBytes { waiting += $0 } }
        waitingCount += range.count
        rowsLeft -= range.count
    }

    private func addWaiting() throws(ImageError) {
        let pointers = try coefficientRows(waitingCount)
        waiting.withUnsafeBufferPointer { quantize($0.baseAddress!, info.rowByteCount, waitingCount, to: pointers) }
        waiting.removeAll(keepingCapacity: true)
        waitingCount = 0
    }

    /// Where the coefficients of the next rows go: for each row of MCUs the rows of luma's blocks, and one of each chroma's.
    private func coefficientRows(_ rowCount: Int) throws(ImageError) -> [UnsafeMutablePointer<Int16>] {
        var pointers: [UnsafeMutablePointer<Int16>] = []
        let down = UInt32(quantization.vertical)
        for _ in 0..<(rowCount + unitHeight - 1) / unitHeight {
            for component in 0..<(info.format.isGray ? 1 : 3) {
                for row in 0..<(component == 0 ? down : 1) {
                    let place = component == 0 ? unitRow * down + row : unitRow
                    guard let pointer = tessera_jpeg_encoder_row(handle, Int32(component), place) else {
                        throw ImageError(.outOfMemory, "no memory for a JPEG's coefficients")
                    }
                    pointers.append(pointer)
                }
            }
            unitRow += 1
        }
        return pointers
    }

    /// Fills rows of MCUs, on several threads.
    private func quantize(
        _ pixels: UnsafePointer<UInt8>, _ bytesPerRow: Int, _ rowCount: Int, to pointers: [UnsafeMutablePointer<Int16>]
    ) {
        let (unitHeight, width, isGray) = (unitHeight, info.size.width, info.format.isGray)
        let unitCount = (rowCount + unitHeight - 1) / unitHeight
        let down = Int(quantization.vertical)
        let pointerCount = pointers.count / unitCount
        var isDone = false
        withUnsafePointer(to: quantization) { quantization in
            pointers.withUnsafeBufferPointer { pointers in
                Rounds.perform(threadCount: min(ImageExecutor.processorCount, unitCount)) {
                    defer { isDone = true }
                    return isDone ? nil : unitCount
                } _: { unit in
                    // Each job has separate rows of coefficients.
                    let rows = pointers.baseAddress! + unit * pointerCount
                    tessera_jpeg_quantize(
                        quantization, pixels + unit * unitHeight * bytesPerRow, bytesPerRow, width,
                        min(unitHeight, rowCount - unit * unitHeight), rows, isGray ? nil : rows[down],
                        isGray ? nil : rows[down + 1])
                }
            }
        }
    }
}
