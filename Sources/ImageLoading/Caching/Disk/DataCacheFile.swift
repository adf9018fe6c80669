#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif
internal import ImageFormats

/// An entry's file, open. It stays the same file whatever takes its name meanwhile.
struct DataCacheFile: ~Copyable {
    private let descriptor: FileDescriptor
    /// What tells it from the next file of its name, and how long it is.
    let status: DataCacheFileStatus

    /// How many bytes are read before it is known how long the header is.
    private static let headByteCount = 1024

    /// Opens the file at `path`; nil where there is none, or nothing that can be read.
    init?(path: String, name: DataCacheFileName, isWritable: Bool = false) {
        // A pipe of that name must not hold anybody up, and a link lead nowhere.
        let flags = (isWritable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        var number: CInt
        repeat { number = open(path, flags) } while number < 0 && errno == EINTR
        guard number >= 0 else { return nil }
        var status = stat()
        guard fstat(number, &status) == 0, status.isRegularFile else {
            close(number)
            return nil
        }
        descriptor = FileDescriptor(number, name: path, isOwned: true)
        self.status = DataCacheFileStatus(name: name, status)
    }

    /// The header, and the file's first bytes, to the description's end at least.
    func header() throws(DataCacheDamage) -> (header: DataCacheHeader, bytes: [UInt8]) {
        var head = try bytes(0..<min(Self.headByteCount, status.byteCount))
        let header = try DataCacheHeader(head, fileByteCount: status.byteCount)
        if header.payloadOffset > head.count { head += try bytes(head.count..<header.payloadOffset) }
        return (header, head)
    }

    private func bytes(_ range: Range<Int>) throws(DataCacheDamage) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: range.count)
        // The pointer is used within the call only.
        let count = result.withUnsafeMutableBytes { read(into: $0, at: range.lowerBound) }
        guard count == range.count else { throw Self.tooShort(range.lowerBound + count) }
        return result
    }

    /// The cached bytes, checked.
    func payload(_ header: DataCacheHeader) throws(DataCacheDamage) -> Data {
        let count = header.payloadByteCount
        // Read to where they stay: Data would fill its own memory with zeros first.
        guard count > 0 else { return Data() }
        guard let memory = malloc(count) else {
            throw DataCacheDamage(offset: header.payloadOffset, message: "there is no memory for \(count) bytes")
        }
        let buffer = UnsafeMutableRawBufferPointer(start: memory, count: count)
        let read = read(into: buffer, at: header.payloadOffset)
        guard read == count, Checksum.of(UnsafeRawBufferPointer(buffer)) == header.payloadChecksum else {
            free(memory)
            throw read == count ? Self.wrongPayload(header) : Self.tooShort(header.payloadOffset + read)
        }
        return Data(bytesNoCopy: memory, count: count, deallocator: .free)
    }

    /// Checks the cached bytes, a piece at a time.
    func checkPayload(_ header: DataCacheHeader) throws(DataCacheDamage) {
        var (offset, checksum) = (header.payloadOffset, UInt32(0))
        while offset < status.byteCount {
            let piece = try bytes(offset..<min(offset + 1 << 18, status.byteCount))
            checksum = Checksum.of(piece[...], after: checksum)
            offset += piece.count
        }
        guard checksum == header.payloadChecksum else { throw Self.wrongPayload(header) }
    }

    /// Fills `buffer` from the byte at `offset` on; less only where the file ends or can't be read.
    private func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        var filled = 0
        while filled < buffer.count {
            // Within the buffer: filled is less than its count.
            let count = pread(
                descriptor.number, buffer.baseAddress! + filled, buffer.count - filled, off_t(offset + filled))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            filled += count
        }
        return filled
    }

    /// Writes over what is at `offset`, and says whether that went well.
    func write(_ bytes: [UInt8], at offset: Int) -> Bool {
        while true {
            let count = bytes.withUnsafeBytes { pwrite(descriptor.number, $0.baseAddress, $0.count, off_t(offset)) }
            if count >= 0 || errno != EINTR { return count == bytes.count }
        }
    }

    /// Notes that the file was used at `time`.
    ///
    /// The file system may do so by itself, or not, as it was mounted; it is what entries are given up by.
    func setAccessTime(_ time: FileTime) {
        #if canImport(Darwin)
        let unchanged = -2
        #else
        // UTIME_OMIT, a macro that Swift doesn't see.
        let unchanged = (1 << 30) - 2
        #endif
        let times = [
            timespec(tv_sec: time_t(time.seconds), tv_nsec: Int(time.nanoseconds)),
            timespec(tv_sec: 0, tv_nsec: unchanged),
        ]
        futimens(descriptor.number, times)
    }

    private static func tooShort(_ offset: Int) -> DataCacheDamage {
        DataCacheDamage(offset: offset, message: "it can't be read any further")
    }

    private static func wrongPayload(_ header: DataCacheHeader) -> DataCacheDamage {
        DataCacheDamage(offset: header.payloadOffset, message: "the checksum of the cached bytes is wrong")
    }
}
