import Foundation
import Platform
import Raster
import Testing

import ImageFormats
import TestSupport

@Suite struct FileByteSourceTests {
    private func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) } }

    private func all(_ source: any ByteSource) throws -> [UInt8] {
        var result: [UInt8] = []
        while try source.nextBytes({ piece in piece.withUnsafeBytes { result.append(contentsOf: $0) } }) {}
        return result
    }

    @Test(arguments: [1, 1000, 1 << 18, (1 << 18) + 1, 700_000])
    func readsAFileInPieces(_ count: Int) throws {
        let folder = try TemporaryFolder()
        let source = try FileByteSource(path: folder.write(bytes(count), to: "a"))
        #expect(source.byteCount == count)
        #expect(try source.suffix(16) == bytes(count).suffix(16))
        #expect(try all(source) == bytes(count))
        // The end stays the end, and the suffix doesn't depend on how far reading is.
        #expect(try all(source).isEmpty)
        #expect(try source.suffix(count + 5) == bytes(count))
        #expect(try source.suffix(0) == [])
    }

    @Test(arguments: [(0, 3), (5, 4), (7, 9), (10, 1), (40, 2), (-3, 2), (4, -1)])
    func readsAnyPart(_ offset: Int, _ count: Int) throws {
        let folder = try TemporaryFolder()
        let source = try FileByteSource(path: folder.write(bytes(10), to: "a"))
        let start = min(max(0, offset), 10)
        #expect(
            try source.bytes(from: offset, count: count) == Array(bytes(10)[start..<min(10, start + max(0, count))]))
        #expect(try all(source) == bytes(10))
    }

    @Test func anEmptyFileHasNoBytes() throws {
        let folder = try TemporaryFolder()
        let source = try FileByteSource(path: folder.write([], to: "a"))
        #expect(try all(source).isEmpty)
    }

    @Test func aFileThatShrinksEndsEarly() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(bytes(100), to: "a")
        let source = try FileByteSource(path: path)
        #expect(truncate(path, 90) == 0)
        #expect(try source.suffix(20) == bytes(90).suffix(10))
        #expect(try all(source) == bytes(90))
    }

    @Test func aPipeHasNoLength() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let source = try FileByteSource(FileDescriptor(ends[0], name: "pipe", isOwned: true))
        #expect(source.byteCount == nil)
        #expect(try source.suffix(4) == nil)
        #expect(write(ends[1], [1, 2, 3] as [UInt8], 3) == 3)
        close(ends[1])
        #expect(try all(source) == [1, 2, 3])
    }

    @Test func aDescriptorThatWasReadFromGoesOnFromThere() throws {
        let folder = try TemporaryFolder()
        let number = open(try folder.write(bytes(50), to: "a"), O_RDONLY)
        #expect(lseek(number, 20, SEEK_SET) == 20)
        let source = try FileByteSource(FileDescriptor(number, name: "a", isOwned: true))
        #expect(source.byteCount == 30)
        #expect(try source.suffix(40) == bytes(50).suffix(30))
        #expect(try all(source) == bytes(50).suffix(30))
    }

    @Test func whatTheBodyThrowsIsPassedOn() throws {
        let folder = try TemporaryFolder()
        let source = try FileByteSource(path: folder.write(bytes(9), to: "a"))
        let error = ImageError(.corrupt, "no")
        #expect(throws: error) {
            _ = try source.nextBytes { (_) throws(ImageError) in throw error }
        }
    }

    @Test func whatCantBeReadIsNamed() throws {
        let folder = try TemporaryFolder()
        for (path, reason) in [
            (folder.file("missing"), "No such file or directory"), (folder.path, "it is a folder"),
            (try folder.write([1], to: "a") + "/b", "Not a directory"),
        ] {
            let error = #expect(throws: ImageError.self) { try FileByteSource(path: path) }
            #expect(error?.code == .inputOutput)
            #expect(error?.message == "\(path) can't be read: \(reason)")
        }
    }

    @Test func aPathWithAZeroByteIsNotCutShort() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write([1], to: "a")
        let error = #expect(throws: ImageError.self) { try FileByteSource(path: path + "\0.png") }
        #expect(error?.code == .invalidParameter)
    }
}
