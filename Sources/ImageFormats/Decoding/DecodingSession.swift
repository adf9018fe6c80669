internal import Raster

/// A decoder whose header is known, and the reader that supplies its bytes.
///
/// An error of the reader or the decoder ends the input. The rows decodable by then can still be read; the error is
/// reported after them.
final class DecodingSession {
    /// The decoder that the codec or the source created.
    let decoder: any IncrementalDecoder
    /// The header when it became known; the decoder's may become more exact later.
    let header: ImageHeader
    /// The error that ended the input early.
    private(set) var failure: ImageError?
    private let reader: any ByteReader
    private let options: DecodingOptions
    private let stream: DecodingStream
    private let owner: Owner
    private var hasAllBytes = false

    /// Finds the codec for the bytes of `reader`, and passes bytes to its decoder until the header is known.
    init(_ reader: any ByteReader, options: DecodingOptions, registry: CodecRegistry) throws(ImageError) {
        // Codecs that check the file's end need its bytes; the length alone doesn't help them.
        let suffix = try reader.byteCount == nil ? nil : reader.suffix(64)
        let stream = DecodingStream(
            limits: options.limits, registry: registry,
            end: suffix.map { .known(byteCount: reader.byteCount ?? 0, suffix: $0) } ?? .awaited)
        let source = (reader as? Source.Reader)?.wholeSource
        let owner = Owner(source, options)
        do throws(ImageError) {
            var hasMore = true
            while owner.decoder?.header == nil, hasMore { hasMore = try Self.feed(stream, from: reader, for: owner) }
            hasAllBytes = !hasMore
        } catch {
            failure = error
            hasAllBytes = true
        }
        guard let decoder = owner.decoder, let header = decoder.header else {
            throw failure ?? ImageError(.truncated, "the image ends before its header does")
        }
        self.reader = reader
        self.options = options
        self.stream = stream
        self.owner = owner
        self.decoder = decoder
        self.header = header
        (decoder as? any SourceReadingDecoder)?.source = source
    }

    /// Starts decoding the last pass, once there are enough bytes for the limits' compression ratio. If the input's
    /// length is unknown, they are read first.
    /// - Throws: `invalidParameter` if the plan doesn't fit the image, `limitExceeded` if there are too few bytes, and
    ///   any error of the decoder.
    func start(_ plan: DecodingPlan) throws(ImageError) -> PlannedDecoding {
        try PlannedDecoding(plan, of: header, options: options) { (stored) throws(ImageError) in
            do throws(ImageError) {
                while try !stream.hasEnoughBytes(for: header, options: options), appendNext() {}
            } catch {
                throw failure ?? error
            }
            if let failure, try !stream.hasEnoughBytes(for: header, options: options) { throw failure }
            return try decoder.start(stored, delivery: .last)
        }
    }

    /// Passes all remaining bytes to the decoder.
    func appendAll() {
        while appendNext() {}
    }

    /// Reads and converts at most `rowsLeft` rows, and passes bytes to the decoder whenever it needs more.
    /// - Returns: Any delivery but `needMoreData`.
    func read(
        into rows: inout MutablePixelRows, converting converter: ColorConverter?, rowsLeft: Int
    ) throws(ImageError) -> RowDelivery {
        while true {
            let delivery: RowDelivery
            do throws(ImageError) {
                delivery = try decoder.read(
                    into: &rows, converting: converter, rowsLeft: rowsLeft, format: header.format)
            } catch {
                throw failure ?? error
            }
            guard case .needMoreData = delivery else { return delivery }
            guard appendNext() else {
                throw failure ?? ImageError(.truncated, "the \(header.format) image ends too early")
            }
        }
    }

    /// Passes the next bytes to the decoder, or ends its input; false if the input has already ended.
    func appendNext() -> Bool {
        guard !hasAllBytes else { return false }
        do throws(ImageError) {
            hasAllBytes = try !Self.feed(stream, from: reader, for: owner)
        } catch {
            hasAllBytes = true
            failure = error
        }
        return true
    }

    /// Passes on the next bytes and returns true, or ends the input and returns false.
    private static func feed(
        _ stream: DecodingStream, from reader: any ByteReader, for owner: Owner
    ) throws(ImageError) -> Bool {
        let hasMore = try reader.nextBytes { (piece) throws(ImageError) in _ = try stream.append(piece, for: owner) }
        if !hasMore { _ = try stream.finish(for: owner) }
        return hasMore
    }
}

extension DecodingSession {
    /// Creates the decoder, one that reads the source in place if the codec supports it.
    private final class Owner: DecodingStream.Owner {
        private let source: Source?
        private let options: DecodingOptions
        private(set) var decoder: (any IncrementalDecoder)?

        init(_ source: Source?, _ options: DecodingOptions) { (self.source, self.options) = (source, options) }

        func makeDecoder(
            _ codec: any ImageCodec, for probe: borrowing FormatProbe, traits: FormatTraits
        ) throws(ImageError) -> any StreamingDecoder {
            let made: any IncrementalDecoder
            if let source, let codec = codec as? any InPlaceDecoding,
                let picture = try codec.makePicture(in: source, options: options)
            {
                made = WholeInputDecoder(picture, limits: options.limits)
            } else {
                made = try codec.makeSession(for: probe, traits: traits, options: options)
            }
            decoder = made
            return made
        }

        /// Does nothing, since callers read the rows.
        func advance() -> [DecodingEvent] { [] }
    }
}
