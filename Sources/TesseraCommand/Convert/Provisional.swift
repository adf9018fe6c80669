internal import Tessera
extension Bitmap {
    func encoded(as format: ImageFormat, options: EncodingOptions) throws(ImageError) -> [UInt8] {
        let b = ByteBuffer()
        let d = try ImageDestination(b, format: format, info: info, options: options, registry: .default)
        try makeRowSource().copyRows(to: d)
        return b.bytes
    }
}
final class ImageDestination: RowSink {
    let sink: any RowSink
    init(
        _ output: any ByteSink, format: ImageFormat, info: BitmapInfo, options: EncodingOptions, registry: CodecRegistry
    ) throws(ImageError) {
        sink = try registry.codec(for: format)!.makeEncoder(info, options: options, output: output)
    }
    func write(_ rows: borrowing PixelRows) throws(ImageError) { try sink.write(rows) }
    func finish() throws(ImageError) { try sink.finish() }
}
func ResamplingRowSource(_ r: any RowSource, size: PixelSize) throws(ImageError) -> any RowSource { r }
