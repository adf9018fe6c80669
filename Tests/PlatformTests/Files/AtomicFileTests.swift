import Foundation
import Testing

import Platform
import TestSupport

@Suite("Atomic files")
struct AtomicFileTests {
    private let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) }

    /// Files without a name where the system has them, and hidden ones where it hasn't.
    static let kinds = [true, false]

    private func permissions(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
    }

    @Test("The file appears complete at commit", arguments: kinds)
    func appearsWholeAtCommit(usesUnnamedFile: Bool) throws {
        let folder = try TemporaryFolder()
        let file = try AtomicFile(
            path: folder.file("a.png"), overwrites: false, usesUnnamedFile: usesUnnamedFile)
        for piece in [0..<3, 3..<200_000, 200_000..<200_001, 200_001..<300_000] { try file.write(Array(bytes[piece])) }
        #expect(try !folder.names().contains("a.png"))
        try file.commit()
        #expect(try folder.names() == ["a.png"])
        #expect(try folder.read("a.png") == bytes)
        // What the shell's redirection would have made.
        let plain = open(folder.file("plain"), O_CREAT | O_WRONLY, 0o666)
        close(plain)
        #expect(try permissions(folder.file("a.png")) == permissions(folder.file("plain")))
    }

    @Test("Without a commit, no file is left", arguments: kinds)
    func leavesNothingWithoutACommit(usesUnnamedFile: Bool) throws {
        let folder = try TemporaryFolder()
        do {
            let file = try AtomicFile(
                path: folder.file("a.png"), overwrites: false, usesUnnamedFile: usesUnnamedFile)
            try file.write(bytes)
            #expect(try folder.names().count == (usesUnnamedFile && UnnamedFile.canBeNamed ? 0 : 1))
        }
        #expect(try folder.names().isEmpty)
    }

    @Test("An existing file is refused", arguments: kinds)
    func refusesAFileThatExists(usesUnnamedFile: Bool) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write([1], to: "a.png")
        let error = #expect(throws: ImageError.self) {
            try AtomicFile(path: path, overwrites: false, usesUnnamedFile: usesUnnamedFile)
        }
        #expect(error == ImageError(.inputOutput, "\(path) can't be written: it exists already"))
        #expect(try folder.read("a.png") == [1])
    }

    @Test("A file created before the commit is refused", arguments: kinds)
    func refusesAFileThatAppearsMeanwhile(usesUnnamedFile: Bool) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.png")
        let file = try AtomicFile(path: path, overwrites: false, usesUnnamedFile: usesUnnamedFile)
        try file.write(bytes)
        try folder.write([1], to: "a.png")
        let error = #expect(throws: ImageError.self) { try file.commit() }
        #expect(error?.message == "\(path) can't be written: it exists already")
        #expect(try folder.read("a.png") == [1])
        #expect(try folder.names() == ["a.png"])
        // Nothing makes a failed file good again.
        #expect(throws: ImageError.self) { try file.write(bytes) }
        #expect(throws: ImageError.self) { try file.commit() }
    }

    @Test("An existing file is replaced on request", arguments: kinds)
    func replacesAFileWhenAskedTo(usesUnnamedFile: Bool) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write([1], to: "a.png")
        chmod(path, 0o600)
        let file = try AtomicFile(path: path, overwrites: true, usesUnnamedFile: usesUnnamedFile)
        try file.write(bytes)
        #expect(try folder.read("a.png") == [1])
        try file.commit()
        #expect(try folder.read("a.png") == bytes)
        #expect(try folder.names() == ["a.png"])
        #expect(try permissions(path) == 0o600)
    }

    @Test("The times of a replaced file are kept on request", arguments: kinds)
    func keepsTimes(usesUnnamedFile: Bool) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write([1], to: "a.png")
        let number = open(path, O_RDWR)
        var (access, modification) = (FileTime(seconds: 1000), FileTime(seconds: 2000))
        (access.nanoseconds, modification.nanoseconds) = (3, 4)
        #expect(FileTime.setTimes(of: number, access: access, modification: modification))
        close(number)
        let file = try AtomicFile(path: path, overwrites: true, usesUnnamedFile: usesUnnamedFile)
        file.keepTimes(of: path)
        file.keepTimes(of: folder.file("missing"))
        try file.write(bytes)
        try file.commit()
        let status = try #require(FileStatus(path: path))
        #expect(status.accessTime == access && status.modificationTime == modification)
        #expect(status.byteCount == bytes.count)
    }

    @Test("A link's target is written", arguments: kinds)
    func writesThroughALink(usesUnnamedFile: Bool) throws {
        let folder = try TemporaryFolder()
        try folder.write([1], to: "real.png")
        #expect(symlink("real.png", folder.file("link.png")) == 0)
        let file = try AtomicFile(
            path: folder.file("link.png"), overwrites: true, usesUnnamedFile: usesUnnamedFile)
        try file.write([2, 3])
        try file.commit()
        #expect(try folder.read("real.png") == [2, 3])
        let kind =
            try FileManager.default.attributesOfItem(atPath: folder.file("link.png"))[.type] as? FileAttributeType
        #expect(kind == .typeSymbolicLink)
    }

    @Test("A second commit does nothing")
    func committingTwiceIsCommittingOnce() throws {
        let folder = try TemporaryFolder()
        let file = try AtomicFile(path: folder.file("a"))
        try file.write([1])
        try file.commit()
        try file.commit()
        #expect(try folder.read("a") == [1])
    }

    @Test("A bare name is in the current folder")
    func aBareNameIsInTheCurrentFolder() throws {
        let name = "tessera-test-\(UUID().uuidString)"
        let file = try AtomicFile(path: name)
        try file.write([1, 2])
        try file.commit()
        defer { unlink(name) }
        #expect(FileManager.default.contents(atPath: name) == Data([1, 2]))
    }

    @Test("Of many writers of one name, one wins")
    func manyWritersOfOneNameHaveOneWinner() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a")
        let winners = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<16 {
                group.addTask {
                    guard let file = try? AtomicFile(path: path) else { return false }
                    return (try? file.write([UInt8(number)])) != nil && (try? file.commit()) != nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(winners == 1)
        #expect(try folder.names() == ["a"])
        #expect(try folder.read("a").count == 1)
    }

    @Test("A pipe is written directly")
    func aPipeIsWrittenTo() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        // Open for both, so that nobody waits for the other side.
        let reader = open(path, O_RDWR)
        defer { close(reader) }
        let file = try AtomicFile(path: path)
        try file.write([7, 8])
        try file.commit()
        var read = [UInt8](repeating: 0, count: 4)
        #expect(Foundation.read(reader, &read, 4) == 2)
        #expect(read == [7, 8, 0, 0])
        #expect(try folder.names() == ["pipe"])
    }

    @Test("A full device is an error")
    func aFullDeviceIsAnError() throws {
        let file = try AtomicFile(path: "/dev/full")
        let error = #expect(throws: ImageError.self) {
            try file.write([1])
            try file.commit()
        }
        #expect(error == ImageError(.inputOutput, "/dev/full can't be written: No space left on device"))
    }

    @Test("An unwritable path is an error that names it")
    func whatCantBeWrittenIsNamed() throws {
        let folder = try TemporaryFolder()
        let plain = try folder.write([1], to: "plain")
        for (path, reason) in [
            (folder.path, "it is a folder"), (folder.file("no/such/a"), "No such file or directory"),
            (plain + "/a", "Not a directory"),
        ] {
            let error = #expect(throws: ImageError.self) { try AtomicFile(path: path, overwrites: true) }
            #expect(error == ImageError(.inputOutput, "\(path) can't be written: \(reason)"))
        }
        for path in ["", folder.file("a\0b")] {
            #expect(throws: ImageError.self) { try AtomicFile(path: path) }
        }
    }
}
