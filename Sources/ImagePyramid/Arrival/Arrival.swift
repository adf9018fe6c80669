internal import ImageFormats
internal import Raster

/// Bytes in, tiles out: the work behind an `ArrivingImage`. Used by one task.
final class Arrival: DecodingStream.Owner {
    private let options: ArrivingImage.Options
    private let registry: CodecRegistry
    private let progress: ArrivalProgress
    /// Nil once no more will come.
    private var stream: DecodingStream?
    private var decoder: (any IncrementalDecoder)?
    private var header: ImageHeader?
    private var writer: RawTileWriter?
    private var converter: ColorConverter?
    private var isOver = false

    init(options: ArrivingImage.Options, registry: CodecRegistry, progress: ArrivalProgress) {
        var options = options
        options.decoding.color = .sRGB
        options.decoding.maximumBitsPerChannel = 8
        self.options = options
        self.registry = registry
        self.progress = progress
        stream = DecodingStream(limits: options.decoding.limits, registry: registry)
    }

    /// Takes the bytes that come next. Those that follow the picture are taken for nothing: who sends them needn't know
    /// where it ends.
    func append(_ bytes: [UInt8]) throws(ImageError) {
        guard !isOver else { return }
        _ = try stream?.append(bytes.span.bytes, for: self)
    }

    /// Says that there are no more bytes.
    func finish() throws(ImageError) {
        guard !isOver else { return }
        // A sequence may end when its task is cancelled: what is missing then isn't the sender's fault.
        if Task.isCancelled { throw Self.cancelled }
        _ = try stream?.finish(for: self)
        guard isOver else {
            throw ImageError(
                .truncated, header == nil ? "the picture ends before its header does" : "the picture ends too early")
        }
    }

    /// Ends the picture with what there is.
    func fail(_ error: ImageError) {
        guard !isOver else { return }
        isOver = true
        let error = Task.isCancelled ? Self.cancelled : error
        // What is still to be written may wait for the disk: what a progressive JPEG's decoder keeps needn't.
        (stream, decoder) = (nil, nil)
        writer?.finish(because: error)
        progress.end(error)
        writer = nil
    }

    private static let cancelled = ImageError(.cancelled, "the picture was cancelled")

    func makeDecoder(
        _ codec: any ImageCodec, for probe: borrowing FormatProbe, traits: FormatTraits
    ) throws(ImageError) -> any StreamingDecoder {
        let decoder = try codec.makeSession(for: probe, traits: traits, options: options.decoding)
        self.decoder = decoder
        return decoder
    }

    func advance() throws(ImageError) -> [DecodingEvent] {
        guard !isOver, let decoder, let known = decoder.header else { return [] }
        if header != known {
            header = known
            progress.set(known)
        }
        if writer == nil {
            let delivery: PassDelivery = options.showsPasses || !known.isProgressive ? .every : .last
            // A JPEG may turn out to be a JPNG at its end, which who has begun with one pass only isn't told. Where that is
            // known before, its colours alone are nothing to be shown.
            let mayBegin = known.format != .jpeg || delivery == .every && options.format != .jpng
            guard mayBegin || stream?.isFinished != false else { return [] }
            guard try hasEnoughBytes(for: known) else { return [] }
            try start(decoder, known, delivery)
        }
        try decode(from: decoder)
        return []
    }

    /// Whether there are as many bytes as the limits ask for of a picture so large.
    private func hasEnoughBytes(for header: ImageHeader) throws(ImageError) -> Bool {
        guard let stream else { return false }
        let decoding = options.decoding
        if stream.isFinished {
            try decoding.checkCompressionRatio(of: header, inputByteCount: stream.byteCount, registry: registry)
            return true
        }
        return stream.byteCount >= decoding.neededInputByteCount(for: header, registry: registry)
    }

    private func start(
        _ decoder: any IncrementalDecoder, _ header: ImageHeader, _ delivery: PassDelivery
    ) throws(ImageError) {
        let info = try decoder.start(.full, delivery: delivery)
        let orientation = options.orientation ?? options.decoding.appliedOrientation(of: header)
        let store = try RawTileStore(
            size: orientation.applied(to: info.size), orientation: orientation, hasAlpha: info.alpha.hasAlpha,
            options: options.tiles)
        converter = try ColorConverter(from: info)
        writer = try RawTileWriter(
            store, rows: options.decoding.delivered(info),
            byteLimit: options.decoding.limits.maximumWorkingByteCount)
        progress.set(store)
    }

    /// Makes tiles of as many rows as there are.
    private func decode(from decoder: any IncrementalDecoder) throws(ImageError) {
        while !isOver, let writer {
            if Task.isCancelled { throw Self.cancelled }
            let delivery = try read(from: decoder, to: writer)
            switch delivery {
            case .rows: continue
            case .needMoreData: return
            case .passComplete: try writer.endPass()
            case .restart(let info):
                // The tiles so far are of an opaque picture, and stay right until they are replaced.
                if info.alpha.hasAlpha { writer.store.alpha = .premultiplied }
                converter = try ColorConverter(from: info)
                try writer.restart(options.decoding.delivered(info))
            case .end:
                try writer.finish()
                isOver = true
                self.writer = nil
                progress.end(nil)
            }
        }
    }

    private func read(
        from decoder: any IncrementalDecoder, to writer: RawTileWriter
    ) throws(ImageError) -> RowDelivery {
        guard !writer.hasAllRows else { return try readEnd(from: decoder, as: writer.info) }
        var delivery = RowDelivery.needMoreData
        let (converter, format) = (converter, header?.format)
        _ = try writer.append { (rows) throws(ImageError) in
            let room = rows.count
            delivery = try decoder.read(into: &rows)
            guard case .rows(let count) = delivery else { return 0 }
            guard count > 0, count <= room else {
                throw ImageError(
                    .corrupt, "the \(format.map { "\($0)" } ?? "") codec delivered \(count) rows of \(room)")
            }
            if let converter {
                var filled = rows.extracting(0..<count)
                converter.convert(&filled)
            }
            return count
        }
        return delivery
    }

    /// After its last row a decoder has still to say that the pass is over.
    private func readEnd(from decoder: any IncrementalDecoder, as info: BitmapInfo) throws(ImageError) -> RowDelivery {
        var info = info
        info.size.height = 1
        var row = try MutableBitmap(uninitialized: info)
        let delivery = try row.withMutableRows(0..<1) { (rows) throws(ImageError) in try decoder.read(into: &rows) }
        if case .rows = delivery {
            throw ImageError(
                .corrupt, "the \(header?.format.description ?? "") codec delivered more rows than there are")
        }
        return delivery
    }
}
