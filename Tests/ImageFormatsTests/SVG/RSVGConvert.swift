import CTesseraPNGOracle
import Foundation
import Raster

/// librsvg's own program, as an independent word on what a document's picture is.
enum RSVGConvert {
    private static let path = "/usr/bin/rsvg-convert"
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

    /// What `rsvg-convert` draws; nil when it refuses.
    static func draw(_ document: [UInt8], arguments: [String] = []) throws -> (size: PixelSize, samples: [UInt16])? {
        let name = FileManager.default.temporaryDirectory.appendingPathComponent("tessera-\(UUID())")
        let (input, output) = (name.appendingPathExtension("svg"), name.appendingPathExtension("png"))
        defer {
            for file in [input, output] { try? FileManager.default.removeItem(at: file) }
        }
        try Data(document).write(to: input)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments + ["-o", output.path, input.path]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { return nil }
        return LibPNG.decode([UInt8](try Data(contentsOf: output))).map { ($0.size, $0.samples) }
    }
}
