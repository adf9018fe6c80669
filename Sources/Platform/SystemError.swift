/// A call of the system that failed, by the code that it gave.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The code, as `errno` has it.
    package let code: CInt

    /// The failure of this code.
    package init(_ code: CInt) { self.code = code }

    /// That of the call made last on this thread.
    package static var last: SystemError { SystemError(errno) }

    /// Whether the system has no such call, or can't do what was asked here.
    package var isLacking: Bool { code == ENOSYS || code == ENOTSUP || code == EOPNOTSUPP }

    /// What the system says of it: "No space left on device".
    package var description: String { String(cString: strerror(code)) }
}
