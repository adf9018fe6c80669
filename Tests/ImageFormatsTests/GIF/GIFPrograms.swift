import Foundation
import Raster
import Testing

/// Other programs that read GIF files.
enum GIFPrograms {
    /// The Python to use: one with Pillow can be named by TESSERA_PYTHON.
    static let python = find(ProcessInfo.processInfo.environment["TESSERA_PYTHON"] ?? "python3")
    static let gifsicle = find("gifsicle")
    static let hasPillow: Bool = {
        guard let python, let result = try? run(python, ["-c", "import PIL.Image"]) else { return false }
        return result.status == 0
    }()

    /// One frame as Pillow shows it.
    struct PillowFrame {
        var size: PixelSize
        /// In milliseconds.
        var duration: Int
        /// Transparent pixels are all alike.
        var pixels: [RGBA8]
    }

    static func find(_ name: String) -> String? {
        if name.contains("/") { return FileManager.default.isExecutableFile(atPath: name) ? name : nil }
        return (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    static func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: [UInt8]) {
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

    private static let reader = """
        import struct, sys
        from PIL import Image
        picture = Image.open(sys.argv[1])
        for frame in range(picture.n_frames):
            picture.seek(frame)
            shown = picture.convert("RGBA")
            sys.stdout.buffer.write(struct.pack("<III", *shown.size, picture.info.get("duration", 0)))
            sys.stdout.buffer.write(shown.tobytes())
        """

    /// Every frame of a file as Pillow shows it; nil where it gives up.
    static func pillowFrames(_ path: String) throws -> [PillowFrame]? {
        let result = try run(#require(python), ["-c", reader, path])
        guard result.status == 0 else { return nil }
        var frames: [PillowFrame] = []
        var rest = result.output[...]
        func number(_ offset: Int) -> Int {
            (0..<4).reduce(0) { $0 | Int(rest[rest.startIndex + offset + $1]) << (8 * $1) }
        }
        while rest.count >= 12 {
            let size = PixelSize(width: number(0), height: number(4))
            let duration = number(8)
            rest = rest.dropFirst(12)
            let bytes = Array(rest.prefix(4 * size.pixelCount))
            rest = rest.dropFirst(4 * size.pixelCount)
            frames.append(
                PillowFrame(
                    size: size, duration: duration,
                    pixels: stride(from: 0, to: bytes.count, by: 4).map {
                        bytes[$0 + 3] == 0
                            ? RGBA8(0, 0, 0, 0) : RGBA8(bytes[$0], bytes[$0 + 1], bytes[$0 + 2], bytes[$0 + 3])
                    }))
        }
        return frames
    }
}
