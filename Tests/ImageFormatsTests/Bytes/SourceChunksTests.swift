import Foundation
import ImageFormats
import Raster
import Synchronization
import Testing
import TestSupport

@Suite("A source's bytes in chunks", .timeLimit(.minutes(15)))
struct SourceChunksTests {
    private let folder: TemporaryFolder
    private let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 * 31 >> 3) }

    init() throws { folder = try TemporaryFolder() }

    @Test("The chunks add up to the file", arguments: [1 << 16, 7777, 1 << 20])
    func file(size: Int) async throws {
        let path = try folder.write(bytes, to: "file")
        var (read, counts): ([UInt8], [Int]) = ([], [])
        for try await piece in try Source(path: path).chunks(ofAtMost: size) {
            read += piece
            counts.append(piece.count)
        }
        #expect(read == bytes)
        #expect(counts.allSatisfy { $0 <= size })
        // A file begins again with each iteration.
        let chunks = try Source(path: path).chunks(ofAtMost: size)
        for _ in 0..<2 {
            var iterator = chunks.makeAsyncIterator()
            #expect(try await iterator.next() == Array(bytes.prefix(size)))
        }
    }

    @Test("Bytes in memory come at once, or in chunks of a size")
    func memory() async throws {
        for (size, count) in [(nil, 1), (7777, 26), (200_000, 1), (1 << 20, 1)] as [(Int?, Int)] {
            var pieces: [[UInt8]] = []
            for try await piece in Source(bytes).chunks(ofAtMost: size) { pieces.append(piece) }
            #expect(Array(pieces.joined()) == bytes)
            #expect(pieces.count == count)
        }
        for try await _ in Source([]).chunks() { Issue.record("a piece of nothing") }
    }

    @Test("A pipe's bytes that were read for a header come again, and those a reader consumed don't")
    func header() async throws {
        let path = folder.file("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        let end = open(path, O_RDWR)
        defer { close(end) }
        let source = try Source(path: path)
        let written: [UInt8] = [1, 2, 3, 4, 5]
        #expect(write(end, written, 5) == 5)
        #expect(try source.headerReader().nextBytes { _ in })
        var iterator = source.chunks(ofAtMost: 3).makeAsyncIterator()
        #expect(try await iterator.next() == [1, 2, 3])
        #expect(try await iterator.next() == [4, 5])
        var other = source.chunks().makeAsyncIterator()
        await #expect { try await other.next() } throws: { ($0 as? ImageError)?.code == .invalidParameter }
    }

    @Test("A growing file is followed until its writer is done")
    func growing() async throws {
        let path = try folder.write([], to: "file")
        let bytes = bytes
        let growth = Growth()
        // How much was read whenever the reader asks whether there is more to come.
        let (asked, questions) = AsyncStream<Int>.makeStream()
        try await withThrowingTaskGroup { group in
            group.addTask {
                let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
                var readCounts = asked.makeAsyncIterator()
                for end in stride(from: 50_000, through: bytes.count, by: 50_000) {
                    try file.write(contentsOf: Data(bytes[end - 50_000..<end]))
                    // Asked twice at the end of what is written: the reader has found nothing new in between.
                    var repetitions = 0
                    while repetitions < 2, let readCount = await readCounts.next() {
                        if readCount == end { repetitions += 1 }
                    }
                }
                growth.isOver.store(true, ordering: .sequentiallyConsistent)
            }
            group.addTask {
                defer { questions.finish() }
                var read: [UInt8] = []
                let chunks = try Source(path: path).chunks {
                    questions.yield(growth.readCount.load(ordering: .sequentiallyConsistent))
                    return growth.isOver.load(ordering: .sequentiallyConsistent)
                }
                for try await piece in chunks {
                    read += piece
                    growth.readCount.store(read.count, ordering: .sequentiallyConsistent)
                }
                #expect(read == bytes)
            }
            try await group.waitForAll()
        }
    }

    @Test("A pipe's bytes come as they are written, and the wait can be cancelled")
    func pipe() async throws {
        let path = folder.file("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        // Both ends, so that opening waits for nobody.
        let end = open(path, O_RDWR)
        defer { close(end) }
        let chunks = try Source(path: path).chunks()
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

/// What the writer and the reader of a growing file know of each other.
private final class Growth: Sendable {
    let readCount = Atomic(0)
    let isOver = Atomic(false)
}
