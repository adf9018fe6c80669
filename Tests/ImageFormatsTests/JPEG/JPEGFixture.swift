import CTesseraJPEG
import ImageFormats
import Raster
import Testing

/// JPEG files made for a test, and what sessions make of them.
enum JPEGFixture {
    /// Pixels with edges, gradients and some noise, the same in every run: R, G, B (or C, M, Y) and `fourth`.
    static func pixels(_ size: PixelSize, fourth: UInt8 = 255) -> [UInt8] {
        var (bytes, noise): ([UInt8], UInt32) = ([], 1)
        for y in 0..<size.height {
            for x in 0..<size.width {
                noise = noise &* 1_664_525 &+ 1_013_904_223
                let grain = Int(noise >> 28)
                let inside = (x - size.width / 2) * (x - size.width / 2) + (y - size.height / 3) * 3 < 400
                bytes += [
                    UInt8((x * 3 + grain) & 255), UInt8(inside ? 220 : (y * 5 + grain) & 255),
                    UInt8(inside ? 30 : (x + y) & 255), fourth,
                ]
            }
        }
        return bytes
    }

    /// The same pixels as a bitmap of `format`.
    static func bitmap(
        _ size: PixelSize, format: PixelFormat = .rgba8, profile: ColorProfile = .sRGB
    ) throws -> Bitmap {
        let bytes = pixels(size)
        var bitmap = try MutableBitmap(BitmapInfo(size: size, format: format, profile: profile))
        var rows = bitmap.mutableRows
        for y in 0..<size.height {
            for x in 0..<size.width {
                let at = (y * size.width + x) * 4
                if format.isGray {
                    var row = rows.row(y, as: Gray8.self)
                    row[x] = Gray8(bytes[at + 1])
                } else {
                    var row = rows.row(y, as: RGBA8.self)
                    row[x] = RGBA8(bytes[at], bytes[at + 1], bytes[at + 2])
                }
            }
        }
        return bitmap.freeze()
    }

    /// How a file is to be made by the C shim, which can do what the codec's options don't offer.
    struct Kind: CustomTestStringConvertible, Sendable {
        var pixels = TESSERA_JPEG_PIXELS_RGBA8
        var subsampling: (UInt8, UInt8) = (2, 2)
        var isProgressive = false
        var restartRows: UInt16 = 0
        var size = PixelSize(width: 75, height: 61)

        var testDescription: String {
            "pixels \(pixels), \(subsampling.0)x\(subsampling.1)\(isProgressive ? ", progressive" : "")"
                + "\(restartRows > 0 ? ", restarts" : ""), \(size)"
        }
    }

    /// One of each that matters.
    static let kinds: [Kind] = [
        Kind(pixels: TESSERA_JPEG_PIXELS_GRAY8),
        Kind(pixels: TESSERA_JPEG_PIXELS_GRAY8, isProgressive: true),
        Kind(subsampling: (1, 1)), Kind(subsampling: (2, 1)), Kind(), Kind(subsampling: (1, 2)),
        Kind(subsampling: (4, 1)), Kind(subsampling: (4, 2)), Kind(subsampling: (3, 1)),
        Kind(isProgressive: true), Kind(subsampling: (4, 1), isProgressive: true),
        Kind(restartRows: 1), Kind(isProgressive: true, restartRows: 2),
        Kind(pixels: TESSERA_JPEG_PIXELS_CMYK8), Kind(pixels: TESSERA_JPEG_PIXELS_CMYK8, isProgressive: true),
        Kind(size: PixelSize(width: 1, height: 1)), Kind(size: PixelSize(width: 17, height: 200)),
    ]

    /// A file of `kind`, from `pixels` (four bytes each; of grey, the second counts).
    static func file(_ kind: Kind, pixels: [UInt8]? = nil) -> [UInt8] {
        let encoder = tessera_jpeg_encoder_create()!
        defer { tessera_jpeg_encoder_destroy(encoder) }
        var encoding = tessera_jpeg_encoding()
        encoding.width = UInt32(kind.size.width)
        encoding.height = UInt32(kind.size.height)
        encoding.pixels = UInt8(kind.pixels)
        encoding.quality = 85
        (encoding.horizontal_subsampling, encoding.vertical_subsampling) = kind.subsampling
        encoding.progressive = kind.isProgressive
        encoding.restart_rows = kind.restartRows
        var rows = pixels ?? self.pixels(kind.size, fourth: 200)
        var stride = kind.size.width * 4
        if kind.pixels == TESSERA_JPEG_PIXELS_GRAY8 {
            rows = Swift.stride(from: 1, to: rows.count, by: 4).map { rows[$0] }
            stride = kind.size.width
        }
        precondition(tessera_jpeg_encoder_start(encoder, &encoding) == TESSERA_OK)
        precondition(tessera_jpeg_encoder_write_rows(encoder, rows, stride, encoding.height) == TESSERA_OK)
        precondition(tessera_jpeg_encoder_finish(encoder) == TESSERA_OK)
        var count = 0
        let bytes = tessera_jpeg_encoder_output(encoder, &count)
        return [UInt8](UnsafeBufferPointer(start: bytes, count: count))
    }
}
