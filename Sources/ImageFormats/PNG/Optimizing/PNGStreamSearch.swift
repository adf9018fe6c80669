internal import CTesseraKernels
internal import CTesseraLibDeflate
internal import Dispatch
internal import Raster

/// Searches the filters that compress an image's stored rows best.
///
/// Memory holds the rows, and for each of two threads the filtered rows and their compressed bytes.
struct PNGStreamSearch: ~Copyable {
    private let form: PNGStoredForm
    private let rows: UnsafeMutablePointer<UInt8>
    private let rowByteCount: Int
    private var height: Int { form.header.size.height }
    private var filteredByteCount: Int { (rowByteCount + 1) * height }

    /// libdeflate's levels for comparing strategies, and for the result.
    private static let quickLevel: Int32 = 6
    private static let strongLevel: Int32 = 12
    /// The number of strategies that are compressed at the strong level.
    private static let finalistCount = 2
    private static let threadCount = 2

    /// Packs the bitmap's rows.
    /// - Throws: `limitExceeded` if the work needs more memory than the limits allow.
    init(_ form: PNGStoredForm, of bitmap: Bitmap, limits: DecodingLimits) throws(ImageError) {
        self.form = form
        rowByteCount = form.header.rowByteCount(width: bitmap.width)
        let byteCount = (rowByteCount + 1) * bitmap.height
        try limits.checkWorkingMemory((1 + 3 * Self.threadCount) * byteCount, for: "optimizing the PNG image")
        // The packer writes whole words up to the end of a row.
        rows = .allocate(capacity: byteCount + 8)
        let packer = PNGRowPacker(from: bitmap.format, to: form.header, palette: form.palette)
        let pixels = bitmap.rows
        for y in 0..<bitmap.height { packer.pack(pixels, y, into: rows + y * rowByteCount) }
    }

    /// Unpacks the rows of an image that isn't interlaced.
    /// - Parameters:
    ///   - stream: The image's zlib stream.
    ///   - form: The image's size and how its pixels are stored.
    /// - Throws: `corrupt` if the stream isn't the rows of such an image; `limitExceeded`.
    init(unpacking stream: [UInt8], _ form: PNGStoredForm, limits: DecodingLimits) throws(ImageError) {
        self.form = form
        rowByteCount = form.header.rowByteCount(width: form.header.size.width)
        let (height, rowByteCount) = (form.header.size.height, rowByteCount)
        let (byteCount, overflows) = (rowByteCount + 1).multipliedReportingOverflow(by: height)
        try limits.checkWorkingMemory(
            overflows || byteCount > 1 << 56 ? .max : (1 + 3 * Self.threadCount) * byteCount,
            for: "optimizing the PNG image")
        guard let decompressor = libdeflate_alloc_decompressor() else {
            throw ImageError(.outOfMemory, "no memory to unpack the PNG image")
        }
        defer { libdeflate_free_decompressor(decompressor) }
        // Filters read eight bytes behind the last row.
        let unpacked = UnsafeMutablePointer<UInt8>.allocate(capacity: byteCount + 8)
        // The target has `byteCount` bytes, all of which the stream must fill.
        let status = libdeflate_zlib_decompress(decompressor, stream, stream.count, unpacked, byteCount, nil)
        guard status == LIBDEFLATE_SUCCESS,
            tessera_png_unfilter(unpacked, height, rowByteCount, UInt32(form.header.filterDistance), nil) == height
        else {
            unpacked.deallocate()
            throw ImageError(.corrupt, "the PNG image's data is corrupt")
        }
        // Each row moves towards the start, over the filters' numbers.
        for y in 0..<height {
            (unpacked + y * rowByteCount).update(from: unpacked + y * (rowByteCount + 1) + 1, count: rowByteCount)
        }
        rows = unpacked
    }

    deinit { rows.deallocate() }

    /// Returns the smallest zlib stream that was found; nil if none is shorter than `limit`.
    func smallest(below limit: Int?) -> [UInt8]? {
        let isContinuous = form.header.bitDepth >= 8 && form.header.colorType != .indexed
        // Differences between indices mean little, but rows often repeat.
        let strategies: [PNGFilterStrategy] =
            isContinuous ? PNGFilterStrategy.allCases : [.none, .up, .sub, .fewestPairs]
        // Small images are compressed at the strong level at once.
        let isSmall = filteredByteCount < 1 << 18
        var results = compressed(strategies, level: isSmall ? Self.strongLevel : Self.quickLevel)
        if !isSmall {
            let order = results.sorted { $0.stream.count < $1.stream.count }
            // A form that is much larger than the best one won't catch up.
            if let limit, let first = order.first, first.stream.count > limit / 8 * 9 { return nil }
            results = compressed(order.prefix(Self.finalistCount).map(\.strategy), level: Self.strongLevel)
        }
        let best = results.min { $0.stream.count < $1.stream.count }?.stream
        return best.flatMap { $0.count < limit ?? .max ? $0 : nil }
    }

    /// Compresses the rows filtered by each strategy.
    private func compressed(
        _ strategies: [PNGFilterStrategy], level: Int32
    ) -> [(strategy: PNGFilterStrategy, stream: [UInt8])] {
        var streams = [[UInt8]](repeating: [], count: strategies.count)
        let distance = form.header.filterDistance
        let (height, rowByteCount, filteredByteCount) = (height, rowByteCount, filteredByteCount)
        for start in stride(from: 0, to: strategies.count, by: Self.threadCount) {
            let part = Array(strategies[start..<min(strategies.count, start + Self.threadCount)])
            // Each call reads the rows, which don't change, and writes to a separate element.
            nonisolated(unsafe) let rows = rows
            streams.withUnsafeMutableBufferPointer { all in
                nonisolated(unsafe) let results = UnsafeMutableBufferPointer(rebasing: all[start...])
                let work: @Sendable (Int) -> Void = { index in
                    let filtered = UnsafeMutablePointer<UInt8>.allocate(capacity: filteredByteCount)
                    defer { filtered.deallocate() }
                    part[index].filter(
                        rows, count: height, rowByteCount: rowByteCount, distance: distance, into: filtered)
                    results[index] = Self.zlib(UnsafeBufferPointer(start: filtered, count: filteredByteCount), level)
                }
                DispatchQueue.concurrentPerform(iterations: part.count, execute: work)
            }
        }
        return zip(strategies, streams).filter { !$0.1.isEmpty }.map { ($0.0, $0.1) }
    }

    /// The zlib stream of `bytes`; empty without memory.
    private static func zlib(_ bytes: UnsafeBufferPointer<UInt8>, _ level: Int32) -> [UInt8] {
        guard let compressor = libdeflate_alloc_compressor(level) else { return [] }
        defer { libdeflate_free_compressor(compressor) }
        let bound = libdeflate_zlib_compress_bound(compressor, bytes.count)
        return [UInt8](unsafeUninitializedCapacity: bound) { target, count in
            // The bound is the capacity that the library asks for.
            count = libdeflate_zlib_compress(
                compressor, bytes.baseAddress, bytes.count, target.baseAddress, target.count)
        }
    }
}
