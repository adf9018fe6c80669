import Foundation
import Raster

/// libjpeg-turbo's own decoder, as an independent word on what a file's pixels are.
enum DJPEG {
    static let path = ["/usr/bin/djpeg", "/usr/local/bin/djpeg", "/opt/homebrew/bin/djpeg"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }
    static var isInstalled: Bool { path != nil }

    struct Picture {
        var size: PixelSize
        var channels: Int
        var samples: [UInt8]
    }

    /// What `djpeg -pnm` makes of `file`; nil when it refuses.
    static func decode(_ file: [UInt8], arguments: [String] = []) throws -> Picture? {
        let input = FileManager.default.temporaryDirectory.appendingPathComponent("tessera-\(UUID()).jpg")
        try Data(file).write(to: input)
        defer { try? FileManager.default.removeItem(at: input) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path!)
        process.arguments = ["-pnm"] + arguments + [input.path]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let bytes = [UInt8](output.fileHandleForReading.readDataToEndOfFile())
        process.waitUntilExit()
        // P6 (or P5 for grey), width, height and 255, a line each for the first and the last two.
        guard process.terminationStatus != 1, let end = bytes.indices.filter({ bytes[$0] == 10 }).prefix(3).last,
            bytes.count > 2
        else { return nil }
        let fields = String(decoding: bytes[..<end], as: UTF8.self).split { $0 == " " || $0 == "\n" }
        guard fields.count == 4, let width = Int(fields[1]), let height = Int(fields[2]) else { return nil }
        return Picture(
            size: PixelSize(width: width, height: height), channels: fields[0] == "P5" ? 1 : 3,
            samples: Array(bytes[(end + 1)...]))
    }
}

extension Bitmap {
    /// The samples as PNM has them: grey, or red, green and blue.
    var pnmSamples: [UInt8] {
        let bytes = tightBytes()
        return format.isGray ? bytes : bytes.indices.filter { $0 % 4 != 3 }.map { bytes[$0] }
    }
}
