import ImageFormats
import Raster

/// Reads and writes files of rows, as a codec of a user's own would.
struct RowsCodec: ImageCodec {
    var format: ImageFormat = .rows
    var canDecode = true
    var canEncode = true
    var capabilities: ImageCapabilities {
        [canDecode ? .decode : [], canEncode ? .encode : []]
    }
    /// What an encoder takes.
    var encodable: @Sendable (BitmapInfo) -> BitmapInfo = { $0 }

    func identify(_ probe: borrowing FormatProbe) -> FormatMatch {
        switch probe.starts(with: Array("ROWS".utf8)) {
        case true: .match(format)
        case nil: .needMoreData(minimum: 4)
        default: .unknown
        }
    }

    func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        RowsDecoder(options: options)
    }

    func encodableInfo(for info: BitmapInfo, options: EncodingOptions) -> BitmapInfo { encodable(info) }

    func makeEncoder(
        _ info: BitmapInfo, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any RowSink {
        try RowsEncoder(info, output)
    }
}

/// Writes a file of rows, and checks that it is given what it was promised.
final class RowsEncoder: RowSink {
    private let info: BitmapInfo
    private let output: any ByteSink
    private var rowCount = 0

    init(_ info: BitmapInfo, _ output: any ByteSink) throws(ImageError) {
        self.info = info
        self.output = output
        try output.write(RowsHead(info).encoded)
    }

    func write(_ rows: borrowing PixelRows) throws(ImageError) {
        guard rows.format == info.format, rows.width == info.size.width else {
            throw ImageError(.invalidParameter, "other rows than promised")
        }
        for y in 0..<rows.count { try output.write(rows.bytes(y)) }
        rowCount += rows.count
    }

    func finish() throws(ImageError) {
        guard rowCount == info.size.height else {
            throw ImageError(.invalidParameter, "\(rowCount) rows of \(info.size.height)")
        }
    }
}

extension CodecRegistry {
    /// Knows files of rows only.
    static let rows = CodecRegistry([RowsCodec()])
}
