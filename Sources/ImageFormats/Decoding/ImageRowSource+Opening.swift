internal import Raster

extension ImageRowSource {
    /// A decoder whose header is known, and where the rest of its bytes comes from.
    struct Session {
        var bytes: any ByteSource
        var decoder: any IncrementalDecoder
        var header: ImageHeader
        var isFinished: Bool
    }

    /// Finds the codec for `bytes` and feeds it until the header is known.
    static func open(
        _ bytes: any ByteSource, options: DecodingOptions, registry: CodecRegistry
    ) throws(ImageError) -> Session {
        let suffix = try bytes.byteCount == nil ? [] : bytes.suffix(64) ?? []
        var prefix: [UInt8] = []
        var isComplete = false

        var decoder: (any IncrementalDecoder)?
        while decoder == nil {
            let first = prefix
            let whole = first.span.bytes
            let probe =
                isComplete
                ? FormatProbe(whole: whole)
                : FormatProbe(prefix: whole, suffix: suffix.span.bytes, totalByteCount: bytes.byteCount)
            let found = registry.find(probe)
            switch found.match {
            case .match(let format):
                // A codec that claims a more general format hasn't seen the end, which decides: read up to it.
                if format != found.codec!.format, !isComplete, bytes.byteCount == nil {
                    isComplete = try !readMore(&prefix, from: bytes, limits: options.limits)
                    continue
                }
                decoder = try found.codec!.makeDecoder(for: probe, options: options)
            case .needMoreData where !isComplete:
                isComplete = try !readMore(&prefix, from: bytes, limits: options.limits)
            case .needMoreData, .unknown:
                guard !isComplete, prefix.isEmpty else {
                    throw ImageError(
                        .unknownFormat,
                        prefix.isEmpty ? "there are no bytes" : "the bytes are not in any format that can be read here")
                }
                isComplete = try !readMore(&prefix, from: bytes, limits: options.limits)
            }
        }
        let session = decoder!
        try session.append(prefix.span.bytes)
        prefix = []
        while session.header == nil {
            if isComplete {
                try session.finish()
                break
            }
            isComplete = try !bytes.nextBytes { (piece) throws(ImageError) in try session.append(piece) }
        }
        guard let header = session.header else {
            throw ImageError(.truncated, "the picture ends before its header does")
        }
        return Session(bytes: bytes, decoder: session, header: header, isFinished: isComplete)
    }

    /// Appends the bytes that come next to `prefix`; false when there are none.
    private static func readMore(
        _ prefix: inout [UInt8], from bytes: any ByteSource, limits: DecodingLimits
    ) throws(ImageError) -> Bool {
        var read: [UInt8] = []
        // Used within the call only.
        let more = try bytes.nextBytes { piece in piece.withUnsafeBytes { read.append(contentsOf: $0) } }
        prefix.append(contentsOf: read)
        guard prefix.count <= limits.maximumInputByteCount else {
            throw ImageError(
                .limitExceeded, "more than \(limits.maximumInputByteCount) bytes of input without a picture")
        }
        return more
    }
}
