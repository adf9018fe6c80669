internal import Raster
internal import Tessera

/// Reads two images of one size in step, measures their differences, and delivers those as rows.
final class DifferenceRowSource: RowSource {
    let info: BitmapInfo
    /// The differences of the rows read so far.
    private(set) var difference: ImageDifference
    private let meter: SSIMULACRA2
    private let first: any RowSource
    private let second: any RowSource
    private let inputs: (first: InputLocation, second: InputLocation)
    private var firstRows: MutableBitmap
    private var secondRows: MutableBitmap
    private var rowsLeft: Int

    /// Prepares to compare upright rows in sRGB.
    /// - Parameter inputs: The inputs of the rows, for errors.
    /// - Throws: `invalidParameter` if the sizes differ, `outOfMemory` if there is no memory for strips of rows.
    init(
        _ first: any RowSource, _ second: any RowSource, of inputs: (first: InputLocation, second: InputLocation)
    ) throws(ImageError) {
        self.inputs = inputs
        let (one, two) = (first.info, second.info)
        guard one.size == two.size else {
            throw ImageError(
                .invalidParameter,
                "can't compare \(inputs.first) with \(inputs.second): their sizes differ, \(one.size) and \(two.size)")
        }
        let bits = max(one.format.bitsPerChannel, two.format.bitsPerChannel)
        let format = PixelFormat.rgba8.withBitsPerChannel(bits)
        info = BitmapInfo(size: one.size, format: format)
        self.first = try first.converted(to: format, alpha: one.alpha.hasAlpha ? .premultiplied : .none)
        self.second = try second.converted(to: format, alpha: two.alpha.hasAlpha ? .premultiplied : .none)
        firstRows = try MutableBitmap(uninitialized: self.first.info.strip(byteCount: 1 << 18))
        secondRows = try MutableBitmap(uninitialized: self.second.info.strip(byteCount: 1 << 18))
        let hasAlpha = one.alpha.hasAlpha || two.alpha.hasAlpha
        difference = ImageDifference(size: one.size, bitsPerChannel: bits, hasAlpha: hasAlpha)
        meter = SSIMULACRA2(size: one.size, hasAlpha: hasAlpha)
        rowsLeft = one.size.height
    }

    /// Reads all rows without keeping them.
    func readAll() throws(ImageError) { try copyRows(to: Discard()) }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        let count = min(rows.count, rowsLeft, firstRows.info.size.height)
        guard count > 0 else { return 0 }
        let (first, second, inputs) = (first, second, inputs)
        try firstRows.withMutableRows(0..<count) { (rows) throws(ImageError) in
            try Self.fill(&rows, from: first, of: inputs.first)
        }
        try secondRows.withMutableRows(0..<count) { (rows) throws(ImageError) in
            try Self.fill(&rows, from: second, of: inputs.second)
        }
        for y in 0..<count {
            if info.format == .rgba8 {
                Self.add(RGBA8.self, y, firstRows, secondRows, to: &rows, &difference)
            } else {
                Self.add(RGBA16.self, y, firstRows, secondRows, to: &rows, &difference)
            }
        }
        meter.add(firstRows.rows.extracting(0..<count), secondRows.rows.extracting(0..<count))
        rowsLeft -= count
        if rowsLeft == 0 { difference.perceptualScore = meter.finish() }
        return count
    }

    /// Fills all of `rows`.
    private static func fill(
        _ rows: inout MutablePixelRows, from source: any RowSource, of input: InputLocation
    ) throws(ImageError) {
        do throws(ImageError) {
            try source.fill(&rows)
        } catch {
            throw error.naming(input)
        }
    }

    // The rows of a bitmap that is a class's property can be lent only to a call.
    private static func add<P: ComparedPixel>(
        _ type: P.Type, _ y: Int, _ first: borrowing MutableBitmap, _ second: borrowing MutableBitmap,
        to rows: inout MutablePixelRows, _ difference: inout ImageDifference
    ) {
        var row = rows.row(y, as: type)
        difference.add(first.rows.row(y, as: type), second.rows.row(y, as: type), to: &row)
    }

    /// A sink that discards rows.
    private final class Discard: RowSink {
        func write(_ rows: borrowing PixelRows) {}
        func finish() {}
    }
}
