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

    private let process: pid_t
    private let socket: FileDescriptor
    /// How long to wait for a line.
    private let seconds: Int
    private var isReaped = false

    /// Starts `path`, which finds the other end of the conversation at 0, `input` at 3 and `output` at 4. It closes
    /// what else it inherits.
    init(
        _ path: String, arguments: [String], input: borrowing FileDescriptor, output: borrowing FileDescriptor,
        seconds: Int
    ) throws(ImageError) {
        var ends: [CInt] = [-1, -1]
        #if os(Linux)
        let kind = CInt(SOCK_STREAM.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw FileDescriptor.failure(path, .reading) }
        let socket = FileDescriptor(ends[0], name: path, isOwned: true)
        let other = FileDescriptor(ends[1], name: path, isOwned: true)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // From numbers that aren't among the targets.
        let away = [other.number, input.number, output.number].map { fcntl($0, F_DUPFD_CLOEXEC, 10) }
        defer { for number in away where number >= 0 { close(number) } }
        guard away.allSatisfy({ $0 >= 0 }) else { throw FileDescriptor.failure(path, .reading) }
        for (from, to) in zip(away, [CInt(0), 3, 4]) { posix_spawn_file_actions_adddup2(&actions, from, to) }
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)

        var process: pid_t = 0
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        // The document's text needs fonts, and fonts their configuration; nothing else of the environment matters.
        let names = ["HOME", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "XDG_DATA_HOME"]
        let entries = names.compactMap { name in getenv(name).map { "\(name)=\(String(cString: $0))" } }
        var environment: [UnsafeMutablePointer<CChar>?] = entries.map { strdup($0) } + [nil]
        defer { for entry in environment { free(entry) } }
        let status = posix_spawn(&process, path, &actions, nil, &words, &environment)
        guard status == 0 else {
            throw ImageError(.inputOutput, "\(path) can't be started: \(String(cString: strerror(status)))")
        }
        self.process = process
        self.socket = socket
        self.seconds = seconds
    }

    deinit {
        guard !isReaped else { return }
        kill(process, SIGKILL)
        while waitpid(process, nil, 0) < 0, errno == EINTR {}
    }

    /// Says a line.
    func say(_ line: String) throws(ImageError) {
        let bytes = Array("\(line)\n".utf8)
        // Shorter than what a socket holds, so it is taken at once; a process that is gone shows when it is heard.
        _ = bytes.withUnsafeBytes { send(socket.number, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
    }

    /// Waits for the line that comes next.
    mutating func hear() throws(ImageError) -> Heard {
        var line: [UInt8] = []
        var left = CInt(clamping: seconds * 1000)
        while line.count < 1024 {
            var files = pollfd(fd: socket.number, events: Int16(POLLIN), revents: 0)
            let start = Self.milliseconds
            let ready = poll(&files, 1, left)
            left = max(0, left - CInt(clamping: Self.milliseconds - start))
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { return .tookTooLong }
            var byte: UInt8 = 0
            let count = recv(socket.number, &byte, 1, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return reap() }
            if byte == UInt8(ascii: "\n") { return .line(String(decoding: line, as: UTF8.self)) }
            line.append(byte)
        }
        throw ImageError(.inputOutput, "tessera-svg said something unexpected")
    }

    private mutating func reap() -> Heard {
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        isReaped = true
        let signal = status & 0x7F
        return signal == SIGXCPU || signal == SIGKILL ? .tookTooLong : .ended(signal: signal)
    }

    private static var milliseconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }
}
#endif
