/// One end of a local two-way stream between processes. Closed with this value.
package struct ConversationSocket: ~Copyable {
    /// The result of waiting.
    package enum Arrival: Sendable {
        /// The number of bytes received.
        case bytes(Int)
        /// Timed out.
        case nothing
        /// The other end is closed, or the socket failed.
        case ended
    }

    /// The descriptor's number.
    package let number: CInt

    #if canImport(Darwin)
    // On Darwin an option set below does this.
    private static let withoutSignal: CInt = 0
    #else
    private static let withoutSignal = CInt(MSG_NOSIGNAL)
    #endif

    /// Takes ownership of the open socket `number`.
    package init(_ number: CInt) {
        self.number = number
        #if canImport(Darwin)
        var isOn: CInt = 1
        setsockopt(number, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<CInt>.size))
        #endif
    }

    /// Creates a connected pair, which programs started later don't inherit: this process's end, and the descriptor of the
    /// other, which the caller closes.
    package static func makePair(_ other: inout CInt) throws(SystemError) -> ConversationSocket {
        var ends: [CInt] = [-1, -1]
        guard socketpair(AF_UNIX, SocketOptions.stream | SocketOptions.uninherited, 0, &ends) == 0 else { throw .last }
        if SocketOptions.uninherited == 0 { for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) } }
        other = ends[1]
        return ConversationSocket(ends[0])
    }

    deinit { close(number) }

    /// Sends some of `bytes` and returns how many; below 1 if the other end is closed. Raises no signal.
    package borrowing func send(_ bytes: UnsafeRawBufferPointer) -> Int {
        while true {
            let count = systemSend(number, bytes, Self.withoutSignal)
            if count >= 0 || errno != EINTR { return count }
        }
    }

    /// Sends all of `bytes`; false if the other end is closed.
    package borrowing func sendAll(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = send(rest)
                guard count > 0 else { return false }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            }
            return true
        }
    }

    /// Whether the stream is open and no bytes are waiting.
    package var isQuiet: Bool {
        var files = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        return poll(&files, 1, 0) == 0
    }

    /// Waits until `deadline`, in milliseconds of `MonotonicClock`, for bytes, and reads them.
    package borrowing func receive(into buffer: UnsafeMutableRawBufferPointer, until deadline: Int) -> Arrival {
        while true {
            var files = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
            let ready = poll(&files, 1, CInt(clamping: max(0, deadline - MonotonicClock.milliseconds)))
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { return .nothing }
            let count = recv(number, buffer.baseAddress, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            return count > 0 ? .bytes(count) : .ended
        }
    }
}

// Outside the type, whose member of that name would be called instead.
private func systemSend(_ number: CInt, _ bytes: UnsafeRawBufferPointer, _ flags: CInt) -> Int {
    send(number, bytes.baseAddress, bytes.count, flags)
}
