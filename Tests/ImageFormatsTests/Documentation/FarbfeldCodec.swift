import ImageFormats
import Raster

extension ImageFormat {
    static let farbfeld = ImageFormat(
        typeIdentifier: "org.suckless.farbfeld", name: "farbfeld", mimeTypes: ["image/x-farbfeld"],
        filenameExtensions: ["ff"])
}

/// Reads and writes farbfeld: "farbfeld", width and height as 32-bit numbers, then red, green, blue and alpha of each
/// pixel as 16-bit numbers, all big-endian. Pixels are reduced to 8 bits.
struct FarbfeldCodec: ImageCodec {
    var format: ImageFormat { .farbfeld }
    var capabilities: ImageCapabilities { [.decode, .encode, .incremental, .alpha] }

    func identify(_ probe: borrowing FormatProbe) -> FormatMatch {
        switch probe.starts(with: Array("farbfeld".utf8)) {
        case true: .match(.farbfeld)
        case nil: .needMoreData(minimum: 8)
        default: .unknown
        }
    }

    func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        FarbfeldDecoder(limits: options.limits)
    }

    func encodableInfo(for info: BitmapInfo, options: EncodingOptions) -> BitmapInfo {
        BitmapInfo(size: info.size, format: .rgba8, alpha: .straight)
    }

    func makeEncoder(
        _ info: BitmapInfo, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any RowSink {
        try FarbfeldEncoder(info.size, output)
    }
}

/// Keeps the bytes that aren't decoded yet, and takes rows off their front.
final class FarbfeldDecoder: IncrementalDecoder {
    private let limits: DecodingLimits
    private var bytes: [UInt8] = []
    private var isFinished = false
    private var region = PixelRect(x: 0, y: 0, width: 0, height: 0)
    private var nextRow = 0
    private(set) var header: ImageHeader?

    init(limits: DecodingLimits) { self.limits = limits }

    func append(_ bytes: RawSpan) throws(ImageError) {
        bytes.withUnsafeBytes { self.bytes.append(contentsOf: $0) }
        if header == nil, self.bytes.count >= 16 { try readHeader() }
    }

    func finish() throws(ImageError) {
        isFinished = true
        if header == nil { throw ImageError(.truncated, "the farbfeld header is cut", byteOffset: bytes.count) }
    }

    private func readHeader() throws(ImageError) {
        func number(_ offset: Int) -> Int { bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) } }
        let size = PixelSize(width: number(8), height: number(12))
        try limits.check(size, format: .farbfeld)
        bytes.removeFirst(16)
        header = ImageHeader(
            format: .farbfeld, storedSize: size, colorModel: .rgb, bitsPerChannel: 16, hasAlpha: true)
    }

    func start(_ plan: DecodingPlan, delivery: PassDelivery) throws(ImageError) -> BitmapInfo {
        let size = header!.storedSize
        try plan.validate(for: size)
        region = plan.region ?? PixelRect(size)
        return BitmapInfo(size: region.size, format: .rgba8, alpha: .straight)
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> RowDelivery {
        let rowByteCount = header!.storedSize.width * 8
        let last = region.y + region.height
        var used = 0
        var count = 0
        while nextRow < last, count < rows.count, bytes.count - used >= rowByteCount {
            if nextRow >= region.y {
                var row = rows.row(count, as: RGBA8.self)
                for x in 0..<region.width {
                    let start = used + (region.x + x) * 8
                    row[x] = RGBA8(channel(start), channel(start + 2), channel(start + 4), channel(start + 6))
                }
                count += 1
            }
            used += rowByteCount
            nextRow += 1
        }
        bytes.removeFirst(used)
        if count > 0 { return .rows(count) }
        if nextRow == last { return .end }
        guard isFinished else { return .needMoreData }
        throw ImageError(.truncated, "the farbfeld image ends in row \(nextRow)")
    }

    private func channel(_ offset: Int) -> UInt8 {
        let value = Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
        return UInt8((value * 255 + 32767) / 65535)
    }
}

/// Writes the header at once and each row as it comes.
final class FarbfeldEncoder: RowSink {
    private let output: any ByteSink

    init(_ size: PixelSize, _ output: any ByteSink) throws(ImageError) {
        self.output = output
        let numbers = [size.width, size.height].flatMap { number in
            (0..<4).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        try output.write(Array("farbfeld".utf8) + numbers)
    }

    func write(_ rows: borrowing PixelRows) throws(ImageError) {
        for y in 0..<rows.count {
            let row = rows.bytes(y)
            // Twice the byte is its value of 16 bits: v × 257.
            let bytes = row.withUnsafeBytes { $0.flatMap { [$0, $0] } }
            try output.write(bytes)
        }
    }

    func finish() throws(ImageError) {}
}
