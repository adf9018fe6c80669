import CTesseraJPEG
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

/// JPEG files made for a test, and what sessions make of them.
enum JPEGFixture {
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
        var rows = pixels ?? Bitmap.grainySamples(kind.size, fourth: 200)
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
