#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif
internal import Raster

/// Reading here and there in an open file.
enum PositionedReading {
    /// Up to `count` bytes from `offset` on, fewer where the file ends.
    static func read(_ number: CInt, _ count: Int, at offset: Int, name: String) throws(ImageError) -> [UInt8] {
        guard count > 0, offset >= 0 else { return [] }
        var failure: CInt = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                // Within the buffer: filled is less than its count.
                let read = pread(number, buffer.baseAddress! + filled, count - filled, off_t(offset + filled))
                if read < 0, errno == EINTR { continue }
                if read < 0 { failure = errno }
                guard read > 0 else { return }
                filled += read
            }
        }
        guard failure == 0 else {
            throw ImageError(.inputOutput, "\(name) can't be read: \(String(cString: strerror(failure)))")
        }
        return bytes
    }
}
