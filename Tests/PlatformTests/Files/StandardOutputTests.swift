import Foundation
import Testing

import Platform

@Suite("Standard output")
struct StandardOutputTests {
    @Test("All bytes pass through a pipe of any size")
    func writesThroughAPipeOfAnySize() async throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        // A writer that may not wait gets no further than the pipe is long, and has to try again.
        #expect(fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0)
        let (reading, writing) = (ends[0], ends[1])
        let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 3) }
        let reader = Thread.detachedResult { () -> [UInt8] in
            var (read, piece) = ([UInt8](), [UInt8](repeating: 0, count: 10_000))
            while case let count = Foundation.read(reading, &piece, piece.count), count > 0 { read += piece[..<count] }
            close(reading)
            return read
        }
        do {
            let output = StandardOutput(FileDescriptor(writing, name: "pipe", isOwned: true))
            try output.write(Array(bytes[..<10]))
            try output.write(Array(bytes[10...]))
            try output.flush()
        }
        #expect(await reader.value == bytes)
    }

    @Test("A reader that has left is an error")
    func aReaderThatWentAwayIsAnError() throws {
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        close(ends[0])
        let output = StandardOutput(FileDescriptor(ends[1], name: "standard output", isOwned: true))
        try output.write([1])
        let error = #expect(throws: ImageError.self) { try output.flush() }
        #expect(error == ImageError(.inputOutput, "standard output can't be written: Broken pipe"))
        // What was half written isn't written again.
        try output.flush()
    }
}

extension Thread {
    /// Runs `body`, which blocks, on a thread of its own, from here on.
    static func detachedResult<T: Sendable>(_ body: @escaping @Sendable () -> T) -> Task<T?, Never> {
        let (results, result) = AsyncStream<T>.makeStream()
        detachNewThread {
            result.yield(body())
            result.finish()
        }
        return Task { await results.first { _ in true } }
    }
}
