#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif
package import Raster

/// An open file of the system, closed when its owner goes.
package struct FileDescriptor: ~Copyable {
    /// The system's number for it.
    package let number: CInt
    /// What people call the file, for messages.
    package let name: String
    private let isOwned: Bool

    /// The open file `number`, closed at the end when `isOwned`.
    package init(_ number: CInt, name: String, isOwned: Bool) {
        self.number = number
        self.name = name
        self.isOwned = isOwned
    }

    /// Opens the file at `path` to be read. Opening a named pipe waits for its writer.
    package init(reading path: String) throws(ImageError) {
        try self.init(opening: path, O_RDONLY, purpose: .reading)
    }

    /// Opens `path`; the file never passes to programs started later.
    init(opening path: String, _ flags: CInt, mode: mode_t = 0o666, purpose: Purpose) throws(ImageError) {
        guard !path.utf8.contains(0) else {
            throw ImageError(.invalidParameter, "a path can't contain a zero byte")
        }
        var number: CInt
        repeat { number = open(path, flags | O_CLOEXEC, mode) } while number < 0 && errno == EINTR
        guard number >= 0 else { throw Self.failure(path, purpose) }
        self.init(number, name: path, isOwned: true)
    }

    deinit {
        if isOwned { close(number) }
    }

    /// What a file was opened for, as messages say it.
    enum Purpose: String {
        case reading = "read"
        case writing = "written"
    }

    /// What the system says in `errno` of the file called `name`.
    static func failure(_ name: String, _ purpose: Purpose, _ code: CInt = errno) -> ImageError {
        ImageError(.inputOutput, "\(name) can't be \(purpose.rawValue): \(String(cString: strerror(code)))")
    }

    /// What the system knows of the file.
    func status(_ purpose: Purpose) throws(ImageError) -> stat {
        var status = stat()
        guard fstat(number, &status) == 0 else { throw Self.failure(name, purpose) }
        return status
    }

    /// Reads the bytes that come next into `buffer`; 0 only at the end.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImageError) -> Int {
        while true {
            #if canImport(Darwin)
            let count = Darwin.read(number, buffer.baseAddress, buffer.count)
            #elseif canImport(Musl)
            let count = Musl.read(number, buffer.baseAddress, buffer.count)
            #else
            let count = Glibc.read(number, buffer.baseAddress, buffer.count)
            #endif
            if count >= 0 { return count }
            try waitOrThrow(.reading)
        }
    }

    /// Writes all of `bytes`, however many calls that takes.
    func write(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
        var rest = bytes
        while let start = rest.baseAddress, rest.count > 0 {
            #if canImport(Darwin)
            let count = Darwin.write(number, start, rest.count)
            #elseif canImport(Musl)
            let count = Musl.write(number, start, rest.count)
            #else
            let count = Glibc.write(number, start, rest.count)
            #endif
            if count >= 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            } else {
                try waitOrThrow(.writing)
            }
        }
    }

    /// Returns when the call that just failed is worth another try.
    private func waitOrThrow(_ purpose: Purpose) throws(ImageError) {
        let code = errno
        if code == EINTR { return }
        guard code == EAGAIN || code == EWOULDBLOCK else { throw Self.failure(name, purpose, code) }
        // Whoever shares the file with us made it non-blocking.
        var wanted = pollfd(fd: number, events: Int16(purpose == .reading ? POLLIN : POLLOUT), revents: 0)
        poll(&wanted, 1, -1)
    }
}
