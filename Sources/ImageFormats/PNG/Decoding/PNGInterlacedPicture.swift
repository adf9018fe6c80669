internal import Raster

/// Combines the seven passes of an Adam7-interlaced image (ISO/IEC 15948, 8.2) as they arrive.
///
/// Each pixel fills the block that later passes subdivide, so the first pass covers the whole image.
final class PNGInterlacedPicture {
    /// The position and spacing of a pass's pixels, and the size of the block that each one fills.
    private struct Pass {
        var x: Int
        var y: Int
        var stepX: Int
        var stepY: Int
        var blockWidth: Int
        var blockHeight: Int
    }

    private static let passes = [
        Pass(x: 0, y: 0, stepX: 8, stepY: 8, blockWidth: 8, blockHeight: 8),
        Pass(x: 4, y: 0, stepX: 8, stepY: 8, blockWidth: 4, blockHeight: 8),
        Pass(x: 0, y: 4, stepX: 4, stepY: 8, blockWidth: 4, blockHeight: 4),
        Pass(x: 2, y: 0, stepX: 4, stepY: 4, blockWidth: 2, blockHeight: 4),
        Pass(x: 0, y: 2, stepX: 2, stepY: 4, blockWidth: 2, blockHeight: 2),
        Pass(x: 1, y: 0, stepX: 2, stepY: 2, blockWidth: 1, blockHeight: 2),
        Pass(x: 0, y: 1, stepX: 1, stepY: 2, blockWidth: 1, blockHeight: 1),
    ]

    let size: PixelSize
    let format: PixelFormat
    private let header: PNGHeader
    private let expander: PNGRowExpander
    private var bitmap: MutableBitmap
    private let passRow: PNGStrip
    private var row = 0
    private var hasBegun = false
    /// The number of complete passes.
    private(set) var passCount = 0
    private(set) var indexesOutsidePalette = false
    /// Whether rows were read that haven't been delivered.
    var hasUnshownRows = false
    /// Why an incomplete pass is delivered as the last one.
    var cutShort: PNGScanlineReader.Stop?

    init(_ header: PNGHeader, expander: PNGRowExpander, limits: DecodingLimits) throws(ImageError) {
        (size, format) = (header.size, expander.format)
        self.header = header
        self.expander = expander
        let rowBytes = size.width * format.bytesPerPixel
        let (total, overflows) = rowBytes.multipliedReportingOverflow(by: size.height)
        try limits.checkWorkingMemory(overflows ? .max : total, for: "the interlaced PNG image")
        bitmap = try MutableBitmap(BitmapInfo(size: size, format: format, alpha: expander.hasAlpha ? .straight : .none))
        passRow = PNGStrip(capacity: rowBytes)
    }

    /// Whether a pass has no pixels, and so no bytes, in an image of this size.
    private func isEmpty(_ pass: Pass) -> Bool { size.width <= pass.x || size.height <= pass.y }

    /// Whether all seven passes are complete.
    var hasAllPasses: Bool { passCount == Self.passes.count }

    /// Reads rows to the end of the current pass, or of the last one if `toEnd`.
    func read(
        _ queue: inout PNGByteQueue, isComplete: Bool, scanlines: PNGScanlineReader, toEnd: Bool
    ) -> PNGScanlineReader.Stop {
        while !hasAllPasses {
            let pass = Self.passes[passCount]
            let width = (size.width - pass.x + pass.stepX - 1) / pass.stepX
            let height = (size.height - pass.y + pass.stepY - 1) / pass.stepY
            if !hasBegun {
                scanlines.begin(rowByteCount: header.rowByteCount(width: width))
                hasBegun = true
            }
            let (_, stop) = scanlines.read(&queue, isComplete: isComplete, upTo: height - row) { rows in
                for index in 0..<rows.count {
                    put(rows.base + index * rows.stride, width: width, pass: pass)
                    row += 1
                }
            }
            guard stop == .enough else { return stop }
            repeat { passCount += 1 } while !hasAllPasses && isEmpty(Self.passes[passCount])
            row = 0
            hasBegun = false
            if !toEnd { return .enough }
        }
        return .enough
    }

    private func put(_ stored: UnsafePointer<UInt8>, width: Int, pass: Pass) {
        expander.expand(stored, to: passRow.base, width: width)
        if !expander.isWithinPalette(stored, width: width) { indexesOutsidePalette = true }
        hasUnshownRows = true
        switch format {
        case .gray8: scatter(UInt8.self, width: width, pass: pass)
        case .gray16: scatter(UInt16.self, width: width, pass: pass)
        case .rgba8: scatter(UInt32.self, width: width, pass: pass)
        case .rgba16: scatter(UInt64.self, width: width, pass: pass)
        }
    }

    /// Copies the pixels of `passRow`, each as large as a `P`, to their blocks.
    private func scatter<P: FixedWidthInteger>(_ type: P.Type, width: Int, pass: Pass) {
        let top = pass.y + row * pass.stepY
        let bottom = min(size.height, top + pass.blockHeight)
        let pictureWidth = size.width
        let source = UnsafeRawPointer(passRow.base)
        bitmap.withMutableRows(top..<bottom) { rows in
            let (stride, count) = (rows.bytesPerRow, rows.count)
            rows.withUnsafeBase { base in
                // Blocks are clipped at the image's edges, so every store is within the rows.
                let first = base.assumingMemoryBound(to: P.self)
                for index in 0..<width {
                    let value = source.load(fromByteOffset: index &* MemoryLayout<P>.size, as: P.self)
                    let left = pass.x &+ index &* pass.stepX
                    let right = min(pictureWidth, left &+ pass.blockWidth)
                    for x in left..<right { first[x] = value }
                }
                for y in 1..<max(count, 1) {
                    (base + y * stride).copyMemory(from: base, byteCount: pictureWidth * MemoryLayout<P>.size)
                }
            }
        }
    }

    /// Copies rows of a region of the image in its current state.
    func copyRows(_ region: PixelRect, from first: Int, count: Int, to rows: inout MutablePixelRows) {
        // The rows are as wide as the region.
        bitmap.withMutableRows((region.y + first)..<(region.y + first + count)) { source in
            rows.draw(source.readOnly, x: -region.x, y: 0)
        }
    }
}
