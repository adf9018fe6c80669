#if WebP
import Foundation
import Raster
import TestSupport

/// Debian's programs around libwebp, as independent words on what files hold.
enum WebPTools {
    private static let (dwebp, cwebp) = (CommandLineTool("dwebp"), CommandLineTool("cwebp"))
    private static let (webpinfo, webpmux) = (CommandLineTool("webpinfo"), CommandLineTool("webpmux"))
    static let areInstalled = [dwebp, cwebp, webpinfo, webpmux].allSatisfy(\.isInstalled)

    struct Picture: Equatable {
        var size: PixelSize
        var rgba: [UInt8]
    }

    /// What `dwebp` makes of a file; nil when it refuses.
    static func decode(_ file: [UInt8]) throws -> Picture? {
        let folder = try TemporaryFolder()
        return try decode(path: folder.write(file, to: "picture.webp"))
    }

    private static func decode(path: String) throws -> Picture? {
        let output = try dwebp.output([path, "-quiet", "-pam", "-o", "-"])
        // P7, then lines of fields up to ENDHDR.
        guard let output, let end = range(of: Array("ENDHDR\n".utf8), in: output) else { return nil }
        let fields = String(decoding: output[..<end], as: UTF8.self).split { $0 == " " || $0 == "\n" }
        func number(_ name: String) -> Int? { fields.firstIndex(of: name[...]).flatMap { Int(fields[$0 + 1]) } }
        guard let width = number("WIDTH"), let height = number("HEIGHT"), number("DEPTH") == 4 else { return nil }
        return Picture(size: PixelSize(width: width, height: height), rgba: Array(output[end...]))
    }

    private static func range(of end: [UInt8], in bytes: [UInt8]) -> Int? {
        (0..<max(0, min(bytes.count, 200) - end.count)).first { bytes[$0..<($0 + end.count)].elementsEqual(end) }
            .map { $0 + end.count }
    }

    /// The own pixels of frame `index` of an animation, as webpmux takes it out and dwebp reads it.
    static func frame(_ index: Int, of file: [UInt8]) throws -> Picture? {
        let folder = try TemporaryFolder()
        let path = try folder.write(file, to: "animation.webp")
        let isThere = try webpmux.run(["-get", "frame", "\(index + 1)", path, "-o", folder.file("frame.webp")])
        return isThere ? try decode(path: folder.file("frame.webp")) : nil
    }

    /// What `webpinfo` says of a file; nil when it finds fault with it.
    static func info(_ file: [UInt8]) throws -> String? {
        let folder = try TemporaryFolder()
        let output = try webpinfo.output([folder.write(file, to: "picture.webp")])
        return output.map { String(decoding: $0, as: UTF8.self) }.flatMap {
            $0.contains("No error detected") ? $0 : nil
        }
    }

    /// What `webpmux` takes out of a file: `icc`, `exif` or `xmp`.
    static func chunk(_ name: String, of file: [UInt8]) throws -> [UInt8]? {
        let folder = try TemporaryFolder()
        let path = try folder.write(file, to: "picture.webp")
        let isThere = try webpmux.run(["-get", name, path, "-o", folder.file("chunk")])
        return isThere ? try folder.read("chunk") : nil
    }

    /// The file that `cwebp` makes of a PNG.
    static func encode(png: [UInt8], _ arguments: [String]) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let path = try folder.write(png, to: "picture.png")
        try cwebp.run(["-quiet"] + arguments + [path, "-o", folder.file("picture.webp")])
        return try folder.read("picture.webp")
    }
}
#endif
