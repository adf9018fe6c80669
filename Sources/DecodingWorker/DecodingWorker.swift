internal import CTesseraSystem
internal import CTesseraWorker
internal import Dispatch
internal import ImageFormats
package import ImageIsolation
internal import Platform
internal import Raster

/// The program that decodes pictures for another one: loads what it needs, gives up every right, and answers.
package enum DecodingWorker {
    /// Answers until nobody asks any more.
    /// - Parameters:
    ///   - library: What to load before.
    ///   - change: What becomes of each answer, for tests of who has to bear with it.
    package static func run(
        _ library: DecodingLibrary, changing change: (Request, [UInt8]) -> [UInt8] = { $1 }
    ) -> Never {
        guard tessera_hold_worker_back() == 0 else { exit(Reply.unconfinedStatus) }
        load(library)
        guard let memory = SharedMemory(), tessera_confine(TESSERA_MAY_OPEN_NOTHING) == 0 else {
            exit(Reply.unconfinedStatus)
        }
        tessera_open_nothing()
        let session = WorkerSession(memory)
        while let message = receive() {
            guard let request = try? Request(message) else { exit(1) }
            if request == .end {
                session.end()
                continue
            }
            send(change(request, session.answer(request).message))
        }
        exit(0)
    }

    /// Has everything loaded and looked up that takes a file.
    private static func load(_ library: DecodingLibrary) {
        _ = ImageExecutor.processorCount
        DispatchQueue.concurrentPerform(iterations: 2) { _ in }
        guard let format = library.format, let codec = CodecRegistry.builtIn.codec(for: format) else { return }
        let none: [UInt8] = []
        _ = try? codec.makeDecoder(for: FormatProbe(streamPrefix: none.span.bytes), options: DecodingOptions())
    }

    // MARK: Messages

    private static func receive() -> [UInt8]? {
        guard let head = read(MessageFrame.headByteCount) else { return nil }
        return read(MessageFrame.byteCount(head: head))
    }

    private static func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = bytes.withUnsafeMutableBytes {
                SystemCall.read(0, into: UnsafeMutableRawBufferPointer(rebasing: $0[filled...]))
            }
            guard got > 0 else { return nil }
            filled += got
        }
        return bytes
    }

    private static func send(_ message: [UInt8]) {
        let bytes = MessageFrame.framed(message)
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { write(0, $0.baseAddress! + sent, bytes.count - sent) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { exit(0) }
            sent += count
        }
    }
}
