internal import CTesseraWorker
internal import Dispatch
package import ImageFormats
package import ImageIsolation
internal import Platform
internal import Raster

/// The worker program: loads what decoding needs, gives up all rights, and answers requests.
package enum DecodingWorker {
    /// Answers requests until the input ends.
    /// - Parameters:
    ///   - library: The library to load beforehand.
    ///   - change: Changes each reply before it is sent; for tests of the other process.
    package static func run(
        _ library: DecodingLibrary, changing change: (Request, [UInt8]) -> [UInt8] = { $1 }
    ) -> Never {
        guard (try? Confinement.holdWorkerBack()) != nil else { exit(Reply.unconfinedStatus) }
        load(library)
        guard let memory = SharedMemory(), (try? Confinement.openNothing()) != nil else {
            exit(Reply.unconfinedStatus)
        }
        tessera_open_nothing()
        let conversation = FileDescriptor(
            WorkerProcess.Files.conversation, name: "the conversation", isOwned: false)
        let session = WorkerSession(memory)
        var processorCount: Int?
        while let message = receive(conversation) {
            guard let request = try? Request(message) else { exit(1) }
            switch request {
            case .end: session.end()
            case .processors(let count): processorCount = max(1, count)
            default:
                let reply = ProcessorShare.$processorCount.withValue(processorCount) { session.answer(request) }
                let answer = MessageFrame.framed(change(request, reply.message))
                // The other process has ended.
                guard (try? answer.withUnsafeBytes({ try conversation.write($0) })) != nil else { exit(0) }
            }
        }
        exit(0)
    }

    /// Loads and initializes everything that needs to open files.
    private static func load(_ library: DecodingLibrary) {
        _ = ImageExecutor.processorCount
        DispatchQueue.concurrentPerform(iterations: 2) { _ in }
        guard let format = library.format, let codec = CodecRegistry.builtIn.codec(for: format) else { return }
        let none: [UInt8] = []
        _ = try? codec.makeDecoder(for: FormatProbe(streamPrefix: none.span.bytes), options: DecodingOptions())
    }

    // MARK: Messages

    private static func receive(_ conversation: borrowing FileDescriptor) -> [UInt8]? {
        guard let head = read(MessageFrame.headByteCount, conversation) else { return nil }
        return read(MessageFrame.byteCount(head: head), conversation)
    }

    private static func read(_ count: Int, _ conversation: borrowing FileDescriptor) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let filled = bytes.withUnsafeMutableBytes { try? conversation.readAll(into: $0) }
        return filled == count ? bytes : nil
    }
}
