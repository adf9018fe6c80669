internal import CTesseraSystem

/// An extended attribute of files: bytes beside a file's content that move with it when it is renamed.
///
/// Linux and Darwin have them, though not on every file system; POSIX hasn't. Errors are `SystemError`s; `isLacking` is
/// true of those that say so.
package struct FileAttribute: Hashable, Sendable {
    /// The name, which on Linux begins with the namespace `user.`.
    package let name: String

    /// The attribute of this name.
    package init(_ name: String) { self.name = name }

    /// Sets the attribute of the open file `number`, replacing its value.
    package func set(_ value: [UInt8], on number: CInt) throws(SystemError) {
        guard tessera_attribute_set(number, name, value, value.count) == 0 else { throw SystemError.last }
    }

    /// The attribute's value for the file at `path`, links followed; nil if the file has no such attribute.
    ///
    /// Throws `ERANGE` if the value has more than `maximumByteCount` bytes, and `ENOENT` if there is no file.
    package func value(at path: String, maximumByteCount: Int) throws(SystemError) -> [UInt8]? {
        var error: SystemError?
        let value = [UInt8](unsafeUninitializedCapacity: maximumByteCount) { buffer, count in
            let length = tessera_attribute_get(path.native, name, buffer.baseAddress, buffer.count)
            if length < 0 { error = SystemError.last }
            count = max(0, length)
        }
        guard let error else { return value }
        guard error.code == ENODATA else { throw error }
        return nil
    }
}
