internal import CTessera

/// The caller's memory.
enum CallerMemory {
    /// Returns a copy of `count` bytes at `pointer`.
    /// - Throws: A failure for NULL with a count above 0, and for more bytes than `limit`.
    static func bytes(
        _ pointer: UnsafeRawPointer?, _ count: Int, limit: Int = .max, name: String
    ) throws(LibraryFailure) -> [UInt8] {
        guard count >= 0 else { throw .invalid("\(name): a count of \(UInt(bitPattern: count)) is too large") }
        guard count > 0 else { return [] }
        guard let pointer else { throw .invalid("\(name) is NULL") }
        guard count <= limit else {
            throw LibraryFailure(
                TESSERA_STATUS_LIMIT_EXCEEDED,
                "\(name) has \(count) bytes; the limit is \(limit) (limits.input_byte_count)")
        }
        // As many bytes as the caller says.
        return Array(UnsafeRawBufferPointer(start: pointer, count: count))
    }
}
