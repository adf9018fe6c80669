internal import CTesseraSystem

/// An open file, closed when its owner is destroyed.
package struct FileDescriptor: ~Copyable {
    /// The descriptor's number.
    package let number: CInt
    /// The file's name in error messages.
    package let name: String
    private let isOwned: Bool

    /// Wraps the open file `number`, which is closed at the end when `isOwned`.
    package init(_ number: CInt, name: String, isOwned: Bool) {
        self.number = number
        self.name = name
        self.isOwned = isOwned
    }

    /// Opens `path`; programs started later don't inherit the descriptor.
    package init(opening path: String, _ flags: CInt, mode: UInt32 = 0o666, purpose: Purpose) throws(ImageError) {
        guard !path.utf8.contains(0) else {
            throw ImageError(.invalidParameter, "a path can't contain a zero byte")
        }
        let number = SystemCall.open(path, flags, mode: mode)
        guard number >= 0 else { throw Self.failure(path, purpose) }
        self.init(number, name: path, isOwned: true)
    }

    deinit {
        if isOwned { close(number) }
    }

    /// Locks the open file `number`; false, with the reason in `errno`, if another process holds the lock.
    ///
    /// Retries for two seconds: a process being started holds copies of all descriptors until its program runs, and with
    /// them the locks of files that are already closed here.
    package static func lock(_ number: CInt) -> Bool {
        for _ in 0..<100 {
            if flock(number, LOCK_EX | LOCK_NB) == 0 { return true }
            guard errno == EWOULDBLOCK || errno == EINTR else { return false }
            usleep(20_000)
        }
        return flock(number, LOCK_EX | LOCK_NB) == 0
    }

    /// The purpose of opening a file, in the words of error messages.
    package enum Purpose: String {
        case reading = "read"
        case writing = "written"
    }

    /// The error in `errno`, for the file called `name`.
    package static func failure(_ name: String, _ purpose: Purpose, _ code: CInt = errno) -> ImageError {
        ImageError(.inputOutput, "\(name) can't be \(purpose.rawValue): \(String(cString: strerror(code)))")
    }

    /// The file's status.
    package func status(_ purpose: Purpose) throws(ImageError) -> FileStatus {
        guard let status = FileStatus(number) else { throw Self.failure(name, purpose) }
        return status
    }

    /// Reads the next bytes into `buffer`; returns 0 only at the end.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImageError) -> Int {
        while true {
            let count = SystemCall.read(number, into: buffer)
            if count >= 0 { return count }
            try waitOrThrow(.reading)
        }
    }

    /// Fills `buffer` from `offset` on, without moving the file's position; reads less only where the file ends.
    ///
    /// Safe to call from several threads at once.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(ImageError) -> Int {
        var filled = 0
        while let base = buffer.baseAddress, filled < buffer.count {
            // Within the buffer: filled is less than its count.
            let count = pread(number, base + filled, buffer.count - filled, off_t(offset + filled))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.failure(name, .reading) }
            guard count > 0 else { break }
            filled += count
        }
        return filled
    }

    /// Reads the next bytes until `buffer` is full, in as many calls as that takes.
    /// - Returns: The number of bytes read; less than `buffer` holds only at the end.
    package func readAll(into buffer: UnsafeMutableRawBufferPointer) throws(ImageError) -> Int {
        var filled = 0
        while filled < buffer.count {
            let count = try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
            guard count > 0 else { break }
            filled += count
        }
        return filled
    }

    /// Up to `count` bytes from `offset` on, without moving the file's position; fewer where the file ends.
    package func bytes(_ count: Int, at offset: Int) throws(ImageError) -> [UInt8] {
        guard count > 0, offset >= 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: count)
        var target = bytes.mutableSpan
        let filled = try target.withUnsafeMutableBytes { (buffer) throws(ImageError) in
            try read(into: buffer, at: offset)
        }
        if filled < count { bytes.removeLast(count - filled) }
        return bytes
    }

    /// Writes all of `bytes`, in as many calls as that takes.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = SystemCall.write(number, rest)
            if count >= 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            } else {
                try waitOrThrow(.writing)
            }
        }
    }

    /// Writes all of `bytes` from `offset` on, without moving the file's position, in as many calls as that takes. Several
    /// threads may write different ranges at once.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(ImageError) {
        var done = 0
        while let base = bytes.baseAddress, done < bytes.count {
            // Within the buffer: done is less than its count.
            let count = pwrite(number, base + done, bytes.count - done, off_t(offset + done))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure(name, .writing) }
            done += count
        }
    }

    /// Waits until everything written to `range`, or to more of the file, is on the disk: the system can then reuse the
    /// memory that held it.
    package func writeBack(_ range: Range<Int>) throws(ImageError) {
        guard tessera_write_back(number, Int64(range.lowerBound), Int64(range.count)) == 0 else {
            throw Self.failure(name, .writing)
        }
    }

    /// Returns if the call that just failed should be repeated.
    private func waitOrThrow(_ purpose: Purpose) throws(ImageError) {
        let code = errno
        guard code == EAGAIN || code == EWOULDBLOCK else { throw Self.failure(name, purpose, code) }
        // Another process that shares the open file made it non-blocking.
        var wanted = pollfd(fd: number, events: Int16(purpose == .reading ? POLLIN : POLLOUT), revents: 0)
        poll(&wanted, 1, -1)
    }
}
