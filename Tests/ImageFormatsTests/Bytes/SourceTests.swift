import Foundation
import Platform
import Raster
import Testing

import ImageFormats
import TestSupport

@Suite("Sources of bytes")
struct SourceTests {
    private func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) } }

    private func all(_ reader: any ByteReader) throws -> [UInt8] {
        var result: [UInt8] = []
        while try reader.nextBytes({ piece in piece.withUnsafeBytes { result.append(contentsOf: $0) } }) {}
        return result
    }

    /// The same bytes in memory and in a file.
    private func sources(_ bytes: [UInt8], _ folder: TemporaryFolder) throws -> [Source] {
        [Source(bytes), try Source(path: folder.write(bytes, to: "a"))]
    }

    /// A pipe's end to read from, with `bytes` in it and nobody to write more.
    private func pipe(_ bytes: [UInt8]) throws -> Source {
        var ends: [Int32] = [0, 0]
        #expect(Platform.pipe(&ends) == 0)
        #expect(write(ends[1], bytes, bytes.count) == bytes.count)
        close(ends[1])
        return try Source(FileDescriptor(ends[0], name: "pipe", isOwned: true))
    }

    // MARK: In sequence

    @Test("A file is read in chunks", arguments: [1, 1000, 1 << 16, (5 << 16) + 1, 700_000])
    func isReadInPieces(_ count: Int) throws {
        let folder = try TemporaryFolder()
        for source in try sources(bytes(count), folder) {
            #expect(source.byteCount == count && !source.isStream)
            let (first, second) = (source.reader(), source.reader())
            #expect(first.byteCount == count)
            #expect(try first.suffix(16) == bytes(count).suffix(16))
            // Two readers of one open file don't move each other on.
            var piece = 0
            _ = try second.nextBytes { piece = $0.byteCount }
            #expect(piece == min(count, 1 << 16))
            #expect(try all(first) == bytes(count))
            var next = 0
            #expect(try second.nextBytes { next = $0.byteCount } == (count > piece))
            #expect(next == min(count - piece, 1 << 18))
            #expect(try all(second) == Array(bytes(count).dropFirst(piece + next)))
            // The end stays the end, and the suffix doesn't depend on how far reading is.
            #expect(try all(first).isEmpty)
            #expect(try first.suffix(count + 5) == bytes(count))
            #expect(try all(source.reader(from: count - 1)) == bytes(count).suffix(1))
            #expect(try all(source.reader(from: count + 1)).isEmpty)
        }
    }

    @Test("An empty file has no bytes")
    func anEmptyFileHasNoBytes() throws {
        let folder = try TemporaryFolder()
        for source in try sources([], folder) {
            #expect(source.byteCount == 0)
            #expect(try all(source.reader()).isEmpty && source.bytes().isEmpty)
            #expect(try source.suffix(4) == [] && source.bytes(0, at: 0) == [])
        }
    }

    @Test("A /proc file with a length of 0 is read to its end")
    func aFileOfTheSystemThatSays0HasItsContent() throws {
        guard access("/proc/self/status", R_OK) == 0 else { return }
        let source = try Source(path: "/proc/self/status")
        #expect(source.byteCount == nil && source.isStream && source.isRegular)
        #expect(try !source.bytes().isEmpty)
    }

    @Test("Errors of the closure are passed on")
    func whatTheBodyThrowsIsPassedOn() throws {
        let folder = try TemporaryFolder()
        let error = ImageError(.corrupt, "no")
        for source in try sources(bytes(9), folder) {
            #expect(throws: error) {
                _ = try source.reader().nextBytes { (_) throws(ImageError) in throw error }
            }
            #expect(throws: error) {
                try source.withBytes(in: [0..<1]) { (_, _) throws(ImageError) in throw error }
            }
        }
    }

    // MARK: At offsets

    @Test(
        "Up to a number of bytes are read at any offset",
        arguments: [(0, 3), (5, 4), (7, 9), (10, 1), (40, 2), (-3, 2), (4, -1), (2, Int.max)])
    func upToSoManyBytesAreReadAnywhere(_ offset: Int, _ count: Int) throws {
        let folder = try TemporaryFolder()
        let start = min(max(0, offset), 10)
        let expected = Array(bytes(10)[start...].prefix(max(0, count)))
        for source in try sources(bytes(10), folder) {
            #expect(try source.bytes(upTo: count, at: offset) == expected)
            #expect(try all(source.reader()) == bytes(10))
        }
    }

    @Test("An exact number of bytes is read, or the read fails")
    func exactlySoManyBytesOrAnError() throws {
        let folder = try TemporaryFolder()
        for source in try sources(bytes(10), folder) {
            for (count, offset) in [(0, 0), (10, 0), (3, 5), (1, 9), (0, 10)] {
                #expect(try source.bytes(count, at: offset) == Array(bytes(10)[offset..<(offset + count)]))
            }
            for (count, offset) in [(11, 0), (1, 10), (5, 6), (0, 11), (-1, 2), (1, -1), (Int.max, 3), (3, Int.max)] {
                let error = #expect(throws: ImageError.self) { try source.bytes(count, at: offset) }
                #expect(error?.code == .truncated && error?.byteOffset == 10)
            }
        }
    }

    @Test("A range is lent as one span")
    func rangesAreLentAsOneSpan() throws {
        let (folder, ranges) = (try TemporaryFolder(), [2..<5, 5..<5, 700..<800, 0..<1])
        for source in try sources(bytes(1000), folder) {
            try source.withBytes(in: ranges) { (span, offsets) throws(ImageError) in
                #expect(offsets.count == ranges.count)
                for (range, offset) in zip(ranges, offsets) {
                    let part = span.extracting((range.lowerBound - offset)..<(range.upperBound - offset))
                    let lent = part.withUnsafeBytes { Array($0) }
                    #expect(lent == Array(bytes(1000)[range]))
                }
            }
            let error = #expect(throws: ImageError.self) {
                try source.withBytes(in: [0..<5, 990..<1001]) { (_, _) in Issue.record("bytes that aren't there") }
            }
            #expect(error?.code == .truncated)
        }
    }

    @Test("Many threads read one file")
    func manyThreadsReadOneFile() async throws {
        let folder = try TemporaryFolder()
        let (all, source) = (bytes(500_000), try Source(path: folder.write(bytes(500_000), to: "a")))
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for start in stride(from: 0, to: 500_000, by: 50_000) {
                group.addTask { try source.bytes(50_000, at: start) == Array(all[start..<(start + 50_000)]) }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }

    @Test("A file that shrinks ends early")
    func aFileThatShrinksEndsEarly() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(bytes(100), to: "a")
        let source = try Source(path: path)
        #expect(truncate(path, 90) == 0)
        #expect(source.byteCount == 100)
        #expect(try source.suffix(20) == bytes(90).suffix(10))
        #expect(try all(source.reader()) == bytes(90))
        #expect(try source.bytes(90, at: 0) == bytes(90))
        for read: () throws -> Void in [
            { _ = try source.bytes(20, at: 75) }, { try source.withBytes(in: [75..<95]) { (_, _) in } },
        ] {
            let error = #expect(throws: ImageError.self) { try read() }
            #expect(error?.code == .truncated && error?.byteOffset == 90)
        }
    }

    @Test("Reading all bytes is subject to a limit")
    func allBytesAreHeldToALimit() throws {
        let folder = try TemporaryFolder()
        for source in try sources(bytes(300_000), folder) + [try pipe(bytes(30_000))] {
            let count = source.byteCount ?? 30_000
            let error = #expect(throws: ImageError.self) { try source.bytes(limit: count - 1) }
            #expect(error?.code == .limitExceeded)
            #expect(error?.message == "\(source.name) has more than \(count - 1) bytes")
            if !source.isStream { #expect(try source.bytes(limit: count) == bytes(count)) }
        }
        // Nothing of it is read, let alone kept.
        let path = try folder.write([], to: "large")
        #expect(truncate(path, 1 << 40) == 0)
        #expect(throws: ImageError.self) { try Source(path: path).bytes() }
    }

    // MARK: Streams

    @Test("A pipe is read once and in sequence")
    func aPipeIsReadOnceAndInSequence() throws {
        let source = try pipe([1, 2, 3])
        #expect(source.byteCount == nil && source.isStream && !source.isRegular)
        #expect(try source.suffix(4) == nil && source.bytes(upTo: 1, at: 0) == nil)
        let error = #expect(throws: ImageError.self) { try source.bytes(1, at: 0) }
        #expect(error?.code == .invalidParameter)
        let reader = source.reader()
        #expect(try all(reader) == [1, 2, 3])
        #expect(try all(reader).isEmpty)
        for reader in [source.reader(), source.headerReader()] {
            let error = #expect(throws: ImageError.self) { try all(reader) }
            #expect(error?.code == .invalidParameter)
        }
    }

    @Test("A pipe's header is read again")
    func aHeaderOfAPipeIsReadAgain() throws {
        let source = try pipe(bytes(30_000))
        let header = source.headerReader()
        var first: [UInt8] = []
        #expect(try header.nextBytes { piece in piece.withUnsafeBytes { first = Array($0) } })
        #expect(!first.isEmpty && bytes(30_000).starts(with: first))
        // As often as it is only for a header.
        #expect(try all(source.headerReader()) == bytes(30_000))
        #expect(try all(source.reader()) == bytes(30_000))
        #expect(throws: ImageError.self) { try all(header) }
    }

    @Test("An image in a pipe is decoded after its header was read")
    func anImageIsDecodedFromAPipeAfterItsHeader() throws {
        let bitmap = try MutableBitmap(BitmapInfo(size: PixelSize(width: 40, height: 30), format: .gray8)).freeze()
        let file = try ImageDestination(format: .png).encode(bitmap)
        let source = try pipe(file)
        #expect(try ImageSource.header(of: source).size == bitmap.size)
        #expect(try ImageRowSource(source).makeBitmap().size == bitmap.size)
        #expect(throws: ImageError.self) { try ImageSource.decode(source) }
    }

    @Test("A pipe is no regular file")
    func aPipeIsNoRegularFile() throws {
        let folder = try TemporaryFolder()
        #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
        // Nobody writes to it, and nobody is waited for.
        let error = #expect(throws: ImageError.self) { try Source(regularFile: folder.file("pipe")) }
        #expect(error?.code == .inputOutput)
        #expect(try Source(regularFile: folder.write([1], to: "a")).bytes() == [1])
    }

    // MARK: Files

    @Test("A descriptor is read from its current position")
    func aDescriptorThatWasReadFromGoesOnFromThere() throws {
        let folder = try TemporaryFolder()
        let number = open(try folder.write(bytes(50), to: "a"), O_RDONLY)
        defer { close(number) }
        #expect(lseek(number, 20, SEEK_SET) == 20)
        let source = try Source(FileDescriptor(number, name: "a", isOwned: false))
        #expect(source.byteCount == 30 && source.fileNumber == nil)
        #expect(try source.suffix(40) == bytes(50).suffix(30))
        #expect(try source.bytes(3, at: 0) == Array(bytes(50)[20..<23]))
        #expect(try all(source.reader()) == bytes(50).suffix(30))
        // The descriptor is its owner's, and stands where it stood.
        #expect(lseek(number, 0, SEEK_CUR) == 20)
        let whole = try Source(FileDescriptor(number, name: "a", isOwned: false), from: 0)
        #expect(try whole.bytes() == bytes(50) && whole.fileNumber == number)
    }

    @Test("Other files and changed files have another identity")
    func aFileIsToldFromOthersAndFromItselfBeforeAChange() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(bytes(5), to: "a")
        let identity = try #require(try Source(path: path).identity)
        #expect(try Source(path: path).identity == identity)
        #expect(try Source(path: folder.write(bytes(5), to: "b")).identity?.inode != identity.inode)
        let before = Date(timeIntervalSince1970: 1_000_000_000)
        try FileManager.default.setAttributes([.modificationDate: before], ofItemAtPath: path)
        let changed = try #require(try Source(path: path).identity)
        #expect(changed.modification.nanosecondsSince1970 == 1_000_000_000_000_000_000)
        #expect((changed.device, changed.inode) == (identity.device, identity.inode))
        #expect(Source([1]).identity == nil && !Source([1]).isRegular)
    }

    @Test("An unreadable file is an error that names it")
    func whatCantBeReadIsNamed() throws {
        let folder = try TemporaryFolder()
        for (path, reason) in [
            (folder.file("missing"), "No such file or directory"), (folder.path, "it is a folder"),
            (try folder.write([1], to: "a") + "/b", "Not a directory"),
        ] {
            for open in [{ (path) in try Source(path: path) }, { (path) in try Source(regularFile: path) }] {
                let error = #expect(throws: ImageError.self) { try open(path) }
                #expect(error?.code == .inputOutput)
                #expect(error?.message == "\(path) can't be read: \(reason)")
            }
        }
    }

    @Test("A path with a zero byte isn't truncated")
    func aPathWithAZeroByteIsNotCutShort() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write([1], to: "a")
        let error = #expect(throws: ImageError.self) { try Source(path: path + "\0.png") }
        #expect(error?.code == .invalidParameter)
    }
}
