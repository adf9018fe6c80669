package import ImageLoading

extension PercentEncoding {
    /// The text of a part of an address, decoded once.
    /// - Throws: 400 for a `%` without two hexadecimal digits, a zero byte, and what isn't UTF-8, overlong forms and
    ///   surrogates among it.
    package static func text(_ part: Substring.UTF8View) throws(RequestFailure) -> String {
        guard let bytes = decoded(part) else {
            throw .malformed("a % in the address isn't followed by two hexadecimal digits")
        }
        guard !bytes.contains(0) else { throw .malformed("the address has a zero byte in it") }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .malformed("the address isn't in UTF-8")
        }
        return text
    }
}
