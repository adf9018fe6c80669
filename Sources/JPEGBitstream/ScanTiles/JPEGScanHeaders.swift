/// The headers of a JPEG of several scans, without the scans' data, as they come.
///
/// They are the bytes of a JPEG whose scans are empty, with the segments that decoding needs and no others.
struct JPEGScanHeaders: Hashable, Sendable {
    /// The bytes, without an end-of-image marker.
    private(set) var bytes: [UInt8] = []
    private(set) var scanCount = 0

    /// The most scans that are taken: each is read from end to end, however short.
    static let maximumScanCount = 100

    /// The headers at the start of a JPEG, up to its first scan; of `bytes` themselves up to the last one.
    ///
    /// - Parameter hasData: Whether the JPEG has data after its first scan's header.
    /// - Throws: Why its scans can't be entered.
    init(_ jpeg: RawSpan, hasData: Bool) throws(JPEGTileObstacle) {
        let structure = hasData ? JPEGTileLayout.structure(of: jpeg) : JPEGStructure(of: jpeg)
        guard let frame = structure.frame, structure.scanCount > 0 else {
            if let failure = structure.failure, failure.code != .truncated { throw .damagedHeader(failure) }
            throw .incompleteHeader
        }
        try Self.check(frame)
        bytes = [0xFF, JPEGMarker.startOfImage.rawValue] + JPEGTileLayout.colorSegments(of: structure, in: jpeg)
        for segment in structure.segments {
            guard segment.payload.upperBound <= jpeg.byteCount else { break }
            append(segment.marker, jpeg.extracting(segment.payload))
            if hasData, scanCount > 0 { return }
        }
        guard scanCount == structure.scanCount else { throw .incompleteHeader }
    }

    private static func check(_ frame: JPEGFrame) throws(JPEGTileObstacle) {
        if frame.isDifferential { throw .hierarchical }
        if frame.process == .lossless { throw .lossless }
        if frame.isArithmetic { throw .arithmetic }
        guard frame.precision == 8 else { throw .precision(Int(frame.precision)) }
        guard frame.components.count == 1 || frame.components.count == 3 else {
            throw .componentCount(frame.components.count)
        }
        guard frame.height > 0 else { throw .unknownHeight }
        let blocks = frame.components.reduce(0) { $0 + Int($1.horizontalSampling) * Int($1.verticalSampling) }
        guard frame.components.count == 1 || blocks <= 10 else { throw .sampling }
    }

    /// Adds a segment if decoding needs it.
    mutating func append(_ marker: JPEGMarker, _ payload: RawSpan) {
        let isNeeded =
            marker.isStartOfFrame || marker == .huffmanTables || marker == .quantizationTables
            || marker == .restartInterval || marker == .startOfScan
        guard isNeeded else { return }
        let length = payload.byteCount + 2
        bytes += [0xFF, marker.rawValue, UInt8(length >> 8), UInt8(length & 0xFF)]
        let start = bytes.count
        payload.withUnsafeBytes { bytes.append(contentsOf: $0) }
        // A single component is coded block by block, whatever its sampling (T.81, A.2.2).
        if marker.isStartOfFrame, payload.byteCount == 9 { bytes[start + 7] = 0x11 }
        if marker == .startOfScan { scanCount += 1 }
    }

    /// The scans of these headers, whose offsets are those in `bytes`.
    /// - Throws: The error of the first scan whose header or tables are invalid.
    func script() throws(JPEGBitstreamError) -> JPEGScanScript {
        guard scanCount <= Self.maximumScanCount else {
            throw JPEGBitstreamError(
                .tooLarge, "the JPEG has more than \(Self.maximumScanCount) scans", offset: 0)
        }
        let whole = bytes + [0xFF, JPEGMarker.endOfImage.rawValue]
        let structure = JPEGStructure(of: whole.span.bytes)
        let script = try JPEGScanScript(structure, head: whole.span.bytes, data: whole.span.bytes, from: 0)
        guard script.scanCount == scanCount, let frame = structure.frame, frame.components.count < 4 else {
            throw script.failure ?? JPEGBitstreamError(.invalidScan, "a scan's header is damaged", offset: 0)
        }
        return script
    }
}
