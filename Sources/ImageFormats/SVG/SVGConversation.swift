#if SVG
internal import Platform
internal import Raster

/// Lines said to a worker process and heard from it. The process ends with this value.
struct SVGConversation: ~Copyable {
    /// What came of waiting for a line.
    enum Heard: Equatable {
        /// A line, without its end.
        case line(String)
        /// The process ended instead, by this signal or, 0, of its own accord.
        case ended(signal: CInt)
        /// It used up its time.
        case tookTooLong
    }

    private var process: ChildProcess
    private let socket: ConversationSocket
    /// How long to wait for a line, in milliseconds.
    private let patience: Int

    private init(_ process: consuming ChildProcess, _ socket: consuming ConversationSocket, seconds: Int) {
        self.process = process
        self.socket = socket
        patience = seconds.multipliedReportingOverflow(by: 1000).overflow ? .max : seconds * 1000
    }

    /// Starts `path`, which finds the other end of the conversation at 0, `input` at 3 and `output` at 4. It closes
    /// what else it inherits.
    static func start(
        _ path: String, arguments: [String], input: borrowing FileDescriptor, output: borrowing FileDescriptor,
        seconds: Int
    ) throws(ImageError) -> SVGConversation {
        // The document's text needs fonts, and fonts their configuration; nothing else of the environment matters.
        let names = ["HOME", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "XDG_DATA_HOME"]
        let environment = names.compactMap { name in getenv(name).map { "\(name)=\(String(cString: $0))" } }
        do throws(SystemError) {
            var end: CInt = -1
            let socket = try ConversationSocket.makePair(&end)
            let other = FileDescriptor(end, name: path, isOwned: true)
            let process = try ChildProcess(
                path, arguments: arguments, environment: environment,
                files: [(other.number, 0), (input.number, 3), (output.number, 4)], silent: [1, 2])
            return SVGConversation(process, socket, seconds: seconds)
        } catch {
            throw ImageError(.inputOutput, "\(path) can't be started: \(error)")
        }
    }

    /// Says a line.
    func say(_ line: String) {
        // Shorter than what a socket holds, so it is taken at once; a process that is gone shows when it is heard.
        _ = socket.sendAll(Array("\(line)\n".utf8))
    }

    /// Waits for the line that comes next.
    mutating func hear() throws(ImageError) -> Heard {
        var line: [UInt8] = []
        let deadline = MonotonicClock.milliseconds.addingReportingOverflow(patience)
        while line.count < 1024 {
            var byte: UInt8 = 0
            // Used within the call only.
            let arrival = withUnsafeMutableBytes(of: &byte) {
                socket.receive(into: $0, until: deadline.overflow ? .max : deadline.partialValue)
            }
            switch arrival {
            case .nothing: return .tookTooLong
            case .ended: return reap()
            case .bytes: break
            }
            if byte == UInt8(ascii: "\n") { return .line(String(decoding: line, as: UTF8.self)) }
            line.append(byte)
        }
        throw ImageError(.inputOutput, "tessera-svg said something unexpected")
    }

    private mutating func reap() -> Heard {
        guard case .signalled(let signal) = process.wait() else { return .ended(signal: 0) }
        return signal == SIGXCPU || signal == SIGKILL ? .tookTooLong : .ended(signal: signal)
    }
}
#endif
