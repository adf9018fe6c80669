/// One end of a conversation with a process on this machine: bytes in their order, both ways. Closed with this value.
package struct ConversationSocket: ~Copyable {
    /// What came of waiting.
    package enum Arrival: Sendable {
        /// So many bytes.
        case bytes(Int)
        /// Nothing in time.
        case nothing
        /// The other side has closed its end, or the socket fails.
        case ended
    }

    /// The system's number for it.
    package let number: CInt

    #if canImport(Darwin)
    // Darwin's sockets are told once, below.
    private static let withoutSignal: CInt = 0
    #else
    private static let withoutSignal = CInt(MSG_NOSIGNAL)
    #endif

    /// Takes over the open socket `number`.
    package init(_ number: CInt) {
        self.number = number
        #if canImport(Darwin)
        var isOn: CInt = 1
        setsockopt(number, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<CInt>.size))
        #endif
    }

    /// Both ends of a new conversation, which programs started later don't inherit: this process's, and the number of the
    /// other, which is the caller's to close.
    package static func makePair(_ other: inout CInt) throws(SystemError) -> ConversationSocket {
        var ends: [CInt] = [-1, -1]
        guard socketpair(AF_UNIX, SocketOptions.stream | SocketOptions.uninherited, 0, &ends) == 0 else { throw .last }
        if SocketOptions.uninherited == 0 { for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) } }
        other = ends[1]
        return ConversationSocket(ends[0])
    }

    deinit { close(number) }

    /// Says some of `bytes`, and how many; below 1 where nobody hears. No signal comes of that.
    package borrowing func send(_ bytes: UnsafeRawBufferPointer) -> Int {
        while true {
            let count = systemSend(number, bytes, Self.withoutSignal)
            if count >= 0 || errno != EINTR { return count }
        }
    }

    /// Says all of `bytes`; false where nobody hears.
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

    /// Whether there is neither anything to be heard nor an end.
    package var isQuiet: Bool {
        var files = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        return poll(&files, 1, 0) == 0
    }

    /// Waits until `deadline`, in milliseconds of `MonotonicClock`, for bytes to come, and takes them.
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

// Outside of the type, whose member would be meant.
private func systemSend(_ number: CInt, _ bytes: UnsafeRawBufferPointer, _ flags: CInt) -> Int {
    send(number, bytes.baseAddress, bytes.count, flags)
}
