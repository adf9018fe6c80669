import Foundation
import Platform
import TestSupport
import Testing

@Suite("File descriptors")
struct FileDescriptorTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("Reading continues until the buffer is full or the input ends")
    func readsAllThatComesInPieces() async throws {
        var ends: [CInt] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let (reading, writing) = (ends[0], ends[1])
        let writer = Thread.detachedResult { () -> Bool in
            let output = FileDescriptor(writing, name: "pipe", isOwned: true)
            for piece in 0..<50 {
                let bytes = [UInt8](repeating: UInt8(piece), count: 20)
                guard (try? bytes.withUnsafeBytes { try output.write($0) }) != nil else { return false }
                // So that most reads find one piece. The result is the same when one finds several.
                usleep(500)
            }
            return true
        }
        let input = FileDescriptor(reading, name: "pipe", isOwned: true)
        var bytes = [UInt8](repeating: 99, count: 600)
        #expect(try bytes.withUnsafeMutableBytes { try input.readAll(into: $0) } == 600)
        #expect(bytes == (0..<600).map { UInt8($0 / 20) })
        // What is less than was asked for is the end.
        #expect(try bytes.withUnsafeMutableBytes { try input.readAll(into: $0) } == 400)
        #expect(try bytes.withUnsafeMutableBytes { try input.readAll(into: $0) } == 0)
        #expect(await writer.value == true)
    }

    @Test("Bytes are written at their offset")
    func writesWhereItIsTold() throws {
        let file = try FileDescriptor(opening: folder.file("a"), O_RDWR | O_CREAT, purpose: .writing)
        try [7, 8].withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            try file.write(UnsafeRawBufferPointer(rebasing: bytes[..<1]), at: 3)
        }
        try [UInt8](arrayLiteral: 1, 2).withUnsafeBytes { try file.write($0, at: 0) }
        #expect(try folder.read("a") == [1, 2, 0, 7])
        try file.writeBack(0..<4)
        let readable = try FileDescriptor(opening: folder.file("a"), O_RDONLY, purpose: .reading)
        let error = #expect(throws: ImageError.self) {
            try [UInt8](arrayLiteral: 1).withUnsafeBytes { try readable.write($0, at: 0) }
        }
        #expect(error == ImageError(.inputOutput, "\(folder.file("a")) can't be written: Bad file descriptor"))
    }

    @Test("Writing back a pipe is an error")
    func aPipeHasNothingToWriteBack() throws {
        var ends: [CInt] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let one = ends[0]
        defer { close(one) }
        let other = FileDescriptor(ends[1], name: "pipe", isOwned: true)
        let error = #expect(throws: ImageError.self) { try other.writeBack(0..<1) }
        #expect(error?.message == "pipe can't be written: Invalid argument")
    }

    @Test("An unnamed file leaves no trace")
    func filesWithoutANameLeaveNothing() throws {
        let number = try UnnamedFile.open(in: folder.path, called: "a file")
        #expect(try folder.names().isEmpty)
        let file = FileDescriptor(number, name: "a file", isOwned: true)
        try [UInt8](arrayLiteral: 1, 2, 3).withUnsafeBytes { try file.write($0) }
        #expect(try file.bytes(10, at: 0) == [1, 2, 3])
        #expect(FileStatus(number)?.permissions == 0o600 & ~Self.mask)
        for path in [folder.file("none"), "/dev/null", "", "a\0"] {
            #expect(throws: ImageError.self) { try UnnamedFile.open(in: path, called: "a file") }
        }
    }

    private static let mask: UInt32 = {
        let mask = umask(0)
        umask(mask)
        return UInt32(mask)
    }()

    @Test("A memory file isn't inherited by children")
    func memoryIsAFileThatNobodyInherits() throws {
        let number = try MemoryFile.open()
        let file = FileDescriptor(number, name: "memory", isOwned: true)
        #expect(fcntl(number, F_GETFD) & FD_CLOEXEC != 0)
        try #require(ftruncate(number, 1 << 20) == 0)
        let mapped = mmap(nil, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, number, 0)
        try #require(mapped != MAP_FAILED)
        mapped?.storeBytes(of: 0x0102_0304, toByteOffset: 4096, as: UInt32.self)
        munmap(mapped, 1 << 20)
        #expect(try file.bytes(4, at: 4096) == [4, 3, 2, 1])
    }

    @Test("Two files are exchanged, or the call reports that it can't")
    func exchangesTwoFilesOrSaysThatItCant() throws {
        let (one, other) = (try folder.write([1], to: "one"), try folder.write([2], to: "other"))
        let result = SystemCall.exchange(one, other)
        let error = SystemError.last
        // Some file systems can't either.
        if !SystemForms.arePOSIX, result == 0 || error.code != EINVAL {
            #expect(result == 0)
            #expect(try folder.read("one") == [2] && folder.read("other") == [1])
            #expect(SystemCall.exchange(one, folder.file("none")) == -1)
        } else {
            #expect(result == -1 && (error.isLacking || error.code == EINVAL))
        }
        #expect(try folder.names() == ["one", "other"])
    }
}
