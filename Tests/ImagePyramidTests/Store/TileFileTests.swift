import Foundation
import ImageFormatsTestSupport
import ImagePyramid
import Raster
import Testing
import TestSupport

@Suite("The file of raw tiles")
struct TileFileTests {
    private static let program = BuiltProgram("TileFiller").tool

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("The file has no name, and takes only the space that is written")
    func name() throws {
        let picture = try Bitmap.pattern(300, 300, alpha: .none)
        let options = RawTileStore.Options(place: .folder(folder.path))
        let store = try RawTileStore.filled(with: picture, options: options)
        #expect(try folder.names() == [])
        #expect(try store.tilesThatDiffer(from: try picture.halves(count: 2)) == [])
        // More than any disk has room for.
        #expect {
            try RawTileStore(size: PixelSize(width: 1 << 29, height: 1 << 29), options: options)
        } throws: { ($0 as? ImageError)?.code == .inputOutput }
    }

    @Test("A killed process leaves no file", .needs(program))
    func kill() throws {
        for place in [folder.path, "memory"] {
            let (process, output) = (Process(), Pipe())
            process.executableURL = URL(fileURLWithPath: Self.program.path!)
            process.arguments = [place]
            process.standardOutput = output
            try process.run()
            let said = output.fileHandleForReading.availableData
            #expect(String(decoding: said, as: UTF8.self).hasPrefix("writing"))
            #expect(try folder.names() == [])
            Foundation.kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            #expect(process.terminationReason == .uncaughtSignal)
            #expect(try folder.names() == [])
        }
    }

    @Test("Exceeding the process' limit for files is an error, not a signal", .needs(program))
    func limit() throws {
        let output = try Self.program.output([folder.path, "1000000"])
        #expect(output.map { String(decoding: $0, as: UTF8.self) }?.hasPrefix("input/output: ") == true)
    }

    @Test("Missing and invalid folders are errors")
    func refusals() {
        for path in [folder.file("none"), "/dev/null", ""] {
            #expect {
                try RawTileStore(
                    size: PixelSize(width: 1, height: 1), options: RawTileStore.Options(place: .folder(path)))
            } throws: { error in
                [.inputOutput, .invalidParameter].contains((error as? ImageError)?.code)
            }
        }
    }

    /// Makes a folder a small disk, which is memory; only the system's owner can.
    private static func mount(at path: String) -> Bool {
        (try? CommandLineTool("mount").run(["-t", "tmpfs", "-o", "size=6m", "tmpfs", path])) == true
    }

    private static let canMount: Bool = {
        guard let folder = try? TemporaryFolder(), mount(at: folder.path) else { return false }
        return (try? CommandLineTool("umount").run([folder.path])) == true
    }()

    @Test(
        "A full disk ends the store with an error, and leaves the complete tiles",
        .enabled(if: canMount, "a disk can't be mounted here"))
    func fullDisk() throws {
        try #require(Self.mount(at: folder.path))
        defer { _ = try? CommandLineTool("umount").run([folder.path]) }
        let options = RawTileStore.Options(place: .folder(folder.path))
        #expect {
            try RawTileStore(size: PixelSize(width: 3000, height: 3000), options: options)
        } throws: { error in
            (error as? ImageError)?.code == .inputOutput && "\(error)".contains("6291456 are free")
        }
        // Room that is taken after it was looked for.
        let picture = try Bitmap.pattern(1000, 900, alpha: .none)
        let first = try RawTileStore(size: picture.size, options: options)
        let others = try folder.write([UInt8](repeating: 1, count: 2 << 20), to: "other")
        let writer = try RawTileWriter(first, rows: picture.info)
        #expect {
            try writer.write(picture, rows: 0..<900)
            try writer.finish()
        } throws: { error in
            (error as? ImageError)?.code == .inputOutput && "\(error)".contains(folder.path)
        }
        #expect(first.error?.code == .inputOutput)
        let address = TileAddress(level: 0, column: 3, row: 0)
        let tile = try picture.cropped(to: first.geometry.rect(of: address))
        #expect(try first.uprightTile(address)?.tightBytes() == tile.tightBytes())
        try FileManager.default.removeItem(atPath: others)
    }
}
