public import Raster

/// Decodes a picture row by row while its bytes are read: memory is bounded by rows wherever the format allows.
///
/// Rows are upright and in the colours that the options ask for. A picture that has to be turned is decoded whole first.
///
/// ```swift
/// let source = try ImageRowSource(ByteArraySource(bytes), plan: DecodingPlan(targetSize: PixelSize(width: 400, height: 300)))
/// let bitmap = try source.makeBitmap()
/// ```
public final class ImageRowSource: RowSource {
    /// What the file says of the picture.
    public let header: ImageHeader
    /// What the rows are: the planned size or larger.
    public let info: BitmapInfo

    private let bytes: any ByteSource
    private let decoder: any IncrementalDecoder
    private let converter: ColorConverter?
    private let mirrorsRows: Bool
    private var turned: (any RowSource)?
    private var isFinished = false

    /// Reads as much of `bytes` as the header takes and prepares to decode what `plan` asks for.
    /// - Throws: `unknownFormat`; `truncated`, `corrupt` or `limitExceeded` for what the header says; `invalidParameter`
    ///   for a plan that doesn't fit the picture.
    public convenience init(
        _ bytes: any ByteSource, plan: DecodingPlan = .full, options: DecodingOptions = DecodingOptions(),
        registry: CodecRegistry = .default
    ) throws(ImageError) {
        try self.init(bytes, options: options, registry: registry) { _ in plan }
    }

    /// As `init(_:plan:options:registry:)`, with a plan that depends on the header: to fit the picture into a box, say.
    /// - Throws: Also what `makePlan` throws.
    public init(
        _ bytes: any ByteSource, options: DecodingOptions = DecodingOptions(), registry: CodecRegistry = .default,
        makePlan: (ImageHeader) throws(ImageError) -> DecodingPlan
    ) throws(ImageError) {
        let session = try Self.open(bytes, options: options, registry: registry)
        (self.bytes, decoder, isFinished) = (session.bytes, session.decoder, session.isFinished)
        header = session.header

        let orientation = options.appliesOrientation ? header.metadata.orientation : .up
        let plan = try makePlan(header)
        try plan.validate(for: orientation.applied(to: header.storedSize))
        let stored = try decoder.start(plan.stored(orientation, storedSize: header.storedSize), delivery: .last)
        converter = options.color == .sRGB ? try ColorConverter(from: stored) : nil
        var info = converter?.info ?? stored
        info.size = orientation.applied(to: info.size)
        self.info = info
        mirrorsRows = orientation == .upMirrored

        if decoder.prefersWholeInput { try finishInput() }
        if orientation != .up, orientation != .upMirrored {
            turned = try decodeWhole(stored).oriented(by: orientation).makeRowSource()
        }
    }

    /// Rows as they come; blocks while bytes are read.
    public func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        if let turned { return try turned.read(into: &rows) }
        let count = try readStored(into: &rows)
        if mirrorsRows, count > 0 {
            var filled = rows.extracting(0..<count)
            filled.mirror()
        }
        return count
    }

    private func readStored(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        while true {
            switch try decoder.read(into: &rows) {
            case .rows(let count):
                if let converter {
                    var filled = rows.extracting(0..<count)
                    converter.convert(&filled)
                }
                return count
            case .needMoreData:
                guard !isFinished else { throw ImageError(.truncated, "the \(header.format) picture ends too early") }
                try appendNext()
            case .passComplete, .restart:
                continue
            case .end:
                return 0
            }
        }
    }

    private func decodeWhole(_ stored: BitmapInfo) throws(ImageError) -> Bitmap {
        var bitmap = try MutableBitmap(uninitialized: stored)
        var filled = 0
        while filled < stored.size.height {
            let count = try bitmap.withMutableRows(filled..<stored.size.height) { (rows) throws(ImageError) in
                try readStored(into: &rows)
            }
            guard count > 0 else {
                throw ImageError(.truncated, "the rows end after \(filled) of \(stored.size.height)")
            }
            filled += count
        }
        if let converter { bitmap.setMeaning(alpha: converter.info.alpha, profile: converter.info.profile) }
        return bitmap.freeze()
    }

    private func appendNext() throws(ImageError) {
        let decoder = decoder
        let more = try bytes.nextBytes { (piece) throws(ImageError) in try decoder.append(piece) }
        if !more {
            isFinished = true
            try decoder.finish()
        }
    }

    private func finishInput() throws(ImageError) {
        while !isFinished { try appendNext() }
    }
}
