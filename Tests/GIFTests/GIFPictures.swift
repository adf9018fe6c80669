import Foundation
import ImageFormats
import Raster
import TestSupport

/// Pictures to write as GIF, and what becomes of them.
enum GIFPictures {
    /// A bitmap of these pixels.
    static func bitmap(_ size: PixelSize, _ pixels: [RGBA8], alpha: AlphaMode = .straight) throws -> Bitmap {
        var bitmap = try MutableBitmap(BitmapInfo(size: size, format: .rgba8, alpha: alpha))
        var rows = bitmap.mutableRows
        for y in 0..<size.height {
            var row = rows.row(y, as: RGBA8.self)
            for x in 0..<size.width { row[x] = pixels[y * size.width + x] }
        }
        return bitmap.freeze()
    }

    /// The file of one picture.
    static func encode(_ bitmap: Bitmap, options: EncodingOptions = EncodingOptions()) throws -> [UInt8] {
        let buffer = ByteBuffer()
        try GIFCodec().encode(bitmap, options: options, output: buffer)
        return buffer.bytes
    }

    /// The file of an animation.
    static func encode(
        _ frames: [Bitmap], _ durations: [Double], options: EncodingOptions = EncodingOptions()
    ) throws -> [UInt8] {
        let buffer = ByteBuffer()
        let sink = try GIFCodec().makeSequenceEncoder(
            frames[0].info, count: frames.count, options: options, output: buffer)
        for (frame, duration) in zip(frames, durations) { try sink.write(frame, duration: duration) }
        try sink.finish()
        return buffer.bytes
    }

    /// `count` colours in no order, some pixels transparent where that is asked for.
    static func random(
        _ width: Int, _ height: Int, colors count: Int, hasTransparency: Bool, seed: UInt64 = 1
    ) throws -> Bitmap {
        var random = SeededGenerator(seed)
        var colors: [RGBA8] = []
        while colors.count < count {
            let color = RGBA8(
                UInt8.random(in: 0...255, using: &random), UInt8.random(in: 0...255, using: &random),
                UInt8.random(in: 0...255, using: &random))
            if !colors.contains(color) { colors.append(color) }
        }
        if hasTransparency { colors.append(RGBA8(0, 0, 0, 0)) }
        // Each of them at least once, as far as there is room.
        let pixels = (0..<(width * height)).map {
            $0 < colors.count ? colors[$0] : colors.randomElement(using: &random)!
        }
        return try bitmap(PixelSize(width: width, height: height), pixels)
    }

    /// The peak signal-to-noise ratio of two pictures' colours, in decibels.
    static func signalToNoise(_ a: [RGBA8], _ b: [RGBA8]) -> Double {
        var sum = 0.0
        for (a, b) in zip(a, b) {
            for (a, b) in [(a.red, b.red), (a.green, b.green), (a.blue, b.blue)] {
                sum += Double((Int(a) - Int(b)) * (Int(a) - Int(b)))
            }
        }
        return 10 * log10(255 * 255 / (sum / Double(3 * a.count)))
    }
}
