#if TIFF
import Foundation
import TestSupport

/// Pillow, as an independent word on what a file's samples are.
enum Pillow {
    /// The Python to use: one with Pillow can be named by TESSERA_PYTHON.
    static let python: String? = {
        let name = ProcessInfo.processInfo.environment["TESSERA_PYTHON"] ?? "/usr/bin/python3"
        guard FileManager.default.isExecutableFile(atPath: name) else { return nil }
        return (try? Vips.run(name, ["-c", "import PIL.Image"])).flatMap { $0 } == nil ? nil : name
    }()

    /// The mode, the size and the bytes of page `page` of the file at `path`, converted to `mode` where that is given;
    /// nil when Pillow refuses.
    static func decode(_ path: String, page: Int = 0, as mode: String = "") throws -> (
        mode: String, width: Int, height: Int, bytes: [UInt8]
    )? {
        let program = """
            import sys, PIL.Image
            image = PIL.Image.open(sys.argv[1])
            image.seek(int(sys.argv[2]))
            if sys.argv[3]: image = image.convert(sys.argv[3])
            sys.stdout.buffer.write(("%s %d %d\\n" % (image.mode, *image.size)).encode() + image.tobytes())
            """
        guard let output = try Vips.run(python!, ["-c", program, path, String(page), mode]),
            let end = output.firstIndex(of: 10)
        else { return nil }
        let fields = String(decoding: output[..<end], as: UTF8.self).split(separator: " ")
        guard fields.count == 3, let width = Int(fields[1]), let height = Int(fields[2]) else { return nil }
        return (String(fields[0]), width, height, Array(output[(end + 1)...]))
    }
}
#endif
