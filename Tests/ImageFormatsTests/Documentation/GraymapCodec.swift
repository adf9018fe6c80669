import ImageFormats
import Raster

extension ImageFormat {
    static let graymap = ImageFormat(
        typeIdentifier: "org.netpbm.pgm", name: "PGM", mimeTypes: ["image/x-portable-graymap"],
        filenameExtensions: ["pgm"])
}

/// Reads and writes binary PGM: "P5", width, height and 255 as text, then a byte for each pixel.
struct GraymapCodec: ImageCodec {
    var format: ImageFormat { .graymap }
    var capabilities: ImageCapabilities { [.decode, .encode, .incremental, .lossless] }

    func identify(_ probe: borrowing FormatProbe) -> FormatMatch {
        switch probe.starts(with: Array("P5".utf8)) {
        case true: .match(.graymap)
        case nil: .needMoreData(minimum: 2)
        default: .unknown
        }
    }

    func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        GraymapDecoder(limits: options.limits)
    }

    func encodableInfo(for info: BitmapInfo, options: EncodingOptions) -> BitmapInfo {
        BitmapInfo(size: info.size, format: .gray8)
    }

    func makeEncoder(
        _ info: BitmapInfo, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any RowSink {
        try GraymapEncoder(info.size, output)
    }
}

/// Keeps the bytes that aren't decoded yet, and takes rows off their front.
final class GraymapDecoder: IncrementalDecoder {
    private let limits: DecodingLimits
    private var bytes: [UInt8] = []
    private var isFinished = false
    private var region = PixelRect(x: 0, y: 0, width: 0, height: 0)
    private var nextRow = 0
    private(set) var header: ImageHeader?

    init(limits: DecodingLimits) { self.limits = limits }

    func append(_ bytes: RawSpan) throws(ImageError) {
        bytes.withUnsafeBytes { self.bytes.append(contentsOf: $0) }
        if header == nil { try readHeader() }
    }

    func finish() throws(ImageError) {
        isFinished = true
        if header == nil { throw ImageError(.truncated, "the PGM header is not whole", byteOffset: bytes.count) }
    }

    private func readHeader() throws(ImageError) {
        let fields = bytes.prefix(64).split(maxSplits: 4, omittingEmptySubsequences: false) { $0 == 10 || $0 == 32 }
        guard fields.count == 5 else {
            if bytes.count >= 64 { throw ImageError(.corrupt, "the PGM header has no end", byteOffset: 64) }
            return
        }
        let numbers = fields[1...3].compactMap { Int(String(decoding: $0, as: UTF8.self)) }
        guard numbers.count == 3, numbers[2] == 255 else {
            throw ImageError(.unsupported, "the PGM header is not a size and 255", byteOffset: 2)
        }
        let size = PixelSize(width: numbers[0], height: numbers[1])
        try limits.check(size, format: .graymap)
        bytes.removeFirst(fields[4].startIndex)
        header = ImageHeader(format: .graymap, storedSize: size, colorModel: .gray)
    }

    func start(_ plan: DecodingPlan, delivery: PassDelivery) throws(ImageError) -> BitmapInfo {
        let size = header!.storedSize
        try plan.validate(for: size)
        region = plan.region ?? PixelRect(size)
        return BitmapInfo(size: region.size, format: .gray8)
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> RowDelivery {
        let width = header!.storedSize.width
        let last = region.y + region.height
        var used = 0
        var count = 0
        while nextRow < last, count < rows.count, bytes.count - used >= width {
            if nextRow >= region.y {
                var row = rows.row(count, as: Gray8.self)
                for x in 0..<region.width { row[x] = Gray8(bytes[used + region.x + x]) }
                count += 1
            }
            used += width
            nextRow += 1
        }
        bytes.removeFirst(used)
        if count > 0 { return .rows(count) }
        if nextRow == last { return .end }
        guard isFinished else { return .needMoreData }
        throw ImageError(.truncated, "the PGM picture ends in row \(nextRow)")
    }
}

/// Writes the header at once and each row as it comes.
final class GraymapEncoder: RowSink {
    private let output: any ByteSink

    init(_ size: PixelSize, _ output: any ByteSink) throws(ImageError) {
        self.output = output
        try output.write(Array("P5\n\(size.width) \(size.height)\n255\n".utf8))
    }

    func write(_ rows: borrowing PixelRows) throws(ImageError) {
        for y in 0..<rows.count { try output.write(rows.bytes(y)) }
    }

    func finish() throws(ImageError) {}
}
