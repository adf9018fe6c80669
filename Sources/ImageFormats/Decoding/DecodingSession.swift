internal import Raster

/// A decoder whose header is known, and the bytes that it is fed with.
///
/// Bytes that fail to come, or that the decoder refuses, end the input; the rows that were possible by then can still
/// be read, and the reason is reported after them.
final class DecodingSession {
    /// The decoder.
    let decoder: any IncrementalDecoder
    /// What it said of the picture at first.
    let header: ImageHeader
    /// Why the input ended before its end.
    private(set) var failure: ImageError?
    private let bytes: any ByteReader
    private let options: DecodingOptions
    private let registry: CodecRegistry
    private var hasAllBytes = false
    /// Bytes handed to the decoder so far.
    private var byteCount = 0

    /// Finds the codec for `bytes` and feeds it until the header is known.
    init(_ bytes: any ByteReader, options: DecodingOptions, registry: CodecRegistry) throws(ImageError) {
        var probe = Probe(bytes, options: options, registry: registry)
        let decoder = try probe.makeDecoder()
        var byteCount = probe.prefix.count
        do throws(ImageError) {
            try decoder.append(probe.prefix.span.bytes)
            var hasMore = !probe.isComplete
            while decoder.header == nil, hasMore {
                hasMore = try bytes.nextBytes { (piece) throws(ImageError) in
                    byteCount += piece.byteCount
                    try decoder.append(piece)
                }
            }
            if !hasMore {
                hasAllBytes = true
                try decoder.finish()
            }
        } catch {
            failure = error
            hasAllBytes = true
        }
        guard let header = decoder.header else {
            throw failure ?? ImageError(.truncated, "the picture ends before its header does")
        }
        self.bytes = bytes
        self.options = options
        self.registry = registry
        self.decoder = decoder
        self.header = header
        self.byteCount = byteCount
    }

    /// Fixes what is decoded of the last pass, `plan` being in stored pixels, once there are as many bytes as the limits'
    /// compression ratio asks for: where nobody knows how many come, they are read first.
    /// - Throws: `limitExceeded` where there are fewer, and what the decoder throws.
    func start(_ plan: DecodingPlan) throws(ImageError) -> BitmapInfo {
        if let total = bytes.byteCount {
            try options.checkCompressionRatio(of: header, inputByteCount: total, registry: registry)
        } else {
            let needed = options.neededInputByteCount(for: header, registry: registry)
            while byteCount < needed, appendNext() {}
            if byteCount < needed, let failure { throw failure }
            try options.checkCompressionRatio(of: header, inputByteCount: byteCount, registry: registry)
        }
        return try decoder.start(plan, delivery: .last)
    }

    /// Feeds the decoder with all that is left.
    func appendAll() {
        while appendNext() {}
    }

    /// Pulls rows out of the decoder and feeds it whenever it has none.
    /// - Returns: Any delivery but `needMoreData`.
    func read(into rows: inout MutablePixelRows) throws(ImageError) -> RowDelivery {
        while true {
            let delivery: RowDelivery
            do throws(ImageError) {
                delivery = try decoder.read(into: &rows)
            } catch {
                throw failure ?? error
            }
            guard case .needMoreData = delivery else { return delivery }
            guard appendNext() else {
                throw failure ?? ImageError(.truncated, "the \(header.format) picture ends too early")
            }
        }
    }

    /// Feeds the decoder with the bytes that come next, or tells it that there are no more; false when it has been told.
    func appendNext() -> Bool {
        guard !hasAllBytes else { return false }
        let decoder = decoder
        var count = 0
        defer { byteCount += count }
        do throws(ImageError) {
            let isMore = try bytes.nextBytes { (piece) throws(ImageError) in
                count = piece.byteCount
                try decoder.append(piece)
            }
            guard !isMore else { return true }
            hasAllBytes = true
            try decoder.finish()
        } catch {
            hasAllBytes = true
            failure = error
        }
        return true
    }
}

extension DecodingSession {
    /// The beginning of some bytes, read as far as it takes to find their codec.
    private struct Probe {
        let bytes: any ByteReader
        let options: DecodingOptions
        let registry: CodecRegistry
        var prefix: [UInt8] = []
        /// Whether `prefix` is all there is.
        var isComplete = false

        init(_ bytes: any ByteReader, options: DecodingOptions, registry: CodecRegistry) {
            self.bytes = bytes
            self.options = options
            self.registry = registry
        }

        mutating func makeDecoder() throws(ImageError) -> any IncrementalDecoder {
            // A length without an end to look at is of no use to a format that is told by its end.
            let suffix = try bytes.byteCount == nil ? nil : bytes.suffix(64)
            let byteCount = suffix == nil ? nil : bytes.byteCount
            let last = suffix ?? []
            try readMore()
            while true {
                guard !prefix.isEmpty else { throw ImageError(.unknownFormat, "there are no bytes") }
                let first = prefix
                let probe =
                    isComplete
                    ? FormatProbe(whole: first.span.bytes)
                    : FormatProbe(
                        prefix: first.span.bytes, suffix: last.span.bytes, totalByteCount: byteCount)
                let found = registry.find(probe)
                switch found.match {
                // A codec that claims a more general format hasn't seen the end, which decides: read up to it.
                case .match(let format, _) where format != found.codec!.format && !isComplete && byteCount == nil:
                    try readMore()
                case .match(_, let traits):
                    if let codec = found.codec as? any InPlaceDecoding, let source = (bytes as? Source.Reader)?.source,
                        let picture = try codec.makePicture(in: source, options: options)
                    {
                        return InPlaceDecoder(picture)
                    }
                    return try found.codec!.makeSession(for: probe, traits: traits, options: options)
                case .needMoreData where !isComplete:
                    try readMore()
                case .needMoreData, .unknown:
                    throw registry.refusal(of: probe)
                }
            }
        }

        private mutating func readMore() throws(ImageError) {
            var read: [UInt8] = []
            // Used within the call only.
            isComplete = try !bytes.nextBytes { piece in piece.withUnsafeBytes { read.append(contentsOf: $0) } }
            prefix.append(contentsOf: read)
            guard prefix.count <= options.limits.maximumInputByteCount else {
                throw ImageError(
                    .limitExceeded,
                    "more than \(options.limits.maximumInputByteCount) bytes of input without a picture")
            }
        }
    }
}
