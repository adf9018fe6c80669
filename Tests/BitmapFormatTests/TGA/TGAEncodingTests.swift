import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

/// What is written, and what others read in it.
@Suite("TGA encoding")
struct TGAEncodingTests {
    /// Runs of many lengths, of one pixel too, and pixels that differ.
    private static func picture(_ width: Int, _ format: PixelFormat, alpha: AlphaMode) throws -> Bitmap {
        var bitmap = try MutableBitmap(
            BitmapInfo(size: PixelSize(width: width, height: 7), format: format, alpha: alpha))
        var rows = bitmap.mutableRows
        let step = format.bytesPerPixel
        for y in 0..<rows.count {
            var row = rows.bytes(y)
            for index in 0..<row.byteCount {
                let x = index / step
                let value = y == 0 ? 9 : y == 1 ? x * 3 : x / y / y * 31 + y
                let isOpaque = alpha == .none && step == 4 && index % step == 3
                row.storeBytes(
                    of: isOpaque ? 255 : UInt8(truncatingIfNeeded: value + index % step), toByteOffset: index,
                    as: UInt8.self)
            }
        }
        return bitmap.freeze()
    }

    private static let kinds: [(PixelFormat, AlphaMode)] = [(.gray8, .none), (.rgba8, .none), (.rgba8, .straight)]

    private static func options(_ usesRunLengths: Bool) -> EncodingOptions {
        var options = EncodingOptions()
        options.tga.usesRunLengths = usesRunLengths
        return options
    }

    @Test(
        "Every pixel is read back, by Pillow too", arguments: [1, 2, 3, 127, 128, 129, 130, 300], [false, true])
    func roundTrip(width: Int, usesRunLengths: Bool) throws {
        for (format, alpha) in Self.kinds {
            let bitmap = try Self.picture(width, format, alpha: alpha)
            let destination = try ImageDestination(format: .tga, options: Self.options(usesRunLengths))
            let file = try destination.encode(bitmap)
            let session = DecoderSession(TGACodec(), file)
            #expect(session.error == nil)
            #expect(session.bitmap?.info == bitmap.info && session.bitmap?.tightBytes() == bitmap.tightBytes())
            let buffer = ByteBuffer()
            try destination.encode(bitmap.makeRowSource(), to: buffer)
            #expect(buffer.bytes == file)
            guard Pillow.isInstalled else { continue }
            let seen = try #require(try Pillow.picture(file))
            #expect(seen.samples == bitmap.pixels.flatMap { [$0.red, $0.green, $0.blue, $0.alpha] })
        }
    }

    @Test("What Pillow writes is read", .needsPillow, arguments: ["L", "LA", "RGB", "RGBA"], [false, true])
    func pillowWrites(mode: String, usesRunLengths: Bool) throws {
        let size = PixelSize(width: 150, height: 7)
        let color = try Self.picture(size.width, .rgba8, alpha: mode.hasSuffix("A") ? .straight : .none)
        let samples = color.pixels.flatMap { pixel -> [UInt8] in
            switch mode {
            case "L": [pixel.red]
            case "LA": [pixel.red, pixel.alpha]
            case "RGB": [pixel.red, pixel.green, pixel.blue]
            default: [pixel.red, pixel.green, pixel.blue, pixel.alpha]
            }
        }
        for arguments in ["", ", orientation=1"] {
            let file = try #require(
                try Pillow.file(
                    of: samples, mode: mode, size: size, as: "TGA",
                    arguments: arguments + (usesRunLengths ? ", compression='tga_rle'" : "")))
            let decoded = try ImageSource.decode(file)
            #expect(decoded.header.format == .tga && decoded.error == nil)
            let expected = color.pixels.map { pixel in
                mode.hasPrefix("L") ? RGBA8(pixel.red, pixel.red, pixel.red, pixel.alpha) : pixel
            }
            #expect(decoded.bitmap.pixels == expected)
        }
    }

    @Test("Files are as version 2 has them")
    func bytes() throws {
        var bitmap = try MutableBitmap(BitmapInfo(size: PixelSize(width: 5, height: 1), format: .gray8))
        var rows = bitmap.mutableRows
        for (x, value) in [7, 7, 7, 8, 9].enumerated() {
            var row = rows.row(0, as: Gray8.self)
            row[x] = Gray8(UInt8(value))
        }
        let gray = bitmap.freeze()
        let footer = [UInt8](repeating: 0, count: 8) + Array("TRUEVISION-XFILE.\0".utf8)
        let head: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 1, 0, 8, 0x20]
        #expect(
            try ImageDestination(format: .tga).encode(gray) == [0, 0, 3] + head + [7, 7, 7, 8, 9] + footer)
        #expect(
            try ImageDestination(format: .tga, options: Self.options(true)).encode(gray)
                == [0, 0, 11] + head + [0x82, 7, 0x01, 8, 9] + footer)
    }

    @Test("Runs make a file of one colour small, and noise larger by a byte in 128 pixels at the most")
    func sizes() throws {
        let destination = try ImageDestination(format: .tga, options: Self.options(true))
        let plain = try Bitmap.plain(RGBA8(1, 2, 3), PixelSize(width: 256, height: 10))
        #expect(try destination.encode(plain).count == 18 + 10 * 2 * 4 + 26)
        let noise = try Bitmap.pattern(256, 10, .gray8, alpha: .none)
        #expect(try destination.encode(noise).count <= 18 + 10 * (256 + 2) + 26)
    }

    @Test("An image that TGA can't store is refused before a byte is written")
    func refusals() throws {
        let buffer = ByteBuffer()
        for (info, code) in [
            (
                BitmapInfo(size: PixelSize(width: 2, height: 2), format: .rgba8, alpha: .premultiplied),
                .invalidParameter
            ),
            (BitmapInfo(size: PixelSize(width: 2, height: 2), format: .rgba16), .invalidParameter),
            (BitmapInfo(size: PixelSize(width: 2, height: 0), format: .gray8), .invalidParameter),
            (BitmapInfo(size: PixelSize(width: 65536, height: 1), format: .gray8), .limitExceeded),
        ] as [(BitmapInfo, ImageError.Code)] {
            #expect(errorCode { try TGACodec().makeEncoder(info, options: EncodingOptions(), output: buffer) } == code)
        }
        let bitmap = try Bitmap.pattern(4, 7)
        let encoder = try TGACodec().makeEncoder(bitmap.info, options: EncodingOptions(), output: buffer)
        #expect(errorCode { try encoder.finish() } == .invalidParameter)
        #expect(buffer.bytes.isEmpty)
        try encoder.write(bitmap.rows)
        #expect(errorCode { try encoder.write(bitmap.rows) } == .invalidParameter)
    }
}
