internal import ImageFormats
internal import Raster

/// Decodes bytes into tiles for an `ArrivingImage`. Used by one task.
final class ArrivingImageDecoder: DecodingStream.Owner {
    private let options: ArrivingImage.Options
    private let registry: CodecRegistry
    private let state: ArrivingImageState
    /// Nil after the last bytes.
    private var stream: DecodingStream?
    private var decoder: (any IncrementalDecoder)?
    private var header: ImageHeader?
    private var writer: RawTileWriter?
    private var converter: ColorConverter?
    private var isOver = false

    init(options: ArrivingImage.Options, registry: CodecRegistry, state: ArrivingImageState) {
        var options = options
        options.decoding.color = .sRGB
        (options.decoding.maximumBitsPerChannel, options.decoding.dynamicRange) = (8, .standard)
        self.options = options
        self.registry = registry
        self.state = state
        stream = DecodingStream(limits: options.decoding.limits, registry: registry)
    }

    /// Decodes more bytes. Bytes after the image's end are ignored.
    func append(_ bytes: [UInt8]) throws(ImageError) {
        guard !isOver else { return }
        _ = try stream?.append(bytes.span.bytes, for: self)
    }

    /// Ends the input.
    func finish() throws(ImageError) {
        guard !isOver else { return }
        // A sequence may end because its task is cancelled; the input isn't truncated then.
        if Task.isCancelled { throw Self.cancelled }
        _ = try stream?.finish(for: self)
        guard isOver else {
            throw ImageError(
                .truncated, header == nil ? "the image ends before its header does" : "the image ends too early")
        }
    }

    /// Ends the image with an error, keeping finished tiles.
    func fail(_ error: ImageError) {
        guard !isOver else { return }
        isOver = true
        let error = Task.isCancelled ? Self.cancelled : error
        // Writing may have to wait for the disk, so a progressive JPEG's decoder is released first.
        (stream, decoder) = (nil, nil)
        writer?.finish(because: error)
        state.end(error)
        writer = nil
    }

    private static let cancelled = ImageError(.cancelled, "the image was cancelled")

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
            state.headers.tell(known, summary: [known])
        }
        if writer == nil {
            let delivery: PassDelivery = options.showsPasses || !known.isProgressive ? .every : .last
            // A JPEG may be identified as a JPNG at its end, which a decoder that has started on a single pass isn't
            // told. If that is known in advance, its colours aren't shown without alpha.
            let mayBegin = known.format != .jpeg || delivery == .every && options.format != .jpng
            guard mayBegin || stream?.isFinished != false else { return [] }
            guard try stream?.hasEnoughBytes(for: known, options: options.decoding) == true else { return [] }
            try start(decoder, known, delivery)
        }
        try decode(from: decoder)
        return []
    }

    private func start(
        _ decoder: any IncrementalDecoder, _ header: ImageHeader, _ delivery: PassDelivery
    ) throws(ImageError) {
        let planned = try PlannedDecoding(
            .full, of: header, options: options.decoding, orientation: options.orientation
        ) { (plan) throws(ImageError) in try decoder.start(plan, delivery: delivery) }
        let store = try RawTileStore(
            size: planned.info.size, orientation: planned.orientation, hasAlpha: planned.stored.alpha.hasAlpha,
            options: options.tiles)
        converter = try options.decoding.converter(for: planned.stored)
        writer = try RawTileWriter(
            store, rows: planned.delivered,
            byteLimit: options.decoding.limits.maximumWorkingByteCount)
        state.stores.tell(store)
    }

    /// Decodes as many rows as the bytes allow.
    private func decode(from decoder: any IncrementalDecoder) throws(ImageError) {
        while !isOver, let writer {
            if Task.isCancelled { throw Self.cancelled }
            let delivery = try read(from: decoder, to: writer)
            switch delivery {
            case .rows: continue
            case .needMoreData: return
            case .passComplete: try writer.endPass()
            case .restart(let info):
                // The previous tiles belong to an opaque image, and stay correct until they are replaced.
                if info.alpha.hasAlpha { writer.store.alpha = .premultiplied }
                converter = try options.decoding.converter(for: info)
                try writer.restart(options.decoding.delivered(info))
            case .end:
                try writer.finish()
                isOver = true
                self.writer = nil
                state.end(nil)
            }
        }
    }

    private func read(
        from decoder: any IncrementalDecoder, to writer: RawTileWriter
    ) throws(ImageError) -> RowDelivery {
        guard let format = header?.format else { return .needMoreData }
        guard !writer.hasAllRows else { return try readEnd(from: decoder, as: writer.info) }
        var delivery = RowDelivery.needMoreData
        let converter = converter
        _ = try writer.append { (rows) throws(ImageError) in
            delivery = try decoder.read(into: &rows, converting: converter, rowsLeft: rows.count, format: format)
            if case .rows(let count) = delivery { return count }
            return 0
        }
        return delivery
    }

    /// Reads the end of a pass, which a decoder reports separately after its last row.
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
