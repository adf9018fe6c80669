import ImageFormats
import Raster

extension Fixtures {
    /// What a codec writes of small pictures, of every pixel format and with the options that change a file's making.
    static func encoded(with codec: any ImageCodec) -> [[UInt8]] {
        var files: [[UInt8]] = []
        for format in PixelFormat.allCases {
            for alpha in format.isGray ? [AlphaMode.none] : [.none, .straight] {
                let info = BitmapInfo(size: PixelSize(width: 37, height: 21), format: format, alpha: alpha)
                for options in variants {
                    let wanted = codec.encodableInfo(for: info, options: options)
                    guard let bitmap = try? gradient(wanted) else { continue }
                    let buffer = ByteBuffer()
                    // What a codec can't write yet is no seed.
                    guard (try? codec.encode(bitmap, options: options, output: buffer)) != nil else { continue }
                    if !files.contains(buffer.bytes) { files.append(buffer.bytes) }
                }
            }
        }
        return files
    }

    /// What a codec writes of three small frames, with and without alpha, loss and both.
    static func animated(with codec: any ImageCodec) -> [[UInt8]] {
        var files: [[UInt8]] = []
        for alpha in [AlphaMode.none, .straight] {
            for options in [EncodingOptions(), EncodingOptions(isLossless: true, loopCount: 2)] {
                let info = BitmapInfo(size: PixelSize(width: 37, height: 21), format: .rgba8, alpha: alpha)
                let buffer = ByteBuffer()
                let wanted = codec.encodableInfo(for: info, options: options)
                guard let sink = try? codec.makeSequenceEncoder(wanted, count: 3, options: options, output: buffer),
                    (try? write(3, framesOf: wanted, to: sink)) != nil
                else { continue }
                files.append(buffer.bytes)
            }
        }
        return files
    }

    private static func write(_ count: Int, framesOf info: BitmapInfo, to sink: any FrameSink) throws(ImageError) {
        for number in 0..<count { try sink.write(gradient(info, from: number * 50), duration: 0.1) }
        try sink.finish()
    }

    private static var variants: [EncodingOptions] {
        var progressive = EncodingOptions()
        progressive.jpeg.isProgressive = true
        progressive.jpng.version = 2
        var full = EncodingOptions(quality: 0.95)
        full.jpeg.subsampling = .yuv444
        return [EncodingOptions(), progressive, full, EncodingOptions(isLossless: true)]
    }

    /// Bytes that rise from left to right and from top to bottom, from `first` on.
    static func gradient(_ info: BitmapInfo, from first: Int = 0) throws(ImageError) -> Bitmap {
        var bitmap = try MutableBitmap(info)
        var rows = bitmap.mutableRows
        for y in 0..<rows.count {
            var bytes = rows.bytes(y)
            for x in bytes.byteOffsets {
                bytes.storeBytes(of: UInt8(truncatingIfNeeded: first + x * 3 + y * 7), toByteOffset: x, as: UInt8.self)
            }
        }
        return bitmap.freeze()
    }
}
