import ImageFormats
import Foundation
import Raster
import Tessera
import TestSupport
import Testing

/// `tessera convert --watch`: a folder, again and again.
@Suite("tessera convert --watch")
struct WatchTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(Pictures.photograph().file(.png), to: "in/first.png")
    }

    private func waits(for condition: () throws -> Bool) rethrows -> Bool {
        for _ in 0..<600 {
            if try condition() { return true }
            usleep(50_000)
        }
        return false
    }

    @Test("Files that appear or change are converted, and others stay", .timeLimit(.minutes(3)))
    func watch() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Command.program)
        process.arguments = ["convert", "in", "--recursive", "--output-dir", "out", "--to", "qoi", "--watch"]
        process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
        let errors = folder.file("errors")
        _ = FileManager.default.createFile(atPath: errors, contents: nil)
        process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: errors))
        try process.run()
        defer {
            process.terminate()
            process.waitUntilExit()
        }
        func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: folder.file(name)) }
        func size(_ name: String) throws -> PixelSize { try ImageSource.header(of: folder.read(name)).size }
        #expect(waits { exists("out/first.qoi") })
        // A new file, one in a new folder, and a damaged one, which stops nothing.
        try folder.write([1, 2, 3], to: "in/bad.png")
        try folder.write(Pictures.photograph().file(.png), to: "in/second.png")
        #expect(waits { exists("out/second.qoi") })
        try folder.write(Pictures.photograph().file(.png), to: "in/deep/third.png")
        #expect(waits { exists("out/deep/third.qoi") })
        // A changed one, and the damaged one mended.
        let wide = try Pictures.photograph(PixelSize(width: 80, height: 40)).file(.png)
        try folder.write(wide, to: "in/first.png")
        try folder.write(wide, to: "in/bad.png")
        #expect(try waits { try exists("out/bad.qoi") && size("out/first.qoi") == PixelSize(width: 80, height: 40) })
        #expect(try size("out/second.qoi") == PixelSize(width: 60, height: 40))
        #expect(process.isRunning)
        let report = String(decoding: try folder.read("errors"), as: UTF8.self)
        // A failure is reported once for each state of the file.
        #expect(report.components(separatedBy: "in/bad.png").count <= 3, "\(report)")
    }

    @Test(
        "Only folders are watched, and never replaced",
        arguments: [
            ["in/first.png", "--to", "qoi"], ["in", "--to", "qoi", "--force"], ["in", "--in-place"],
            ["in", "--to", "qoi", "--dry-run"],
        ])
    func refusals(_ arguments: [String]) throws {
        let outcome = try Command.run(["convert", "--watch"] + arguments, in: folder)
        #expect(outcome.status == 64, "\(outcome.errors)")
        #expect(try folder.paths() == ["in", "in/first.png"])
    }
}
