internal import Raster

/// Bytes that arrive: they go to the codecs until one knows them, then to the decoder that it makes, until there are no
/// more or an error says that they are of no use.
package final class DecodingStream {
    /// Whose bytes these are.
    package protocol Owner: AnyObject {
        /// Makes a decoder with the codec that knows the bytes, and keeps it.
        func makeDecoder(
            _ codec: any ImageCodec, for probe: borrowing FormatProbe, traits: FormatTraits
        ) throws(ImageError) -> any StreamingDecoder
        /// Does what the bytes so far allow.
        func advance() throws(ImageError) -> [DecodingEvent]
    }

    /// What is known of the input's end before it is there. Some formats are told by it.
    package enum End {
        /// So many bytes there are, and these are the last ones.
        case known(byteCount: Int, suffix: [UInt8])
        /// Nothing, and a codec that can't tell without it waits for it.
        case awaited
        /// Nothing, and a codec that can't tell without it begins with what the bytes look like.
        case unknown
    }

    private let end: End
    private let limits: DecodingLimits
    private let registry: CodecRegistry
    private var decoder: (any StreamingDecoder)?
    /// The first bytes, until a codec knows them.
    private var prefix: [UInt8] = []
    /// Asking the codecs is of no use with fewer bytes.
    private var neededByteCount = 0

    /// Bytes that came.
    package private(set) var byteCount = 0
    /// Whether no more can be of use.
    package private(set) var isFinished = false
    /// Why, unless that is because the input ended as it should.
    package private(set) var error: ImageError?

    /// A stream of which nothing has come.
    package init(limits: DecodingLimits, registry: CodecRegistry, end: End = .unknown) {
        self.end = end
        self.limits = limits
        self.registry = registry
    }

    /// Takes the bytes that come next.
    /// - Returns: What the owner made of them.
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

    /// Says that there are no more bytes.
    /// - Returns: What the owner made of that; nothing the second time.
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

    /// Whether there are as many bytes as the limits' compression ratio asks for of a picture with `header`.
    /// - Throws: `limitExceeded` where there never will be.
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

    /// Ends the input and records why.
    func fail(_ error: ImageError) -> ImageError {
        isFinished = true
        self.error = error
        return error
    }

    /// Ends the input after the owner has done what is still possible.
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

    /// Has the owner make a decoder if a codec knows the bytes, and hands it those.
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
        // A codec that claims a more general format hasn't seen the end, which decides.
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

    /// Whether the bytes come from a reader, which is asked for no more than is needed.
    private var isPulled: Bool {
        if case .unknown = end { return false }
        return true
    }

    private func checkPrefix() throws(ImageError) {
        guard prefix.count <= limits.maximumInputByteCount else {
            throw ImageError(
                .limitExceeded, "more than \(limits.maximumInputByteCount) bytes of input without a picture")
        }
    }
}
