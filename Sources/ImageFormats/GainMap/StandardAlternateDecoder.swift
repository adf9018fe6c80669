internal import Raster

/// Decodes a base in high dynamic range to the file's rendition in standard range, by a gain map that may follow the base.
///
/// Keeps such a file's bytes, and delivers one pass of rows once all have arrived. Other images are decoded as usual.
final class StandardAlternateDecoder: IncrementalDecoder {
    private let codec: any GainMapReading
    private let options: DecodingOptions
    private let make: (DecodingOptions) throws(ImageError) -> any IncrementalDecoder
    private let mayHaveMap: ([UInt8]) -> Bool
    private var decoder: any IncrementalDecoder
    /// The bytes so far; nil once it is known that no map applies.
    private var bytes: [UInt8]? = []
    private var hasAllBytes = false
    private var started: (plan: DecodingPlan, info: BitmapInfo)?
    private var rows: (any RowSource)?

    /// - Parameters:
    ///   - make: Creates the decoder of the base.
    ///   - mayHaveMap: Whether a file that begins with these bytes may have a map.
    init(
        _ codec: any GainMapReading, options: DecodingOptions, mayHaveMap: @escaping ([UInt8]) -> Bool,
        make: @escaping (DecodingOptions) throws(ImageError) -> any IncrementalDecoder
    ) throws(ImageError) {
        (self.codec, self.options, self.make, self.mayHaveMap) = (codec, options, make, mayHaveMap)
        decoder = try make(options)
    }

    var header: ImageHeader? { decoder.header }

    var prefersWholeInput: Bool { decoder.prefersWholeInput }

    func append(_ piece: RawSpan) throws(ImageError) {
        do throws(ImageError) {
            try decoder.append(piece)
        } catch {
            // The rows before the damage can still be read.
            hasAllBytes = true
            keep(piece)
            throw error
        }
        keep(piece)
    }

    private func keep(_ piece: RawSpan) {
        guard let count = bytes?.count else { return }
        let isStarted = started != nil
        if !isStarted, let header, !StandardAlternate.mayApply(to: header, of: codec, options: options) {
            return bytes = nil
        }
        guard piece.byteCount <= options.limits.maximumInputByteCount - count else {
            // Without its bytes the map isn't found.
            return bytes = isStarted ? [] : nil
        }
        // The pointer is used within the call only.
        piece.withUnsafeBytes { bytes?.append(contentsOf: $0) }
        if !isStarted, header != nil, !mayHaveMap(bytes ?? []) { bytes = nil }
    }

    func finish() throws(ImageError) {
        hasAllBytes = true
        try decoder.finish()
    }

    func start(_ plan: DecodingPlan, delivery: PassDelivery) throws(ImageError) -> BitmapInfo {
        guard let bytes, let header else { return try decoder.start(plan, delivery: delivery) }
        let baseOptions = StandardAlternate.baseOptions(options)
        if baseOptions != options, header.bitsPerChannel > 8 {
            decoder = try make(baseOptions)
            // Damage was reported when the bytes came, and is again where rows are missing.
            try? decoder.append(bytes.span.bytes)
            if hasAllBytes { try? decoder.finish() }
        }
        let info = try decoder.start(plan, delivery: .last)
        started = (plan, info)
        return StandardAlternate.info(of: info, options: options)
    }

    func read(into target: inout MutablePixelRows) throws(ImageError) -> RowDelivery {
        guard let (plan, info) = started, let header else { return try decoder.read(into: &target) }
        if rows == nil {
            guard hasAllBytes else { return .needMoreData }
            let file = bytes ?? []
            bytes = nil
            let alternate = try StandardAlternate(header, in: Source(file), of: codec, options: options)
            rows = try StandardAlternate.rows(
                of: DecoderRows(decoder, info), by: alternate, plan: plan, size: header.storedSize, options: options)
        }
        let count = try rows!.read(into: &target)
        return count > 0 ? .rows(count) : .end
    }
}

/// The rows of a decoder that has all of its bytes, and delivers one pass.
private final class DecoderRows: RowSource {
    let info: BitmapInfo
    private let decoder: any IncrementalDecoder
    private var rowsLeft: Int

    init(_ decoder: any IncrementalDecoder, _ info: BitmapInfo) {
        (self.decoder, self.info) = (decoder, info)
        rowsLeft = info.size.height
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        guard rowsLeft > 0 else { return 0 }
        while true {
            let delivery = try decoder.read(
                into: &rows, converting: nil, rowsLeft: rowsLeft, format: decoder.header!.format)
            switch delivery {
            case .rows(let count):
                rowsLeft -= count
                return count
            case .passComplete, .restart: continue
            case .needMoreData: throw ImageError(.truncated, "the image ends too early")
            case .end: return 0
            }
        }
    }
}
