#if JPEGXL
import Foundation
import ImageFormats
import ImageFormatsTestSupport
import Raster
import SamplePictures
import TestSupport

/// Pictures, and JPEG XL files of them.
enum JPEGXLFixture {
    /// Larger than a group of 256 × 256 pixels, with detail everywhere.
    static let valley: Bitmap = try! SamplePicture.valley.makeBitmap(size: PixelSize(width: 520, height: 300))

    /// Noise on gradients, of any kind of pixels.
    static func bitmap(
        _ format: PixelFormat, _ width: Int, _ height: Int, alpha: AlphaMode = .none, profile: ColorProfile = .sRGB,
        seed: UInt64 = 1
    ) throws(ImageError) -> Bitmap {
        var random = SeededGenerator(seed)
        let info = BitmapInfo(
            size: PixelSize(width: width, height: height), format: format, alpha: alpha, profile: profile)
        var bitmap = try MutableBitmap(info)
        var rows = bitmap.mutableRows
        let largest = format.bitsPerChannel == 8 ? 255 : 65535
        for y in 0..<height {
            for x in 0..<width {
                let noise = Int.random(in: 0...(largest / 8), using: &random)
                let values = [
                    x * largest / width, y * largest / height, largest - x * largest / width, largest / 2 + noise,
                ]
                .map { ($0 + noise) % (largest + 1) }
                let opacity = alpha.hasAlpha ? values[3] : largest
                switch format {
                case .gray8: set(&rows, y, x, Gray8(UInt8(values[0])))
                case .gray16: set(&rows, y, x, Gray16(UInt16(values[0])))
                case .rgba8:
                    set(&rows, y, x, RGBA8(UInt8(values[0]), UInt8(values[1]), UInt8(values[2]), UInt8(opacity)))
                case .rgba16:
                    set(&rows, y, x, RGBA16(UInt16(values[0]), UInt16(values[1]), UInt16(values[2]), UInt16(opacity)))
                }
            }
        }
        return bitmap.freeze()
    }

    private static func set<P: Pixel>(_ rows: inout MutablePixelRows, _ y: Int, _ x: Int, _ pixel: P) {
        var row = rows.row(y, as: P.self)
        row[x] = pixel
    }

    /// The file of `bitmap`, made fast.
    static func file(_ bitmap: Bitmap, _ options: EncodingOptions = EncodingOptions()) throws(ImageError) -> [UInt8] {
        var options = options
        if options.jpegXL.effort == 7 { options.jpegXL.effort = 3 }
        let buffer = ByteBuffer()
        try JPEGXLCodec().encode(bitmap, options: options, output: buffer)
        return buffer.bytes
    }

    /// The file of an animation whose frames are shown for `durations` seconds.
    static func animation(
        _ frames: [Bitmap], durations: [Double], loopCount: Int = 0
    ) throws(ImageError) -> [UInt8] {
        let buffer = ByteBuffer()
        var options = EncodingOptions(isLossless: true, loopCount: loopCount)
        options.jpegXL.effort = 3
        let sink = try JPEGXLCodec()
            .makeSequenceEncoder(frames[0].info, count: frames.count, options: options, output: buffer)
        for (frame, duration) in zip(frames, durations) { try sink.write(frame, duration: duration) }
        try sink.finish()
        return buffer.bytes
    }

    /// A file of boxes around a bare codestream, by the book (ISO/IEC 18181-2): the boxes `before`, the codestream in
    /// `parts` pieces, and the boxes `after`.
    static func boxed(
        _ codestream: [UInt8], parts: Int = 1, before: [(String, [UInt8])] = [], after: [(String, [UInt8])] = []
    ) -> [UInt8] {
        var file = box("JXL ", [0x0D, 0x0A, 0x87, 0x0A])
        file += box("ftyp", Array("jxl ".utf8) + [0, 0, 0, 0] + Array("jxl ".utf8))
        for (type, content) in before { file += box(type, content) }
        if parts == 1 {
            file += box("jxlc", codestream)
        } else {
            for part in 0..<parts {
                let range = (codestream.count * part / parts)..<(codestream.count * (part + 1) / parts)
                file += box("jxlp", [part == parts - 1 ? 0x80 : 0, 0, 0, UInt8(part)] + codestream[range])
            }
        }
        for (type, content) in after { file += box(type, content) }
        return file
    }

    /// Bytes in the format of Brotli (RFC 7932), not compressed: blocks of up to 64 KiB, and an empty last one.
    static func brotli(_ bytes: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 1 << 16) {
            let block = bytes[start..<min(bytes.count, start + 1 << 16)]
            // Not the last; four digits of the length less 1; not compressed. The window's size precedes the first.
            let head = (block.count - 1) << 3 | 1 << 19
            let bits = stream.isEmpty ? head << 1 : head
            stream += (0..<3).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) } + block
        }
        return stream + [stream.isEmpty ? 6 : 3]
    }

    /// 100 MiB of zeros in 165 bytes, as libbrotli compresses them.
    static let brotliBomb: [UInt8] = {
        let text =
            "cbffff3f002400e2b14072effff8ffff078004401c1680eefd1fffffff00900088c302d0bdffe3ffff1f001200715800baf77ffc"
            + "ffff034002200e0b40f7fe8fffff7f004800c46101e8defff1ffff0f000980382c00ddfb3ffeffff012001108705a07bffc7ffff"
            + "3f002400e2b00074effff8ffff078004401c1680eefd1fffffff00900088c302d0bdffe3ffff1f001200715800baf77ff9ffff03"
            + "4002200e0b40f7fe07"
        let digits = text.map { UInt8($0.hexDigitValue!) }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }()

    private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let size = UInt32(content.count + 8)
        return (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) } + Array(type.utf8) + content
    }

    /// EXIF of one directory that says how the picture is turned.
    static func exif(_ orientation: UInt8) -> [UInt8] {
        [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]
    }

    /// A codestream that says it is 2³⁰ pixels high and wide, and has nothing else.
    static let enormousHeader: [UInt8] = {
        var bits: [Bool] = []
        func put(_ value: Int, _ count: Int) { for bit in 0..<count { bits.append(value >> bit & 1 == 1) } }
        put(0, 1)
        put(3, 2)
        put((1 << 30) - 1, 30)
        // As wide as high; all defaults, twice.
        put(1, 3)
        put(1, 1)
        put(1, 1)
        var bytes: [UInt8] = [0xFF, 0x0A]
        for start in stride(from: 0, to: bits.count, by: 8) {
            bytes.append(
                (start..<min(start + 8, bits.count)).reduce(0) { $0 | (bits[$1] ? 1 << UInt8($1 - start) : 0) })
        }
        return bytes + [UInt8](repeating: 0, count: 64)
    }()
}

extension Bitmap {
    /// The ratio of the largest value to the mean error, in decibels; infinite when there is none.
    func psnr(_ other: [UInt16]) -> Double {
        let samples = storedSamples
        precondition(samples.count == other.count)
        let error = zip(samples, other).reduce(0.0) { $0 + Double((Int($1.0) - Int($1.1)) * (Int($1.0) - Int($1.1))) }
        let largest = format.bitsPerChannel == 8 ? 255.0 : 65535
        return 10 * log10(largest * largest * Double(samples.count) / error)
    }
}
#endif
