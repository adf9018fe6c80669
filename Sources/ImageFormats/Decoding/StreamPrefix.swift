internal import Raster

/// The first bytes of a stream, kept until a codec knows them.
struct StreamPrefix {
    private var bytes: [UInt8] = []
    /// Asking the codecs is of no use with fewer bytes.
    private var neededByteCount = 0

    /// Takes the bytes that come next.
    mutating func append(_ piece: RawSpan) {
        // Used within the call only.
        piece.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    /// Has `make` make a session when a codec knows the bytes; nil while it takes more.
    ///
    /// The bytes are handed out with the session, to be its first.
    mutating func makeSession<Session>(
        isFinished: Bool, limits: DecodingLimits, registry: CodecRegistry,
        _ make: (any ImageCodec, borrowing FormatProbe, FormatTraits) throws(ImageError) -> Session
    ) throws(ImageError) -> (session: Session, bytes: [UInt8])? {
        guard bytes.count >= neededByteCount || isFinished else { return nil }
        let first = bytes
        let span = first.span.bytes
        let probe = isFinished ? FormatProbe(whole: span) : FormatProbe(streamPrefix: span)
        let found = registry.find(probe)
        switch found.match {
        case .match(_, let traits):
            let session = try make(found.codec!, probe, traits)
            bytes = []
            return (session, first)
        case .needMoreData(let minimum) where !isFinished:
            neededByteCount = minimum
            guard first.count <= limits.maximumInputByteCount else {
                throw ImageError(.limitExceeded, "\(first.count) bytes of input without a picture")
            }
            return nil
        case .needMoreData, .unknown:
            guard !(first.isEmpty && !isFinished) else { return nil }
            throw ImageError(
                .unknownFormat,
                first.isEmpty ? "there are no bytes" : "the bytes are not in any format that can be read here")
        }
    }
}
