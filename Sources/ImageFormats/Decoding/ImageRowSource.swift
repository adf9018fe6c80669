public import Raster

/// Decodes an image row by row while its bytes are read, with memory for a few rows if the format allows it.
///
/// Rows are upright and in the colour space that the options select. An image that must be rotated or flipped
/// vertically is decoded completely first.
///
/// ```swift
/// let source = try ImageRowSource(Source(bytes), plan: DecodingPlan(targetSize: PixelSize(width: 400, height: 300)))
/// let bitmap = try source.makeBitmap()
/// ```
public final class ImageRowSource: RowSource {
    /// The file's header.
    public let header: ImageHeader
    /// The format and size of the rows: the planned size or larger.
    public let info: BitmapInfo
    /// The part of the rows that the plan covers: an image at an eighth of its size may end within a pixel.
    public let coverage: PixelRegion

    private let session: DecodingSession
    private let converter: ColorConverter?
    private let mirrorsRows: Bool
    private var turned: (any RowSource)?
    private var rowsLeft: Int
    /// The format and size of the decoder's rows after conversion, before the orientation is applied.
    private let delivered: BitmapInfo

    /// Reads the header from `source` and prepares to decode the part and size that `plan` selects.
    /// - Throws: `unknownFormat`; `truncated`, `corrupt` or `limitExceeded` for an invalid header; `invalidParameter`
    ///   if the plan doesn't fit the image. For an image that must be rotated, also the errors of decoding its rows.
    public convenience init(
        _ source: Source, plan: DecodingPlan = .full, options: DecodingOptions = DecodingOptions(),
        registry: CodecRegistry = .default
    ) throws(ImageError) {
        try self.init(source.reader(), options: options, registry: registry) { _ in plan }
    }

    /// Reads the header from `source` and prepares to decode by a plan that depends on it, such as one that fits a box.
    /// - Throws: The errors of `init(_:plan:options:registry:)`, and any error of `makePlan`.
    public convenience init(
        _ source: Source, options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default,
        makePlan: (ImageHeader) throws(ImageError) -> DecodingPlan
    ) throws(ImageError) {
        try self.init(source.reader(), options: options, registry: registry, makePlan: makePlan)
    }

    /// Reads the header from a reader, and prepares to decode by a plan that can depend on it.
    public init(
        _ bytes: any ByteReader, options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default,
        makePlan: (ImageHeader) throws(ImageError) -> DecodingPlan = { _ in .full }
    ) throws(ImageError) {
        session = try DecodingSession(bytes, options: options, registry: registry)
        header = session.header

        let plan = try makePlan(header)
        let planned = try session.start(plan)
        let orientation = planned.orientation
        converter = try options.converter(for: planned.stored)
        delivered = planned.delivered
        info = planned.info
        coverage = plan.coverage(
            of: orientation.applied(to: header.storedSize), decodedAs: info.size, orientation: orientation)
        mirrorsRows = orientation == .upMirrored
        rowsLeft = planned.stored.size.height

        if session.decoder.prefersWholeInput { session.appendAll() }
        if orientation != .up, orientation != .upMirrored {
            turned = try decodeWhole(delivered).oriented(by: orientation).makeRowSource()
        }
    }

    /// Reads the next rows. Blocks while bytes are read.
    public func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        try Interruption.check()
        if let turned { return try turned.read(into: &rows) }
        guard rowsLeft > 0 else { return 0 }
        let count = try readStored(into: &rows)
        if mirrorsRows, count > 0 {
            var filled = rows.extracting(0..<count)
            filled.mirror()
        }
        return count
    }

    /// Reads the remaining rows and the data after them, and throws if they are damaged, as by a wrong checksum.
    ///
    /// Call it before keeping an output that requires a sound input. If all rows were read and this doesn't throw,
    /// `ImageSource` wouldn't have found an error either.
    /// - Throws: Any error in the remaining input.
    public func finish() throws(ImageError) {
        var info = delivered
        info.size.height = 1
        var row = try MutableBitmap(uninitialized: info)
        var isAtEnd = false
        while !isAtEnd {
            isAtEnd = try row.withMutableRows(0..<1) { (rows) throws(ImageError) in
                try session.read(into: &rows, converting: nil, rowsLeft: rows.count) == .end
            }
        }
        rowsLeft = 0
    }

    private func readStored(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        while true {
            switch try session.read(into: &rows, converting: converter, rowsLeft: rowsLeft) {
            case .rows(let count):
                rowsLeft -= count
                return count
            case .passComplete, .restart, .needMoreData:
                // With `PassDelivery.last`, no rows precede those of the last pass.
                continue
            case .end:
                return 0
            }
        }
    }

    private func decodeWhole(_ delivered: BitmapInfo) throws(ImageError) -> Bitmap {
        var bitmap = try MutableBitmap(uninitialized: delivered)
        let height = delivered.size.height
        while rowsLeft > 0 {
            let count = try bitmap.withMutableRows((height - rowsLeft)..<height) { (rows) throws(ImageError) in
                try readStored(into: &rows)
            }
            guard count > 0 else {
                throw ImageError(.truncated, "the rows end after \(height - rowsLeft) of \(height)")
            }
        }
        return bitmap.freeze()
    }
}
