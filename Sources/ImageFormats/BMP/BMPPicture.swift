internal import Raster

/// The image of an uncompressed BMP, whose rows are read where they are.
///
/// Most files are stored bottom-up, and one that arrives from its first byte on must be buffered.
final class BMPPicture: WholePicture {
    let header: ImageHeader
    private let source: Source
    private let layout: BMPLayout
    private let expander: BMPRowExpander
    private let rowByteCount: Int
    private var region: PixelRect
    private var nextRow = 0

    /// Stored rows, and their numbers in the file's order.
    private var strip: [UInt8] = []
    private var stripRows = 0..<0

    /// As many bytes as a processor's cache keeps until they are expanded.
    private static let stripByteCount = 1 << 17
    /// Headers with a palette have less; a profile is usually behind the pixels.
    private static let mostHeadBytes = 1 << 16

    /// Opens the file in `source`; nil if it must be decoded from its first byte on, as it is compressed, invalid or truncated, or
    /// has alpha, which counts only if a pixel has any.
    init?(_ source: Source, options: DecodingOptions) throws(ImageError) {
        // `BMPDecoder` reports what is wrong with the header.
        guard let start = try source.bytes(upTo: Self.mostHeadBytes, at: 0),
            let layout = try? BMPLayout(start, isComplete: start.count == source.length, limits: options.limits),
            layout.headByteCount <= start.count, [.none, .bitFields].contains(layout.header.compression),
            (try? options.limits.check(layout.header.size, format: .bmp)) != nil
        else { return nil }
        let size = layout.header.size
        let expander = layout.makeExpander(start, maximumBitsPerChannel: options.maximumBitsPerChannel)
        rowByteCount = (size.width * layout.header.bitsPerPixel + 31) / 32 * 4
        guard !expander.hasAlpha, rowByteCount <= (source.length - layout.pixelOffset) / size.height else { return nil }
        self.source = source
        self.layout = layout
        self.expander = expander
        header = layout.imageHeader(start, expander)
        region = PixelRect(size)
    }

    func start(_ plan: DecodingPlan) throws(ImageError) -> BitmapInfo {
        region = plan.region ?? PixelRect(header.storedSize)
        nextRow = 0
        return BitmapInfo(size: region.size, format: expander.format, alpha: .none, profile: header.profile)
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        var done = 0
        while done < rows.count, nextRow < region.height {
            let y = region.y + nextRow
            let index = layout.header.isTopDown ? y : header.storedSize.height - 1 - y
            if !stripRows.contains(index) { try readStrip(with: index) }
            let (strip, start) = (strip, (index - stripRows.lowerBound) * rowByteCount)
            expander.expand(
                strip.span.extracting(start..<start + rowByteCount), from: region.x, to: &rows, done, isOpaque: true)
            done += 1
            nextRow += 1
        }
        return done
    }

    /// Reads the row `index` and those that are needed next.
    private func readStrip(with index: Int) throws(ImageError) {
        let count = min(max(1, Self.stripByteCount / rowByteCount), region.height - nextRow)
        stripRows = layout.header.isTopDown ? index..<index + count : index + 1 - count..<index + 1
        let byteCount = count * rowByteCount
        if strip.count < byteCount { strip = [UInt8](repeating: 0, count: byteCount) }
        let offset = layout.pixelOffset + stripRows.lowerBound * rowByteCount
        try Self.read(byteCount, of: source, at: offset, into: &strip)
    }

    private static func read(
        _ count: Int, of source: Source, at offset: Int, into bytes: inout [UInt8]
    ) throws(ImageError) {
        var target = bytes.mutableSpan
        // The pointer is used within the call only, and to as many bytes as there are.
        try target.withUnsafeMutableBytes { (bytes) throws(ImageError) in
            try source.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes.prefix(count)), at: offset)
        }
    }
}
