import Foundation
import ImagePyramid
import Tessera
import TestSupport
import Testing

/// The program among calls of the system that fail, as they do on full disks, broken ones, and those of others.
@Suite("Failing system calls", .serialized, .needs(FaultyCalls.compiler), .timeLimit(.minutes(15)))
struct FaultTests {
    /// Something to do with `photo.jpg` and `cutout.png`, and what it leaves.
    struct Work: CustomTestStringConvertible, Sendable {
        let arguments: [String]
        let outputs: [String]

        var testDescription: String { arguments.joined(separator: " ") }

        init(_ arguments: String, _ outputs: String...) {
            self.arguments = arguments.split(separator: " ").map(String.init)
            self.outputs = outputs
        }
    }

    static let works = [
        Work("convert photo.jpg out.png --size 40x40", "out.png"), Work("convert cutout.png out.jpg", "out.jpg"),
        Work("convert cutout.png out.gif", "out.gif"), Work("convert cutout.png out.jpng", "out.jpng"),
        Work("effect cutout.png out.png --fit 30x30 --radius 4", "out.png"),
        Work("fetch photo.jpg --size 20 --out made", "made"), Work("tile photo.jpg out.pyramid", "out.pyramid"),
        Work("tile photo.jpg out --layout deepzoom", "out.dzi", "out_files"),
        Work("tile cutout.png out --layout iiif3", "out"), Work("tile photo.jpg out.zip", "out.zip"),
    ]

    /// Calls that who makes them has to make again, or go on with.
    static let harmless = [
        ("read", "short"), ("read", "EINTR"), ("write", "short"), ("write", "EINTR"), ("open", "EINTR"),
        ("truncate", "EINTR"), ("sync", "EINTR"),
    ]

    /// Calls after which the work can't be done.
    static let fatal = [
        ("read", "EIO"), ("write", "EIO"), ("write", "ENOSPC"), ("open", "EMFILE"), ("open", "EACCES"),
        ("map", "ENOMEM"), ("truncate", "ENOSPC"), ("allocate", "ENOSPC"), ("link", "EIO"), ("rename", "EIO"),
        ("sync", "EIO"), ("folder", "ENOSPC"),
    ]

    private let calls: FaultyCalls

    init() throws { calls = try FaultyCalls() }

    private static func originals() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let size = PixelSize(width: 300, height: 280)
        try folder.write(try Pictures.photograph(size).file(.jpeg), to: "photo.jpg")
        try folder.write(try Pictures.cutout(PixelSize(width: 90, height: 60)).file(.png), to: "cutout.png")
        return folder
    }

    /// Every file below a folder, and what it holds.
    private static func content(of folder: TemporaryFolder) throws -> [String: [UInt8]] {
        var content: [String: [UInt8]] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: folder.file(name), isDirectory: &isFolder) else { continue }
            if !isFolder.boolValue { content[name] = try folder.read(name) }
        }
        return content
    }

    @Test("Interrupted and partial reads and writes are completed", arguments: works)
    func harmless(work: Work) throws {
        for (call, error) in Self.harmless {
            let folder = try Self.originals()
            let before = try Self.content(of: folder)
            let environment = calls.environment(call, error, from: 1, in: folder)
            let outcome = try Command.run(work.arguments, in: folder, environment: environment)
            #expect(outcome.status == 0, "\(call) \(error): \(outcome.errors)")
            let after = try Self.content(of: folder)
            #expect(before.allSatisfy { after[$0.key] == $0.value }, "\(call) \(error)")
            try Self.checkWhole(work, in: folder, after, "\(call) \(error)")
        }
    }

    @Test("Failures are reported, and leave no output", arguments: works)
    func fatal(work: Work) throws {
        for (call, error) in Self.fatal {
            for first in [1, 2, 3, 5, 9, 20] {
                let folder = try Self.originals()
                let before = try Self.content(of: folder)
                let environment = calls.environment(call, error, from: first, in: folder)
                let outcome = try Command.run(work.arguments, in: folder, environment: environment)
                guard calls.wereFelt else { break }
                let after = try Self.content(of: folder)
                #expect(before.allSatisfy { after[$0.key] == $0.value }, "\(call) \(error) \(first)")
                if outcome.status == 0 {
                    // There was another way.
                    try Self.checkWhole(work, in: folder, after, "\(call) \(error) \(first)")
                    continue
                }
                #expect(outcome.status == 1, "\(call) \(error) \(first): \(outcome.errors)")
                #expect(outcome.errors.contains("can't be"), "\(call) \(error) \(first): \(outcome.errors)")
                // A hidden folder can't be emptied without opening it. The next to come does that.
                let left = after.keys.filter { before[$0] == nil && !(call == "open" && $0.hasPrefix(".tessera-")) }
                #expect(left.isEmpty, "\(call) \(error) \(first): \(left)")
                guard call == "open" else { continue }
                let again = try Command.run(work.arguments, in: folder)
                #expect(again.status == 0, "\(again.errors)")
                try Self.checkWhole(work, in: folder, try Self.content(of: folder), "after \(call) \(error) \(first)")
            }
        }
    }

    /// What the work makes is there, whole, and nothing else.
    private static func checkWhole(
        _ work: Work, in folder: TemporaryFolder, _ content: [String: [UInt8]], _ fault: String
    ) throws {
        for name in content.keys where !["photo.jpg", "cutout.png"].contains(name) {
            let isOutput = work.outputs.contains { name == $0 || name.hasPrefix($0 + "/") }
            #expect(isOutput, "\(fault): \(name)")
        }
        for output in work.outputs {
            #expect(content.keys.contains { $0 == output || $0.hasPrefix(output + "/") }, "\(fault): no \(output)")
        }
        let path = folder.file(work.outputs[0])
        if work.arguments[0] == "tile" {
            let pyramid = try StoredPyramids.open(path: path)
            for level in pyramid.geometry.levels.indices {
                for row in 0..<pyramid.geometry.rowCount(level) {
                    for column in 0..<pyramid.geometry.columnCount(level) {
                        let address = TileAddress(level: level, column: column, row: row)
                        #expect(pyramid.fault(at: address) == nil, "\(fault): \(address)")
                    }
                }
            }
        } else {
            let file = try #require(content.keys.first { $0.hasPrefix(work.outputs[0]) })
            let picture = try ImageSource.decode(content[file] ?? [])
            #expect(picture.error == nil, "\(fault)")
        }
    }
}
