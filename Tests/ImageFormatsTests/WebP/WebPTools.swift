#if WebP
import Foundation
import Raster
import TestSupport

/// Debian's programs around libwebp, and Pillow, as independent words on what files hold.
enum WebPTools {
    static let dwebp = find("dwebp")
    static let cwebp = find("cwebp")
    static let webpinfo = find("webpinfo")
    static let webpmux = find("webpmux")
    static let areInstalled = dwebp != nil && cwebp != nil && webpinfo != nil && webpmux != nil
    /// The Python to use: one with Pillow can be named by TESSERA_PYTHON.
    static let python = find(ProcessInfo.processInfo.environment["TESSERA_PYTHON"] ?? "python3")
    static let hasPillow: Bool = {
        guard let python, let result = try? run(python, ["-c", "import PIL.WebPImagePlugin"]) else { return false }
        return result.status == 0
    }()

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
        let result = try run(dwebp!, [path, "-quiet", "-pam", "-o", "-"])
        // P7, then lines of fields up to ENDHDR.
        guard result.status == 0, let end = range(of: Array("ENDHDR\n".utf8), in: result.output) else { return nil }
        let fields = String(decoding: result.output[..<end], as: UTF8.self).split { $0 == " " || $0 == "\n" }
        func number(_ name: String) -> Int? { fields.firstIndex(of: name[...]).flatMap { Int(fields[$0 + 1]) } }
        guard let width = number("WIDTH"), let height = number("HEIGHT"), number("DEPTH") == 4 else { return nil }
        return Picture(size: PixelSize(width: width, height: height), rgba: Array(result.output[end...]))
    }

    private static func range(of end: [UInt8], in bytes: [UInt8]) -> Int? {
        (0..<max(0, min(bytes.count, 200) - end.count)).first { bytes[$0..<($0 + end.count)].elementsEqual(end) }
            .map { $0 + end.count }
    }

    /// The own pixels of frame `index` of an animation, as webpmux takes it out and dwebp reads it.
    static func frame(_ index: Int, of file: [UInt8]) throws -> Picture? {
        let folder = try TemporaryFolder()
        let path = try folder.write(file, to: "animation.webp")
        let result = try run(
            webpmux!, ["-get", "frame", "\(index + 1)", path, "-o", folder.file("frame.webp")])
        return result.status == 0 ? try decode(path: folder.file("frame.webp")) : nil
    }

    /// What `webpinfo` says of a file; nil when it finds fault with it.
    static func info(_ file: [UInt8]) throws -> String? {
        let folder = try TemporaryFolder()
        let result = try run(webpinfo!, [folder.write(file, to: "picture.webp")])
        let text = String(decoding: result.output, as: UTF8.self)
        return result.status == 0 && text.contains("No error detected") ? text : nil
    }

    /// What `webpmux` takes out of a file: `icc`, `exif` or `xmp`.
    static func chunk(_ name: String, of file: [UInt8]) throws -> [UInt8]? {
        let folder = try TemporaryFolder()
        let path = try folder.write(file, to: "picture.webp")
        let result = try run(webpmux!, ["-get", name, path, "-o", folder.file("chunk")])
        return result.status == 0 ? try folder.read("chunk") : nil
    }

    /// The file that `cwebp` makes of a PNG.
    static func encode(png: [UInt8], _ arguments: [String]) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let path = try folder.write(png, to: "picture.png")
        _ = try run(cwebp!, ["-quiet"] + arguments + [path, "-o", folder.file("picture.webp")])
        return try folder.read("picture.webp")
    }

    /// What Pillow makes of a file: every frame, composed, as RGBA.
    static func pillow(_ file: [UInt8]) throws -> [[UInt8]] {
        let folder = try TemporaryFolder()
        let path = try folder.write(file, to: "picture.webp")
        let script = """
            import sys
            from PIL import Image
            picture = Image.open(sys.argv[1])
            for frame in range(getattr(picture, "n_frames", 1)):
                picture.seek(frame)
                sys.stdout.buffer.write(picture.convert("RGBA").tobytes())
            """
        let result = try run(python!, ["-c", script, path])
        let size = try run(
            python!, ["-c", "import sys; from PIL import Image; print(*Image.open(sys.argv[1]).size)", path])
        let sides = String(decoding: size.output, as: UTF8.self).split { $0 == " " || $0 == "\n" }.compactMap {
            Int($0)
        }
        guard result.status == 0, sides.count == 2 else { return [] }
        let frameByteCount = sides[0] * sides[1] * 4
        return stride(from: 0, to: result.output.count, by: frameByteCount).map {
            Array(result.output[$0..<($0 + frameByteCount)])
        }
    }

    private static func find(_ name: String) -> String? {
        if name.contains("/") { return FileManager.default.isExecutableFile(atPath: name) ? name : nil }
        return (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    private static func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: [UInt8]) {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, [UInt8](output))
    }
}
#endif
