import ImageFormats
import ImageFormatsTestSupport
import Raster
import Synchronization

extension ImageFormat {
    /// A format of the tests' own: a head of 12 bytes, then frames whose pixels are as they are in memory.
    static let flip = ImageFormat(
        typeIdentifier: "test.flip", name: "Flip", mimeTypes: ["image/x-flip"], filenameExtensions: ["flip"])
}

/// Reads and writes flip books, as an animated format's codec would.
struct FlipCodec: ImageCodec {
    /// Counts frames that were decoded.
    final class Log: Sendable {
        private let frames = Mutex<[Int]>([])
        var decoded: [Int] { frames.withLock { $0 } }
        func add(_ index: Int) { frames.withLock { $0.append(index) } }
        func clear() { frames.withLock { $0 = [] } }
    }

    var log = Log()
    var format: ImageFormat { .flip }
    var capabilities: ImageCapabilities { [.decode, .encode, .decodeAnimation, .encodeAnimation, .alpha] }
    /// What an encoder takes.
    var encodable: @Sendable (BitmapInfo) -> BitmapInfo = { $0 }

    func identify(_ probe: borrowing FormatProbe) -> FormatMatch {
        switch probe.starts(with: Array("FLIP".utf8)) {
        case true: .match(format)
        case nil: .needMoreData(minimum: 4)
        default: .unknown
        }
    }

    func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        throw ImageError(.unsupported, "flip books have no stills")
    }

    func makeAnimationDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any AnimationDecoder {
        FlipDecoder(log: log)
    }

    func encodableInfo(for info: BitmapInfo, options: EncodingOptions) -> BitmapInfo { encodable(info) }

    func makeSequenceEncoder(
        _ info: BitmapInfo, count: Int, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any FrameSink {
        let book = FlipBook(info: info, announced: count, loopCount: options.loopCount)
        try output.write(book.head)
        return FlipSink(count: count, output: output)
    }
}

/// Reads a flip book.
final class FlipDecoder: AnimationDecoder {
    private let log: FlipCodec.Log
    private var bytes: [UInt8] = []
    private var book: FlipBook?
    private var offsets: [Int] = []
    private(set) var frames: [AnimationFrame] = []

    init(log: FlipCodec.Log) { self.log = log }

    var header: ImageHeader? {
        book.map {
            ImageHeader(
                format: .flip, storedSize: $0.info.size, colorModel: .rgb,
                bitsPerChannel: $0.info.format.bitsPerChannel,
                hasAlpha: $0.info.alpha.hasAlpha, profile: $0.info.profile,
                sequence: ImageSequence(.animation, count: $0.announced, loopCount: $0.loopCount),
                metadata: ImageMetadata(orientation: $0.orientation))
        }
    }

    func append(_ piece: RawSpan) throws(ImageError) {
        for index in 0..<piece.byteCount { bytes.append(piece.unsafeLoad(fromByteOffset: index, as: UInt8.self)) }
        if book == nil, bytes.count >= FlipBook.headByteCount { book = FlipBook(head: bytes) }
        guard let book else { return }
        var next = offsets.last.map { $0 + frames.last!.region.size.pixelCount * book.info.format.bytesPerPixel }
        while true {
            let start = next ?? FlipBook.headByteCount
            guard bytes.count > start else { return }
            guard bytes[start] != 255 else { throw ImageError(.corrupt, "no frame begins so", byteOffset: start) }
            guard bytes.count >= start + 8 else { return }
            let frame = FlipBook.frame(bytes[start..<(start + 8)].map(Int.init))
            let end = start + 8 + frame.region.size.pixelCount * book.info.format.bytesPerPixel
            guard bytes.count >= end else { return }
            frames.append(frame)
            offsets.append(start + 8)
            next = end
        }
    }

    func finish() throws(ImageError) {
        guard let book else { throw ImageError(.truncated, "the head is not whole", byteOffset: bytes.count) }
        if let count = book.announced, frames.count < count {
            throw ImageError(.truncated, "\(frames.count) frames of \(count)", byteOffset: bytes.count)
        }
    }

    func start() throws(ImageError) -> BitmapInfo { book!.info }

    func decodeFrame(at index: Int) throws(ImageError) -> Bitmap {
        log.add(index)
        var info = book!.info
        info.size = frames[index].region.size
        var bitmap = try MutableBitmap(info)
        var rows = bitmap.mutableRows
        for y in 0..<info.size.height {
            var row = rows.bytes(y)
            for x in 0..<row.byteCount {
                row.storeBytes(of: bytes[offsets[index] + y * row.byteCount + x], toByteOffset: x, as: UInt8.self)
            }
        }
        return bitmap.freeze()
    }
}

/// Writes a flip book whose frames are as large as the canvas.
final class FlipSink: FrameSink {
    private var left: Int
    private let output: any ByteSink

    init(count: Int, output: any ByteSink) { (left, self.output) = (count, output) }

    func write(_ frame: Bitmap, duration: Double) throws(ImageError) {
        left -= 1
        let region = AnimationFrame(region: PixelRect(frame.size), storedDuration: duration)
        try output.write(FlipBook.head(of: region))
        try output.write(frame.tightBytes())
    }

    func finish() throws(ImageError) {
        guard left == 0 else { throw ImageError(.invalidParameter, "\(left) frames are missing") }
    }
}

extension CodecRegistry {
    /// Knows flip books only.
    static let flip = CodecRegistry([FlipCodec()])
}
