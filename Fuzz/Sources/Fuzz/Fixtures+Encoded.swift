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

    private static var variants: [EncodingOptions] {
        var progressive = EncodingOptions()
        progressive.jpeg.isProgressive = true
        progressive.jpng.version = 2
        var full = EncodingOptions(quality: 0.95)
        full.jpeg.subsampling = .yuv444
        return [EncodingOptions(), progressive, full]
    }

    /// Bytes that rise from left to right and from top to bottom.
    private static func gradient(_ info: BitmapInfo) throws(ImageError) -> Bitmap {
        var bitmap = try MutableBitmap(info)
        var rows = bitmap.mutableRows
        for y in 0..<rows.count {
            var bytes = rows.bytes(y)
            for x in bytes.byteOffsets {
                bytes.storeBytes(of: UInt8(truncatingIfNeeded: x * 3 + y * 7), toByteOffset: x, as: UInt8.self)
            }
        }
        return bitmap.freeze()
    }
}
