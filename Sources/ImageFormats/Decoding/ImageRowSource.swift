public import Raster

/// Decodes a picture row by row while its bytes are read: memory is bounded by rows wherever the format allows.
///
/// Rows are upright and in the colours that the options ask for. A picture that has to be turned is decoded whole first.
///
/// ```swift
/// let source = try ImageRowSource(Source(bytes), plan: DecodingPlan(targetSize: PixelSize(width: 400, height: 300)))
/// let bitmap = try source.makeBitmap()
/// ```
public final class ImageRowSource: RowSource {
    /// What the file says of the picture.
    public let header: ImageHeader
    /// What the rows are: the planned size or larger.
    public let info: BitmapInfo
    /// The part of the rows that is what was planned: a picture at an eighth of its size may end within a pixel.
    public let coverage: PixelRegion

    private let session: DecodingSession
    private let converter: ColorConverter?
    private let mirrorsRows: Bool
    private var turned: (any RowSource)?
    private var rowsLeft: Int
    /// What the session's rows are once converted, before they are turned.
    private let delivered: BitmapInfo

    /// Reads as much of `source` as the header takes and prepares to decode what `plan` asks for.
    /// - Throws: `unknownFormat`; `truncated`, `corrupt` or `limitExceeded` for what the header says; `invalidParameter`
    ///   for a plan that doesn't fit the picture. A picture that has to be turned throws here what its rows would.
    public convenience init(
        _ source: Source, plan: DecodingPlan = .full, options: DecodingOptions = DecodingOptions(),
        registry: CodecRegistry = .default
    ) throws(ImageError) {
        try self.init(source.reader(), options: options, registry: registry) { _ in plan }
    }

    /// As `init(_:plan:options:registry:)`, with a plan that depends on the header: to fit the image into a box, say.
    /// - Throws: Also what `makePlan` throws.
    public convenience init(
        _ source: Source, options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default,
        makePlan: (ImageHeader) throws(ImageError) -> DecodingPlan
    ) throws(ImageError) {
        try self.init(source.reader(), options: options, registry: registry, makePlan: makePlan)
    }

    /// The same of a reader.
    public init(
        _ bytes: any ByteReader, options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default,
        makePlan: (ImageHeader) throws(ImageError) -> DecodingPlan = { _ in .full }
    ) throws(ImageError) {
        session = try DecodingSession(bytes, options: options, registry: registry)
        header = session.header

        let plan = try makePlan(header)
        let planned = try session.start(plan)
        let orientation = planned.orientation
        converter = options.color == .sRGB ? try ColorConverter(from: planned.stored) : nil
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

    /// Rows as they come; blocks while bytes are read.
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

    /// Reads what follows the last row, and any rows left, and reports what is wrong with it: a checksum or a footer.
    ///
    /// For who keeps an output only when the whole input was sound. A source that was read to its end and finishes has
    /// no error that `ImageSource` would have found.
    /// - Throws: What the format has to say after its rows.
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
                // A session that was asked for the last pass only has nothing else to say before it.
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
