internal import ImageFormats
internal import Raster

/// The image that a worker decodes, and its replies.
final class WorkerSession {
    private let memory: SharedMemory
    private var options = DecodingOptions()
    private var still: (any IncrementalDecoder)?
    private var animation: (any AnimationDecoder)?
    /// The format of delivered rows, after conversion, and the converter if one is needed.
    private var info: BitmapInfo?
    private var converter: ColorConverter?
    /// The most recently decoded frame, converted.
    private var frame: Bitmap?
    private var saidHeader: ImageHeader?
    private var saidFrameCount = 0

    init(_ memory: SharedMemory) { self.memory = memory }

    /// Discards the image.
    func end() {
        (still, animation, info, converter, frame) = (nil, nil, nil, nil, nil)
        (saidHeader, saidFrameCount) = (nil, 0)
    }

    /// Performs a request and replies with its result, and with the header and frames if they changed.
    func answer(_ request: Request) -> Reply {
        var reply = Reply()
        do throws(ImageError) {
            reply.outcome = try perform(request)
        } catch {
            reply.outcome = .failed(error)
        }
        let header = still?.header ?? animation?.header
        if header != saidHeader {
            reply.header = header
            saidHeader = header
        }
        if let animation, header != nil {
            let frames = animation.frames
            if frames.count > saidFrameCount { reply.frames = Array(frames[saidFrameCount...]) }
            saidFrameCount = frames.count
        }
        if let still, header != nil { reply.prefersWholeInput = still.prefersWholeInput }
        return reply
    }

    private func perform(_ request: Request) throws(ImageError) -> Reply.Outcome {
        switch request {
        case .begin(let beginning): try begin(beginning)
        case .append(let count): try append(count)
        case .finish:
            try still?.finish()
            try animation?.finish()
        case .start(let plan, let delivery):
            guard let still else { throw Self.disorder }
            return .started(try take(still.start(plan, delivery: delivery)))
        case .startAnimation:
            guard let animation else { throw Self.disorder }
            return .started(try take(animation.start()))
        case .read(let count): return .read(try read(count))
        case .decodeFrame(let index): try decodeFrame(index)
        case .frameRows(let range): try putFrameRows(range)
        case .share(let count):
            guard memory.share(count) else { throw ImageError(.outOfMemory, "no memory for a row of pixels") }
        case .end: end()
        case .processors: throw Self.disorder
        }
        return .done
    }

    private static var disorder: ImageError { ImageError(.invalidParameter, "a request out of order") }

    private func begin(_ beginning: Request.Beginning) throws(ImageError) {
        end()
        options = beginning.options
        let builtIn = CodecRegistry.builtIn
        let format = builtIn.formats.first { $0.typeIdentifier == beginning.format }
        guard let format, let codec = builtIn.codec(for: format) else {
            throw ImageError(.unsupported, "the program that decodes images was built without \(beginning.format)")
        }
        let (none, suffix): ([UInt8], [UInt8]) = ([], beginning.suffix)
        let probe = FormatProbe(
            prefix: none.span.bytes, suffix: suffix.span.bytes, totalByteCount: beginning.totalByteCount)
        if beginning.isAnimation {
            animation = try codec.makeAnimationDecoder(for: probe, options: options)
        } else {
            still = try codec.makeDecoder(for: probe, options: options)
        }
    }

    private func append(_ count: Int) throws(ImageError) {
        guard count >= 0, count <= SharedLayout.inputByteCount else { throw Self.disorder }
        // Within the mapping; the other process doesn't write to it before the reply.
        let bytes = UnsafeRawBufferPointer(start: memory.base, count: count)
        try still?.append(RawSpan(_unsafeBytes: bytes))
        try animation?.append(RawSpan(_unsafeBytes: bytes))
    }

    /// Sets the format of rows; they are converted here, so that no other process parses the profile.
    private func take(_ stored: BitmapInfo) throws(ImageError) -> BitmapInfo {
        converter = try options.converter(for: stored)
        let delivered = options.delivered(stored)
        info = delivered
        return delivered
    }

    /// Returns the stride of rows of `info`; throws unless the shared memory has room for `count` of them.
    private func bytesPerRow(_ count: Int, of info: BitmapInfo) throws(ImageError) -> Int {
        let room = memory.byteCount - SharedLayout.inputByteCount
        guard let stride = SharedLayout.bytesPerRow(info), stride > 0, count > 0, count <= room / stride else {
            throw Self.disorder
        }
        return stride
    }

    private func read(_ count: Int) throws(ImageError) -> RowDelivery {
        guard let still, let info else { throw Self.disorder }
        let stride = try bytesPerRow(count, of: info)
        // The memory has room for `count` rows, and nothing else writes there.
        var owner = memory
        var rows = MutablePixelRows(
            unsafe: memory.base + SharedLayout.inputByteCount, format: info.format, width: info.size.width,
            count: count,
            bytesPerRow: stride, owner: &owner)
        let delivery = try still.read(into: &rows)
        switch delivery {
        case .rows(let count):
            if let converter {
                var filled = rows.extracting(0..<count)
                converter.convert(&filled)
            }
            return delivery
        case .restart(let stored):
            return .restart(try take(stored))
        case .needMoreData, .passComplete, .end:
            return delivery
        }
    }

    private func decodeFrame(_ index: Int) throws(ImageError) {
        guard let animation, let info, animation.frames.indices.contains(index) else { throw Self.disorder }
        frame = nil
        let decoded = try animation.decodeFrame(at: index)
        guard decoded.size == animation.frames[index].region.size, decoded.format == info.format else {
            throw ImageError(.corrupt, "the frame isn't as large as was said")
        }
        guard let converter else {
            frame = decoded
            return
        }
        var copy = try decoded.mutableCopy()
        var rows = copy.mutableRows
        converter.convert(&rows)
        frame = copy.freeze()
    }

    private func putFrameRows(_ range: Range<Int>) throws(ImageError) {
        guard let frame, range.lowerBound >= 0, range.upperBound <= frame.size.height else { throw Self.disorder }
        let stride = try bytesPerRow(range.count, of: frame.info)
        // The memory has room for these rows, and nothing else writes there.
        var owner = memory
        var rows = MutablePixelRows(
            unsafe: memory.base + SharedLayout.inputByteCount, format: frame.format, width: frame.size.width,
            count: range.count, bytesPerRow: stride, owner: &owner)
        rows.copy(frame.rows.extracting(range))
    }
}
