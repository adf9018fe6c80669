internal import Raster

/// Passes arriving bytes to the codecs until one recognises them, then to its decoder, until the input ends or an error
/// makes it unusable.
package final class DecodingStream {
    /// Creates the decoder for a stream, and reads from it.
    package protocol Owner: AnyObject {
        /// Creates a decoder with the codec that recognised the bytes, and keeps it.
        func makeDecoder(
            _ codec: any ImageCodec, for probe: borrowing FormatProbe, traits: FormatTraits
        ) throws(ImageError) -> any StreamingDecoder
        /// Decodes as much as the bytes so far allow.
        func advance() throws(ImageError) -> [DecodingEvent]
    }

    /// The information about the input's end, by which some formats are recognised, before it arrives.
    package enum End {
        /// The number of bytes and the last ones.
        case known(byteCount: Int, suffix: [UInt8])
        /// No information; codecs that need the end wait for it.
        case awaited
        /// No information; codecs that need the end decide by the bytes so far.
        case unknown
    }

    private let end: End
    private let limits: DecodingLimits
    private let registry: CodecRegistry
    private var decoder: (any StreamingDecoder)?
    /// The first bytes, until a codec recognises them.
    private var prefix: [UInt8] = []
    /// The number of bytes before which the codecs aren't asked again.
    private var neededByteCount = 0

    /// The number of bytes appended.
    package private(set) var byteCount = 0
    /// Whether the input has ended, so that no more bytes are accepted.
    package private(set) var isFinished = false
    /// The error that ended the input; nil if there was none.
    package private(set) var error: ImageError?

    /// Creates an empty stream.
    package init(limits: DecodingLimits, registry: CodecRegistry, end: End = .unknown) {
        self.end = end
        self.limits = limits
        self.registry = registry
    }

    /// Appends the next bytes of the input.
    /// - Returns: The owner's events.
    package func append(_ bytes: RawSpan, for owner: any Owner) throws(ImageError) -> [DecodingEvent] {
        if let error { throw error }
        guard !isFinished else { throw ImageError(.invalidParameter, "bytes after the end of the input") }
        byteCount += bytes.byteCount
        do throws(ImageError) {
            if let decoder {
                try decoder.append(bytes)
            } else {
                // Used within the call only.
                bytes.withUnsafeBytes { prefix.append(contentsOf: $0) }
                try identify(for: owner)
            }
        } catch {
            throw stop(error, for: owner)
        }
        return try advance(owner)
    }

    /// Ends the input.
    /// - Returns: The owner's events; none after the first call.
    package func finish(for owner: any Owner) throws(ImageError) -> [DecodingEvent] {
        if let error { throw error }
        guard !isFinished else { return [] }
        isFinished = true
        do throws(ImageError) {
            if decoder == nil { try identify(for: owner) }
            guard let decoder else { throw ImageError(.unknownFormat, "there are no bytes") }
            try decoder.finish()
        } catch {
            throw stop(error, for: owner)
        }
        return try advance(owner)
    }

    /// Whether there are enough bytes for the limits' compression ratio of an image with `header`.
    /// - Throws: `limitExceeded` if there never will be.
    package func hasEnoughBytes(for header: ImageHeader, options: DecodingOptions) throws(ImageError) -> Bool {
        let total: Int
        switch end {
        case .known(let byteCount, _): total = byteCount
        case .awaited, .unknown:
            guard isFinished else {
                return byteCount >= options.neededInputByteCount(for: header, registry: registry)
            }
            total = byteCount
        }
        try options.checkCompressionRatio(of: header, inputByteCount: total, registry: registry)
        return true
    }

    /// Ends the input and records the error.
    func fail(_ error: ImageError) -> ImageError {
        isFinished = true
        self.error = error
        return error
    }

    /// Ends the input after the owner has decoded what it can.
    private func stop(_ error: ImageError, for owner: any Owner) -> ImageError {
        isFinished = true
        _ = try? owner.advance()
        return fail(error)
    }

    private func advance(_ owner: any Owner) throws(ImageError) -> [DecodingEvent] {
        do throws(ImageError) {
            return try owner.advance()
        } catch {
            throw fail(error)
        }
    }

    /// Creates a decoder if a codec recognises the bytes so far, and passes them to it.
    private func identify(for owner: any Owner) throws(ImageError) {
        guard prefix.count >= neededByteCount || isFinished else { return }
        if isPulled { try checkPrefix() }
        let first = prefix
        let span = first.span.bytes
        var (byteCount, last): (Int?, [UInt8]) = (nil, [])
        if case .known(let count, let suffix) = end { (byteCount, last) = (count, suffix) }
        let known = last
        let probe =
            isFinished
            ? FormatProbe(whole: span)
            : FormatProbe(prefix: span, suffix: known.span.bytes, totalByteCount: byteCount)
        let found = registry.find(probe)
        switch found.match {
        // The codec of a more general format matched first; the end may match the exact one.
        case .match(let format, _) where format != found.codec!.format && isAwaitingEnd: return
        case .match(_, let traits):
            let made = try owner.makeDecoder(found.codec!, for: probe, traits: traits)
            decoder = made
            prefix = []
            try made.append(span)
        case .needMoreData(let minimum) where !isFinished:
            neededByteCount = minimum
            try checkPrefix()
        case .needMoreData, .unknown:
            guard !(first.isEmpty && !isFinished) else { return }
            throw registry.refusal(of: probe)
        }
    }

    private var isAwaitingEnd: Bool {
        if case .awaited = end { return !isFinished }
        return false
    }

    /// Whether the bytes come from a reader, which supplies only as many as needed.
    private var isPulled: Bool {
        if case .unknown = end { return false }
        return true
    }

    private func checkPrefix() throws(ImageError) {
        guard prefix.count <= limits.maximumInputByteCount else {
            throw ImageError(
                .limitExceeded,
                "more than \(limits.maximumInputByteCount) bytes of input without an image"
                    + " (DecodingLimits.maximumInputByteCount)")
        }
    }
}
