internal import CTessera
internal import Platform

/// Reads and writes the caller's structures, whose size may be that of another version of the interface.
enum CallerStructure {
    /// The largest size that is believed.
    private static let maximumByteCount = 1 << 16

    /// Returns the structure at `pointer`; all zeros for NULL.
    /// - Throws: A failure for a size that is too small or too large, and for members that this version doesn't have
    ///   and that aren't zero.
    static func read<T: SizedStructure>(_ pointer: UnsafePointer<T>?, name: String) throws(LibraryFailure) -> T {
        guard let pointer else { return T() }
        let byteCount = try checkedSize(UnsafeRawPointer(pointer), as: T.self, name: name)
        var result = T()
        withUnsafeMutableBytes(of: &result) { target in
            // The caller's structure has at least these bytes, as it says itself.
            target.copyMemory(
                from: UnsafeRawBufferPointer(start: pointer, count: MemoryLayout<T>.size))
        }
        let unknown = UnsafeRawBufferPointer(start: pointer, count: byteCount)[MemoryLayout<T>.size...]
        guard unknown.allSatisfy({ $0 == 0 }) else {
            throw LibraryFailure(
                TESSERA_STATUS_UNSUPPORTED, "\(name) has options that this version of the library doesn't have")
        }
        return result
    }

    /// Returns the structure at `pointer`, which is required.
    /// - Throws: A failure for NULL, otherwise as `read(_:name:)`.
    static func readRequired<T: SizedStructure>(
        _ pointer: UnsafePointer<T>?, name: String
    ) throws(LibraryFailure) -> T {
        guard pointer != nil else { throw .invalid("\(name) is NULL") }
        return try read(pointer, name: name)
    }

    /// Writes `value` to the caller's structure, whose size stays; members that only the caller has become zero.
    /// - Throws: A failure for NULL and for a wrong size.
    static func write<T: SizedStructure>(
        _ value: T, to pointer: UnsafeMutablePointer<T>?, name: String
    ) throws(LibraryFailure) {
        guard let pointer else { throw .invalid("\(name) is NULL") }
        let byteCount = try checkedSize(UnsafeRawPointer(pointer), as: T.self, name: name)
        var value = value
        value.size = byteCount
        // The caller's structure has as many bytes as it says itself.
        let target = UnsafeMutableRawBufferPointer(start: pointer, count: byteCount)
        withUnsafeBytes(of: value) { target.copyMemory(from: $0) }
        for index in MemoryLayout<T>.size..<byteCount { target[index] = 0 }
    }

    /// Checks the size of a structure to be written later. NULL is valid.
    static func checkSize<T: SizedStructure>(_ pointer: UnsafeMutablePointer<T>?) throws(LibraryFailure) {
        guard let pointer else { return }
        _ = try checkedSize(UnsafeRawPointer(pointer), as: T.self, name: "error")
    }

    private static func checkedSize<T>(
        _ pointer: UnsafeRawPointer, as type: T.Type, name: String
    ) throws(LibraryFailure) -> Int {
        // Every structure begins with its size.
        let byteCount = pointer.loadUnaligned(as: Int.self)
        guard MemoryLayout<T>.size...maximumByteCount ~= byteCount else {
            throw .invalid(
                "\(name) has a size of \(byteCount) bytes, and \(MemoryLayout<T>.size) are expected: set size to sizeof"
            )
        }
        return byteCount
    }

    /// Copies `text` to a member of the type char[], with a zero byte at its end; shortened to whole characters.
    static func store<Field>(_ text: String, in field: inout Field) {
        withUnsafeMutableBytes(of: &field) { target in
            var end = 0
            for scalar in text.unicodeScalars {
                let bytes = UTF8.encode(scalar)!
                guard end + bytes.count < target.count else { break }
                for byte in bytes {
                    target[end] = byte
                    end += 1
                }
            }
            for index in end..<target.count { target[index] = 0 }
        }
    }
}
