import CJPEGOracle
import ImageFormats
import JPEGBitstream

/// What becomes of an input by the JPEG engine and by libjpeg, at one scale.
struct JPEGComparison {
    /// The differences there may be, and the one that there may not.
    enum Outcome: String {
        /// libjpeg has no image.
        case refused
        /// The engine leaves the file to libjpeg.
        case unsupported
        /// Both have the same image; libjpeg may complain of data that isn't the image's.
        case same
        /// The engine stops, libjpeg complains; the rows above are the same.
        case damaged
        /// The engine alone stops: at coefficients beyond any valid file's, which libjpeg's forms disagree about, or behind a
        /// block's last, which libjpeg drops without a word; the rows above are the same.
        case stopped
        /// A row differs.
        case differs
    }

    let scale: Int
    /// The rows that the engine delivered before it stopped.
    private(set) var rowCount = 0
    private(set) var outcome: Outcome
    private let image: jpeg_oracle_image
    private let pixels: [UInt8]

    /// - Parameters:
    ///   - threadCount: The threads that slices are read by.
    init(_ input: [UInt8], scale: Int, threadCount: Int, sliceByteCount: Int) {
        self.scale = scale
        var image = jpeg_oracle_image()
        var isDecoded = false
        pixels = [UInt8](unsafeUninitializedCapacity: Self.maximumByteCount) { buffer, count in
            isDecoded = jpeg_oracle_decode(
                input, input.count, UInt32(scale), buffer.baseAddress!, buffer.count, &image)
            count = isDecoded ? Int(image.width * image.height * image.bytes_per_pixel) : 0
        }
        self.image = image
        outcome = .refused
        guard isDecoded else { return }
        outcome = .unsupported
        let bytes = input.span.bytes
        let structure = JPEGStructure(of: bytes)
        let script = try? JPEGScanScript(
            structure, head: bytes, data: bytes, from: 0, scanCount: image.has_multiple_scans ? nil : 1)
        guard let script, JPEGSampleRows.canUpsample(script.layout), script.layout.components.count != 2 else { return }
        if !image.has_multiple_scans,
            let rows = JPEGSlicedRows(
                script, side: scale, from: 0, isYCC: image.is_ycc, threadCount: threadCount,
                sliceByteCount: sliceByteCount)
        {
            compare(rows, bytes.extracting(structure.scans[0].dataOffset...))
        } else {
            let plan = JPEGSteppedRows.Plan(
                script.layout, threadCount: threadCount, keepsAll: false, rowsAtOnce: 1 + sliceByteCount % 3)
            let isDCAlone = JPEGSampleRows.needsOnlyDC(script.layout, side: scale)
            guard let scans = try? plan.read(script, isDCAlone: isDCAlone),
                let rows = try? JPEGSteppedRows(
                    scans, plan, bits: 8, side: scale, isYCC: image.is_ycc, from: 0, isWhole: false,
                    stopsAtDamage: false)
            else { return }
            compare(rows, bytes)
        }
    }

    /// Room for the images of inputs of some kilobytes.
    private static let maximumByteCount = 1 << 18

    private var bytesPerRow: Int { Int(image.width * image.bytes_per_pixel) }

    /// Whether the next row of libjpeg's is this one.
    private mutating func take(_ row: UnsafeRawBufferPointer) -> Bool {
        let start = rowCount * bytesPerRow
        guard pixels[start..<(start + bytesPerRow)].elementsEqual(row) else {
            outcome = .differs
            return false
        }
        rowCount += 1
        return true
    }

    /// Ends the comparison after equal rows.
    private mutating func finish(isStopped: Bool) {
        outcome = !isStopped ? .same : image.warning_count > 0 ? .damaged : .stopped
    }

    private mutating func compare(_ rows: JPEGSlicedRows, _ data: RawSpan) {
        guard rows.height == Int(image.height) else { return outcome = .differs }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytesPerRow * rows.height, alignment: 16)
        defer { buffer.deallocate() }
        let output = JPEGSlicedRows.Output(
            0..<Int(image.width), 0..<rows.height, to: buffer.baseAddress!, bytesPerRow: bytesPerRow)
        let (count, step) = rows.write(output) { $0(data, 0, true) }
        for row in 0..<count {
            let start = row * bytesPerRow
            guard take(UnsafeRawBufferPointer(rebasing: buffer[start..<(start + bytesPerRow)])) else { return }
        }
        finish(isStopped: step != .advanced)
    }

    private mutating func compare(_ rows: JPEGSteppedRows, _ data: RawSpan) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytesPerRow, alignment: 16)
        defer { buffer.deallocate() }
        guard rows.height == Int(image.height) else { return outcome = .differs }
        for y in 0..<rows.height {
            let output = JPEGPixelOutput(
                0..<rows.width, y..<(y + 1), to: buffer.baseAddress!, bytesPerRow: bytesPerRow)
            let count = rows.write(output, data, from: 0)
            guard count == 1, rows.failure == nil, rows.isExact else { return finish(isStopped: true) }
            guard take(UnsafeRawBufferPointer(buffer)) else { return }
        }
        finish(isStopped: false)
    }
}
