/// Sockets that wait for connections: those with a path, and those that a process was started with.
package enum ListeningSocket {
    /// The longest path, in bytes: the room in `sockaddr_un`, less a zero byte and the end of a temporary name.
    private static let pathByteCount = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 9

    /// Listens at `path`, which appears when the socket is ready, with these permissions. A socket that nobody listens at
    /// any longer is replaced.
    /// - Returns: The descriptor, which the caller closes.
    /// - Throws: `ImageError`: `inputOutput` for a path where another process listens, for a file that isn't a socket, and
    ///   where the system refuses; `invalidParameter` for a path that is too long.
    package static func open(path: String, permissions: UInt32) throws(ImageError) -> CInt {
        guard !path.isEmpty, path.utf8.count <= pathByteCount, !path.utf8.contains(0) else {
            throw ImageError(
                .invalidParameter, "the socket's path has \(path.utf8.count) bytes: it must have 1 to \(pathByteCount)")
        }
        if FileStatus(path: path, followsLinks: false) != nil {
            guard isSocket(path) else {
                throw ImageError(.inputOutput, "\(path) exists and isn't a socket: remove it, or choose another path")
            }
            guard !isAnswered(path) else {
                throw ImageError(.inputOutput, "another program listens at \(path): end it, or choose another path")
            }
        }
        let number = socket(AF_UNIX, SocketOptions.stream | SocketOptions.uninherited, 0)
        guard number >= 0 else { throw failure(path) }
        if SocketOptions.uninherited == 0 { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
        // Its final name appears with its permissions, and replaces a dead socket in one step.
        let temporary = "\(path).\(String(UInt32(truncatingIfNeeded: getpid()), radix: 36))"
        unlink(temporary)
        guard with(temporary, { bind(number, $0, $1) }) == 0, chmod(temporary, mode_t(permissions)) == 0,
            listen(number, 1024) == 0, SystemCall.rename(temporary, to: path) == 0
        else {
            let error = failure(path)
            unlink(temporary)
            close(number)
            throw error
        }
        return number
    }

    private static func failure(_ path: String) -> ImageError {
        ImageError(.inputOutput, "\(path) can't be listened at: \(SystemError.last)")
    }

    private static func isSocket(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }

    /// Whether a process accepts connections at `path`.
    private static func isAnswered(_ path: String) -> Bool {
        let number = socket(AF_UNIX, SocketOptions.stream | SocketOptions.uninherited, 0)
        guard number >= 0 else { return false }
        defer { close(number) }
        // A listener whose queue is full lives too. Without the right to ask, the system decides whether it may be replaced.
        return with(path) { connect(number, $0, $1) } == 0 || errno == EAGAIN
    }

    /// Calls `body` with the address of `path`, which isn't too long.
    private static func with(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) {
            // The system reads as much of it as the length says.
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    // MARK: Sockets from the process's parent

    /// The sockets that systemd has opened for this process (`sd_listen_fds(3)`); empty if there are none.
    /// - Throws: `ImageError`: `invalidParameter` for a descriptor that isn't a stream socket that listens.
    package static func inherited(_ environment: [String: String]) throws(ImageError) -> [CInt] {
        guard environment["LISTEN_PID"].flatMap({ Int32($0) }) == getpid(),
            let count = environment["LISTEN_FDS"].flatMap({ CInt($0) }), (1...1024).contains(count)
        else { return [] }
        let numbers = Array(3..<3 + count)
        for number in numbers {
            guard option(number, SO_ACCEPTCONN) == 1, option(number, SO_TYPE) == SocketOptions.stream else {
                throw ImageError(
                    .invalidParameter,
                    "descriptor \(number) of LISTEN_FDS isn't a listening stream socket: write ListenStream= in the unit, and Accept=no"
                )
            }
            _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        }
        return numbers
    }

    private static func option(_ number: CInt, _ name: CInt) -> CInt? {
        var value: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        return getsockopt(number, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
    }

    /// The numeric address that a socket is bound to; nil for one without, such as a Unix socket.
    package static func address(of number: CInt) -> String? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let isNamed = withUnsafeMutablePointer(to: &storage) {
            // The system writes an address of its family, which the storage is large enough for.
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                getsockname(number, address, &length) == 0
                    && [AF_INET, AF_INET6].contains(CInt(address.pointee.sa_family))
                    && getnameinfo(address, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
            }
        }
        return isNamed ? String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }
}
