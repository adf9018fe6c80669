internal import Raster

/// A decoder whose header is known, and the reader that it is fed from.
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
    private let reader: any ByteReader
    private let options: DecodingOptions
    private let stream: DecodingStream
    private let owner: Owner
    private var hasAllBytes = false

    /// Finds the codec for the bytes of `reader` and feeds its decoder until the header is known.
    init(_ reader: any ByteReader, options: DecodingOptions, registry: CodecRegistry) throws(ImageError) {
        // A length without an end to look at is of no use to a format that is told by its end.
        let suffix = try reader.byteCount == nil ? nil : reader.suffix(64)
        let stream = DecodingStream(
            limits: options.limits, registry: registry,
            end: suffix.map { .known(byteCount: reader.byteCount ?? 0, suffix: $0) } ?? .awaited)
        let owner = Owner((reader as? Source.Reader)?.source, options)
        do throws(ImageError) {
            var hasMore = true
            while owner.decoder?.header == nil, hasMore { hasMore = try Self.feed(stream, from: reader, for: owner) }
            hasAllBytes = !hasMore
        } catch {
            failure = error
            hasAllBytes = true
        }
        guard let decoder = owner.decoder, let header = decoder.header else {
            throw failure ?? ImageError(.truncated, "the picture ends before its header does")
        }
        self.reader = reader
        self.options = options
        self.stream = stream
        self.owner = owner
        self.decoder = decoder
        self.header = header
    }

    /// Starts decoding the last pass as `plan` wants it, once there are as many bytes as the limits' compression ratio
    /// asks for: where nobody knows how many come, they are read first.
    /// - Throws: `invalidParameter` for a plan that doesn't fit the picture, `limitExceeded` where there are fewer bytes, and
    ///   what the decoder throws.
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

    /// Feeds the decoder with all that is left.
    func appendAll() {
        while appendNext() {}
    }

    /// Pulls rows out of the decoder, at most `rowsLeft` and converted, and feeds it whenever it has none.
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
                throw failure ?? ImageError(.truncated, "the \(header.format) picture ends too early")
            }
        }
    }

    /// Feeds the decoder with the bytes that come next, or tells it that there are no more; false when it has been told.
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

    /// Hands on the bytes that come next, or the news that there are no more: then false.
    private static func feed(
        _ stream: DecodingStream, from reader: any ByteReader, for owner: Owner
    ) throws(ImageError) -> Bool {
        let hasMore = try reader.nextBytes { (piece) throws(ImageError) in _ = try stream.append(piece, for: owner) }
        if !hasMore { _ = try stream.finish(for: owner) }
        return hasMore
    }
}

extension DecodingSession {
    /// Makes the decoder, in place where the codec and the source allow it.
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

        /// Nothing: rows are pulled.
        func advance() -> [DecodingEvent] { [] }
    }
}
