#if JPEG2000
import Foundation
import Raster
import TestSupport

/// OpenJPEG's own programs, as an independent word on what files hold.
enum OpenJPEG {
    static let (compress, decompress) = (CommandLineTool("opj_compress"), CommandLineTool("opj_decompress"))

    /// The samples of one component.
    struct Component: Equatable {
        var size: PixelSize
        var bits: Int
        var isSigned = false
        var samples: [Int]

        /// Samples that differ from their neighbours, over the whole range, the same in every run.
        static func grainy(_ size: PixelSize, bits: Int = 8, isSigned: Bool = false, seed: Int = 0) -> Component {
            var noise = UInt64(seed + 1)
            let most = 1 << bits
            let samples = (0..<size.pixelCount).map { index -> Int in
                noise = noise &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let (x, y) = (index % size.width, index / size.width)
                let slope = (x * (3 + seed) + y * 5) * most / 512
                let value = (slope + Int(noise >> 60) * most / 256) % most
                return isSigned ? value - most / 2 : value
            }
            return Component(size: size, bits: bits, isSigned: isSigned, samples: samples)
        }
    }

    /// The codestream that opj_compress makes of components that have the same bits and sign.
    /// - Parameter sampling: The components' sampling, such as `1x1:2x2:2x2`; nil for none.
    static func codestream(
        _ components: [Component], sampling: String? = nil, arguments: [String] = [], type: String = "j2k"
    ) throws -> [UInt8]? {
        let folder = try TemporaryFolder()
        let first = components[0]
        var bytes: [UInt8] = []
        for component in components {
            for sample in component.samples {
                if component.bits > 8 { bytes.append(UInt8(truncatingIfNeeded: sample >> 8)) }
                bytes.append(UInt8(truncatingIfNeeded: sample))
            }
        }
        try folder.write(bytes, to: "in.raw")
        let shape =
            "\(first.size.width),\(first.size.height),\(components.count),\(first.bits),\(first.isSigned ? "s" : "u")"
        let options = ["-F", shape + (sampling.map { "@" + $0 } ?? "")]
        let (input, output) = (folder.file("in.raw"), folder.file("out.\(type)"))
        guard try compress.run(["-i", input, "-o", output] + options + arguments) else { return nil }
        return try folder.read("out.\(type)")
    }

    /// The components that opj_decompress makes of `file`; nil when it refuses.
    static func components(_ file: [UInt8], type: String = "j2k", arguments: [String] = []) throws -> [Component]? {
        let folder = try TemporaryFolder()
        try folder.write(file, to: "in.\(type)")
        let (input, output) = (folder.file("in.\(type)"), folder.file("out.pgx"))
        guard try decompress.run(["-i", input, "-o", output] + arguments) else { return nil }
        var components: [Component] = []
        while let bytes = try? folder.read("out_\(components.count).pgx"), let component = component(inPGX: bytes) {
            components.append(component)
        }
        return components
    }

    /// "PG ML + 8 640 480" and samples, big-endian.
    private static func component(inPGX bytes: [UInt8]) -> Component? {
        guard let end = bytes.firstIndex(of: 10) else { return nil }
        let words = String(decoding: bytes[..<end], as: UTF8.self).split(separator: " ")
        guard words.count == 6, let bits = Int(words[3]), let width = Int(words[4]), let height = Int(words[5]) else {
            return nil
        }
        let isSigned = words[2] == "-"
        let count = bits > 8 ? 2 : 1
        let samples = (0..<width * height).map { index -> Int in
            let start = end + 1 + index * count
            let value = (0..<count).reduce(0) { $0 << 8 | Int(bytes[start + $1]) }
            return isSigned && value >= 1 << (8 * count - 1) ? value - 1 << (8 * count) : value
        }
        return Component(
            size: PixelSize(width: width, height: height), bits: bits, isSigned: isSigned, samples: samples)
    }
}

/// Boxes around a codestream.
enum Boxes {
    static func box(_ type: String, _ contents: [UInt8]) -> [UInt8] {
        big(contents.count + 8, 4) + Array(type.utf8) + contents
    }

    static func big(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    static let signature =
        box("jP  ", [13, 10, 0x87, 10]) + box("ftyp", Array("jp2 ".utf8) + [0, 0, 0, 0] + Array("jp2 ".utf8))

    /// A file with these boxes beside the image header, which readers of JP2 may ignore.
    static func file(_ codestream: [UInt8], _ header: [UInt8], others: [UInt8] = []) -> [UInt8] {
        let size = codestream[8..<16]
        let image = box("ihdr", Array(size.suffix(4) + size.prefix(4)) + codestream[40..<42] + [255, 7, 0, 0])
        return signature + box("jp2h", image + header) + others + box("jp2c", codestream)
    }

    static func color(_ number: Int) -> [UInt8] { box("colr", [1, 0, 0] + big(number, 4)) }

    static func profile(_ bytes: [UInt8]) -> [UInt8] { box("colr", [2, 0, 0] + bytes) }

    /// Channels, kinds and associations.
    static func definitions(_ entries: [(Int, Int, Int)]) -> [UInt8] {
        box("cdef", big(entries.count, 2) + entries.flatMap { big($0.0, 2) + big($0.1, 2) + big($0.2, 2) })
    }

    /// A palette of columns of eight bits.
    static func palette(_ colors: [[UInt8]]) -> [UInt8] {
        box("pclr", big(colors.count, 2) + [UInt8(colors[0].count)] + colors[0].map { _ in 7 } + colors.flatMap { $0 })
    }

    /// Components and columns.
    static func mapping(_ entries: [(Int, Int)]) -> [UInt8] {
        box("cmap", entries.flatMap { big($0.0, 2) + [1, UInt8($0.1)] })
    }
}
#endif
