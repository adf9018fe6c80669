import Foundation
import ImageFormats
import ImageFormatsTestSupport
import ImagePyramid
import Raster
import Testing
import TestSupport

@Suite("A file's bytes, piece by piece", .timeLimit(.minutes(15)))
struct FileChunksTests {
    private let folder: TemporaryFolder
    private let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 * 31 >> 3) }

    init() throws { folder = try TemporaryFolder() }

    @Test("Together they are the file", arguments: [1 << 16, 7777, 1 << 20])
    func file(size: Int) async throws {
        let path = try folder.write(bytes, to: "file")
        var (read, counts): ([UInt8], [Int]) = ([], [])
        for try await piece in try FileChunks(path: path, pieceByteCount: size) {
            read += piece
            counts.append(piece.count)
        }
        #expect(read == bytes)
        #expect(counts.allSatisfy { $0 <= size })
        #expect {
            try FileChunks(path: folder.file("none"))
        } throws: { ($0 as? ImageError)?.code == .inputOutput }
    }

    @Test("A file that grows is followed until its writer is done")
    func growing() async throws {
        let path = try folder.write([], to: "file")
        let (isWritten, bytes) = (Flag(), bytes)
        try await withThrowingTaskGroup { group in
            group.addTask {
                let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
                for start in stride(from: 0, to: bytes.count, by: 50_000) {
                    try file.write(contentsOf: Data(bytes[start..<start + 50_000]))
                    try await Task.sleep(for: .milliseconds(30))
                }
                isWritten.set()
            }
            group.addTask {
                var read: [UInt8] = []
                let chunks = try FileChunks(path: path) { isWritten.value }
                for try await piece in chunks { read += piece }
                #expect(read == bytes)
            }
            try await group.waitForAll()
        }
    }

    @Test("A pipe's bytes come as they are written, and waiting for them can be cancelled")
    func pipe() async throws {
        let path = folder.file("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        // Both ends, so that opening waits for nobody.
        let end = open(path, O_RDWR)
        defer { close(end) }
        let chunks = try FileChunks(path: path)
        let written: [UInt8] = [1, 2, 3]
        #expect(write(end, written, 3) == 3)
        let first = Task {
            var iterator = chunks.makeAsyncIterator()
            return try await iterator.next()
        }
        #expect(try await first.value == written)
        let second = Task {
            var iterator = chunks.makeAsyncIterator()
            return try await iterator.next()
        }
        second.cancel()
        await #expect { try await second.value } throws: { ($0 as? ImageError)?.code == .cancelled }
    }
}
