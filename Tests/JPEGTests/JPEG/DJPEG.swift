import Foundation
import Raster
import TestSupport

/// libjpeg-turbo's own decoder, as an independent word on what a file's pixels are.
enum DJPEG {
    static let tool = CommandLineTool("djpeg")

    struct Picture {
        var size: PixelSize
        var channels: Int
        var samples: [UInt8]
    }

    /// What `djpeg -pnm` makes of `file`; nil when it refuses.
    static func decode(_ file: [UInt8], arguments: [String] = []) throws -> Picture? {
        let folder = try TemporaryFolder()
        let input = try folder.write(file, to: "picture.jpg")
        // It says 2 for a warning.
        let output = try tool.output(["-pnm"] + arguments + [input], successes: [0, 2])
        // P6 (or P5 for grey), width, height and 255, a line each for the first and the last two.
        guard let bytes = output, let end = bytes.indices.lazy.filter({ bytes[$0] == 10 }).prefix(3).last else {
            return nil
        }
        let fields = String(decoding: bytes[..<end], as: UTF8.self).split { $0 == " " || $0 == "\n" }
        guard fields.count == 4, let width = Int(fields[1]), let height = Int(fields[2]) else { return nil }
        return Picture(
            size: PixelSize(width: width, height: height), channels: fields[0] == "P5" ? 1 : 3,
            samples: Array(bytes[(end + 1)...]))
    }
}
