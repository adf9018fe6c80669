internal import CTesseraKernels
internal import Raster

/// Turns the pixels of one row of MCUs into the tokens of a file's scans; used by several threads.
struct JPEGTokenMaker: Sendable {
    private let quantization: tessera_jpeg_quantization
    private let info: BitmapInfo
    private let scans: [JPEGTokenScan]

    init(_ quantization: tessera_jpeg_quantization, _ info: BitmapInfo, scans: [JPEGTokenScan]) {
        self.quantization = quantization
        self.info = info
        self.scans = scans
    }

    /// For each scan the tokens of the rows of blocks or MCUs in it.
    ///
    /// - Parameters:
    ///   - pixels: The first of the rows.
    ///   - height: The number of rows, at most as many as an MCU has.
    func rows(of pixels: UnsafePointer<UInt8>, _ bytesPerRow: Int, height: Int) -> [[JPEGTokenRow]] {
        let (across, down) = (Int(quantization.horizontal), Int(quantization.vertical))
        let unitCount = (info.size.width + 8 * across - 1) / (8 * across)
        let isGray = info.format.isGray
        let blockCount = unitCount * (across * down + (isGray ? 0 : 2))
        return withUnsafeTemporaryAllocation(of: Int16.self, capacity: 64 * blockCount) { values in
            withUnsafeTemporaryAllocation(of: UInt64.self, capacity: blockCount) { masks in
                // Rows of luma's blocks, then one of each chroma's.
                var (rows, start) = ([tessera_jpeg_blocks](), 0)
                for row in 0..<down + (isGray ? 0 : 2) {
                    rows.append(
                        tessera_jpeg_blocks(
                            values: values.baseAddress! + 64 * start, masks: masks.baseAddress! + start))
                    start += row < down ? unitCount * across : unitCount
                }
                return rows.withUnsafeBufferPointer { rows in
                    let chroma = isGray ? nil : rows.baseAddress! + down
                    withUnsafePointer(to: quantization) {
                        tessera_jpeg_quantize(
                            $0, pixels, bytesPerRow, info.size.width, height, rows.baseAddress!, chroma)
                    }
                    return withUnsafeTemporaryAllocation(
                        of: UInt32.self, capacity: TESSERA_JPEG_TOKENS_A_BLOCK * blockCount
                    ) { tokens in
                        scans.map { scan in
                            self.rows(scan, rows, unitCount, height: height, scratch: tokens.baseAddress!)
                        }
                    }
                }
            }
        }
    }

    /// The tokens of one scan.
    private func rows(
        _ scan: JPEGTokenScan, _ blocks: UnsafeBufferPointer<tessera_jpeg_blocks>, _ unitCount: Int, height: Int,
        scratch: UnsafeMutablePointer<UInt32>
    ) -> [JPEGTokenRow] {
        let (across, down) = (quantization.horizontal, quantization.vertical)
        guard !scan.hasDC else {
            let chroma = info.format.isGray ? nil : blocks.baseAddress! + Int(down)
            let row = tessera_jpeg_unit_tokens(
                blocks.baseAddress!, chroma, UInt32(across), UInt32(down), unitCount, scan.hasAC, scratch)
            return [JPEGTokenRow(row, scratch)]
        }
        // A scan of one component has its blocks without those that complete an MCU (T.81, A.2.2).
        let component = scan.components.lowerBound
        let rows = component == 0 ? 0..<(height + 7) / 8 : Int(down) + component - 1..<Int(down) + component
        let count = component == 0 ? (info.size.width + 7) / 8 : unitCount
        let (first, last) = (UInt32(scan.places.lowerBound), UInt32(scan.places.upperBound))
        let table = UInt32(2 + min(component, 1))
        return rows.map { row in
            let made = tessera_jpeg_band_tokens(blocks.baseAddress! + row, count, first, last, table, scratch)
            return JPEGTokenRow(made, scratch)
        }
    }
}
