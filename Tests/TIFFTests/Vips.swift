#if TIFF
import Foundation
import Raster
import TestSupport

/// libvips, as an independent word on what a file's samples are.
enum Vips {
    static let tool = CommandLineTool("vips")
    private static let header = CommandLineTool("vipsheader")

    struct Picture {
        var size: PixelSize
        var bandCount: Int
        /// `uchar`, `ushort`, `short`, `float` and so on.
        var format: String
        /// `srgb`, `rgb16`, `labs`, `cmyk` and so on.
        var interpretation: String
        /// Band by band within pixels.
        var bytes: [UInt8]

        /// Samples of 16 bits, 65535 being white or opaque; nil for what libvips has no such meaning for.
        var samples16: [UInt16]? {
            func load<T: BitwiseCopyable>(_ type: T.Type) -> [T] {
                bytes.withUnsafeBytes { bytes in
                    (0..<(bytes.count / MemoryLayout<T>.size)).map {
                        bytes.loadUnaligned(fromByteOffset: $0 * MemoryLayout<T>.size, as: T.self)
                    }
                }
            }
            switch format {
            case "uchar": return bytes.map { UInt16($0) * 257 }
            case "ushort": return load(UInt16.self)
            case "short":
                return load(Int16.self).map { $0 <= 0 ? 0 : UInt16((Double($0) / 32767 * 65535).rounded()) }
            case "float": return load(Float.self).map { UInt16((Double(min(1, max(0, $0))) * 65535).rounded()) }
            default: return nil
            }
        }

        /// Red, green, blue and alpha of sixteen bits; nil for other colours.
        var rgba16: [UInt16]? {
            guard let samples = samples16, !["cmyk", "lab", "labs"].contains(interpretation) else { return nil }
            return (0..<(size.width * size.height)).flatMap { index -> [UInt16] in
                let pixel = Array(samples[(index * bandCount)..<((index + 1) * bandCount)])
                return switch bandCount {
                case 1: [pixel[0], pixel[0], pixel[0], 65535]
                case 2: [pixel[0], pixel[0], pixel[0], pixel[1]]
                case 3: pixel + [65535]
                default: Array(pixel.prefix(4))
                }
            }
        }
    }

    /// What libvips makes of `file`, as stored; nil when it refuses.
    static func decode(_ file: String, page: Int = 0) throws -> Picture? {
        let folder = try TemporaryFolder()
        let (copy, samples) = (folder.file("picture.v"), folder.file("picture.raw"))
        guard try tool.run(["copy", "\(file)[page=\(page)]", copy]) else { return nil }
        func field(_ name: String) throws -> String? {
            try header.output(["-f", name, copy]).map {
                String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            }
        }
        guard let width = try field("width").flatMap({ Int($0) }),
            let height = try field("height").flatMap({ Int($0) }),
            let bandCount = try field("bands").flatMap({ Int($0) }),
            let format = try field("format").map({ Self.name($0, after: "FORMAT_") }),
            let interpretation = try field("interpretation").map({ Self.name($0, after: "INTERPRETATION_") })
        else { return nil }
        guard try tool.run(["rawsave", copy, samples]) else { return nil }
        return Picture(
            size: PixelSize(width: width, height: height), bandCount: bandCount, format: format,
            interpretation: interpretation, bytes: try folder.read("picture.raw"))
    }

    /// `ushort` of `((VipsBandFormat) VIPS_FORMAT_USHORT)`, and of `ushort`.
    private static func name(_ text: String, after prefix: String) -> String {
        let start = text.range(of: prefix)?.upperBound ?? text.startIndex
        return text[start...].prefix { $0 != ")" }.lowercased()
    }
}
#endif
