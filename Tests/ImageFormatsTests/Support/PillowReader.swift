import Foundation
import Raster
import TestSupport

/// Pillow, as an independent word on what a file's pixels are. TESSERA_PYTHON can name a Python that has it.
enum PillowReader {
    static let isInstalled = (try? run("import PIL.Image", [])) ?? nil != nil

    /// What Pillow makes of `file`, red, green, blue and alpha of each pixel; nil when it refuses.
    /// - Parameter prepare: Python that may change `image` once it is open.
    static func decode(_ file: [UInt8], prepare: String = "pass") throws -> (size: PixelSize, samples: [UInt8])? {
        let folder = try TemporaryFolder()
        let path = try folder.write(file, to: "picture")
        let program = """
            import sys, struct
            from PIL import Image
            image = Image.open(sys.argv[1])
            \(prepare)
            image = image.convert("RGBA")
            sys.stdout.buffer.write(struct.pack("<II", *image.size) + image.tobytes())
            """
        guard let output = try run(program, [path]), output.count >= 8 else { return nil }
        let sides = [0, 4].map { start in (0..<4).reduce(0) { $0 | Int(output[start + $1]) << (8 * $1) } }
        return (PixelSize(width: sides[0], height: sides[1]), Array(output[8...]))
    }

    /// What a Python program writes to its standard output; nil when it fails.
    static func run(_ program: String, _ arguments: [String]) throws -> [UInt8]? {
        let environment = ProcessInfo.processInfo.environment
        let named = environment["TESSERA_PYTHON"] ?? "python3"
        let paths = (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(named)" }
        let python = named.contains("/") ? [named] : paths
        guard let path = python.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else { return nil }
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = ["-c", program] + arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let bytes = [UInt8](output.fileHandleForReading.readDataToEndOfFile())
        process.waitUntilExit()
        return process.terminationStatus == 0 ? bytes : nil
    }
}
