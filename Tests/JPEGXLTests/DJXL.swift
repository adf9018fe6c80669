#if JPEGXL
import Foundation
import Raster
import TestSupport

/// libjxl's own programs, as an independent word on what a file's pixels are, and on how good a file can be.
enum DJXL {
    static let (djxl, cjxl) = (CommandLineTool("djxl"), CommandLineTool("cjxl"))
    static let isInstalled = djxl.isInstalled && cjxl.isInstalled

    struct Picture {
        var size: PixelSize
        var channelCount: Int
        /// 0 to 1, row after row.
        var samples: [Float]

        /// The samples as `info` has them, rounded to the nearest.
        func samples(as info: BitmapInfo) -> [UInt16] {
            let largest: Float = info.format.bitsPerChannel == 8 ? 255 : 65535
            let values = samples.map { UInt16(min(max($0, 0), 1) * largest + 0.5) }
            guard channelCount != info.format.channelCount else { return values }
            // One or three channels, or two or four, to four.
            var pixels: [UInt16] = []
            pixels.reserveCapacity(values.count / channelCount * 4)
            for start in stride(from: 0, to: values.count, by: channelCount) {
                for channel in 0..<3 { pixels.append(values[channelCount < 3 ? start : start + channel]) }
                pixels.append(channelCount % 2 == 0 ? values[start + channelCount - 1] : UInt16(largest))
            }
            return pixels
        }
    }

    /// The frames that djxl makes of `file`, upright; nil when it refuses.
    static func decode(_ file: [UInt8], arguments: [String] = []) throws -> [Picture]? {
        let folder = try TemporaryFolder()
        try folder.write(file, to: "in.jxl")
        guard try djxl.run([folder.file("in.jxl"), folder.file("out.npy")] + arguments) else { return nil }
        return pictures(try folder.read("out.npy"))
    }

    /// What cjxl makes of the rows of `bitmap`, which are opaque, of eight bits and sRGB.
    static func encode(_ bitmap: Bitmap, arguments: [String]) throws -> [UInt8]? {
        let bytes = bitmap.tightBytes()
        let samples = bitmap.format.isGray ? bytes : bytes.indices.filter { $0 % 4 != 3 }.map { bytes[$0] }
        let header = "P\(bitmap.format.isGray ? 5 : 6)\n\(bitmap.width) \(bitmap.height)\n255\n"
        return try encode(Array(header.utf8) + samples, named: "in.ppm", arguments: arguments)
    }

    /// What cjxl makes of a file; nil when it refuses.
    static func encode(_ file: [UInt8], named name: String, arguments: [String]) throws -> [UInt8]? {
        let folder = try TemporaryFolder()
        try folder.write(file, to: name)
        guard try cjxl.run([folder.file(name), folder.file("out.jxl")] + arguments) else { return nil }
        return try folder.read("out.jxl")
    }

    /// The pictures in a file of NumPy's: a magic number, a version, a length, a line of text with the shape (frames,
    /// rows, columns, channels), and floats.
    private static func pictures(_ file: [UInt8]) -> [Picture]? {
        guard file.count > 10 else { return nil }
        let start = 10 + Int(file[8]) + Int(file[9]) << 8
        let text = String(decoding: file[10..<start], as: UTF8.self)
        guard text.contains("<f4"), let open = text.range(of: "'shape': ("), let close = text.range(of: ")") else {
            return nil
        }
        let shape = text[open.upperBound..<close.lowerBound].split(separator: ",")
            .compactMap { Int($0.trimmingCharacters(in: .whitespaces)) }
        guard shape.count == 4 else { return nil }
        let count = shape[1] * shape[2] * shape[3]
        return file.span.bytes.withUnsafeBytes { bytes in
            (0..<shape[0]).map { frame in
                Picture(
                    size: PixelSize(width: shape[2], height: shape[1]), channelCount: shape[3],
                    samples: (0..<count).map {
                        bytes.loadUnaligned(fromByteOffset: start + 4 * (frame * count + $0), as: Float.self)
                    })
            }
        }
    }
}
#endif
