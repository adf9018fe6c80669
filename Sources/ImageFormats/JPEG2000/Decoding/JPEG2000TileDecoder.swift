#if JPEG2000
internal import CTesseraJP2
internal import Raster

/// The decoded samples of some tiles.
final class JPEG2000TileDecoder: @unchecked Sendable {
    // Unchecked: one thread makes it, and another one reads it later; the samples don't change.

    private let shim: ShimHandle
    private let grid: JPEG2000Grid
    private let reduction: Int

    /// Decodes `part` of the tiles in `cut`, an area of the grid, halved `reduction` times.
    /// - Throws: `unsupported` if the tiles can't be halved as often; `limitExceeded` if it takes more memory than the limits
    ///   allow; `corrupt`.
    init(
        _ cut: JPEG2000Cut, _ part: JPEG2000Grid.Area, of grid: JPEG2000Grid, reduction: Int, limits: DecodingLimits,
        threads: UInt8
    ) throws(ImageError) {
        guard reduction <= cut.levelCount else {
            throw ImageError(
                .unsupported, "the JPEG 2000 tile can't be halved \(reduction) times: it has \(cut.levelCount) levels")
        }
        self.grid = grid
        self.reduction = reduction
        let byteCount = Self.sampleByteCount(part, of: grid, reduction: reduction, isWhole: part == cut.area)
        let (total, overflows) = byteCount.addingReportingOverflow(cut.structureByteCount)
        try limits.checkWorkingMemory(overflows ? .max : total, for: "a tile of the JPEG 2000 image")
        shim = try ShimHandle(
            tessera_jp2_decoder_create(), "a JPEG 2000 decoder", failing: "the JPEG 2000 tile can't be decoded",
            tessera_jp2_decoder_message, destroy: tessera_jp2_decoder_destroy)
        var description = tessera_jp2_part()
        description.left = UInt32(part.x.lowerBound)
        description.top = UInt32(part.y.lowerBound)
        description.right = UInt32(part.x.upperBound)
        description.bottom = UInt32(part.y.upperBound)
        description.is_whole = part == cut.area
        description.reduction = UInt8(reduction)
        description.threads = threads
        description.is_lenient = cut.isTruncated
        // The shim reads the bytes within the call only.
        try shim.check(tessera_jp2_decoder_decode(shim.pointer, cut.bytes, cut.bytes.count, &description))
    }

    /// The bytes of the samples of `part`. Those of a whole tile take the place of its coefficients; OpenJPEG keeps the
    /// coefficients of other parts in a sparse array.
    static func sampleByteCount(_ part: JPEG2000Grid.Area, of grid: JPEG2000Grid, reduction: Int, isWhole: Bool) -> Int
    {
        var sum = 0
        for component in grid.components {
            sum += part.sampled(component.dx, component.dy).reduced(reduction).size.pixelCount
        }
        return sum * (isWhole ? 5 : 14)
    }

    /// Reads row `y` of a channel's component, a row of pixels of the reduced image: at `columns`, replaced by the elements of
    /// `table` as the shim specifies.
    func read(
        _ component: Int, _ y: Int, columns: Range<Int>, shift: Int, table: [UInt16], into target: inout [UInt16]
    ) throws(ImageError) {
        let layout = grid.components[component]
        // The shim reads as many elements as a sample has values.
        precondition(
            table.count >= 1 << (layout.bits - shift) && target.count >= columns.count && columns.lowerBound >= 0)
        let samples = tessera_jp2_decoder_samples(shim.pointer, UInt32(component))
        let row = max(0, y * grid.pixelHeight / layout.dy - Int(samples.y))
        guard layout.dx != grid.pixelWidth else {
            let first = UInt32(clamping: columns.lowerBound - Int(samples.x))
            return try shim.check(
                tessera_jp2_decoder_read(
                    shim.pointer, UInt32(component), UInt32(clamping: row), first, nil, UInt32(columns.count),
                    UInt8(shift), table, &target))
        }
        let places = columns.map { UInt32(clamping: $0 * grid.pixelWidth / layout.dx - Int(samples.x)) }
        try shim.check(
            tessera_jp2_decoder_read(
                shim.pointer, UInt32(component), UInt32(clamping: row), 0, places, UInt32(places.count), UInt8(shift),
                table, &target))
    }

    /// Reads a row of pixels from components of eight bits and equal sampling to `target` from byte `start` on.
    func readRGBA8(_ y: Int, columns: Range<Int>, into target: inout MutableRawSpan, at start: Int) throws(ImageError) {
        precondition(start >= 0 && start + 4 * columns.count <= target.byteCount)
        let samples = tessera_jp2_decoder_samples(shim.pointer, 0)
        let status = target.withUnsafeMutableBytes { bytes in
            // There is room for as many pixels, as checked above; the shim checks their place.
            tessera_jp2_decoder_read_rgba8(
                shim.pointer, UInt32(clamping: y - Int(samples.y)),
                UInt32(clamping: columns.lowerBound - Int(samples.x)),
                UInt32(columns.count), bytes.baseAddress!.assumingMemoryBound(to: UInt8.self) + start)
        }
        try shim.check(status)
    }
}
#endif
