/// A failed system call's error code.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The code, as `errno` has it.
    package let code: CInt

    /// The error of this code.
    package init(_ code: CInt) { self.code = code }

    /// The error of this thread's last call.
    package static var last: SystemError { SystemError(errno) }

    /// Whether the system lacks the call, or what was asked of it here.
    package var isLacking: Bool { code == ENOSYS || code == ENOTSUP || code == EOPNOTSUPP }

    /// The system's description: "No space left on device".
    package var description: String { String(cString: strerror(code)) }
}
