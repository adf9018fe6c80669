#if Server
package import NIOCore

/// Bytes of a response, which all who send them share: what is kept in memory goes out without being copied.
package struct ResponseBytes: Sendable {
    package let buffer: ByteBuffer

    /// Copies `bytes`, once.
    package init(_ bytes: [UInt8]) { buffer = ByteBuffer(bytes: bytes) }

    /// How many there are.
    package var count: Int { buffer.readableBytes }
    /// A copy of them.
    package var array: [UInt8] { Array(buffer.readableBytesView) }
}
#else
/// Bytes of a response, which all who send them share.
package struct ResponseBytes: Sendable {
    /// A copy of them.
    package let array: [UInt8]

    package init(_ bytes: [UInt8]) { array = bytes }

    /// How many there are.
    package var count: Int { array.count }
}
#endif
