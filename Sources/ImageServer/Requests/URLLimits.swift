/// How long the parts of an address may be, in bytes as they are sent.
package enum URLLimits {
    /// The path.
    package static let pathByteCount = 4096
    /// The query, without its question mark.
    package static let queryByteCount = 8192
}
