internal import CTesseraSystem

/// What a message is sent in: its length in four bytes, the lowest first, and the message.
package enum MessageFrame {
    /// How many bytes say how long the message is.
    package static let headByteCount = Int(TESSERA_MESSAGE_HEAD)

    /// The message as it is sent.
    package static func framed(_ message: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: message.count, byteCount: headByteCount)
        return bytes + message
    }

    /// How long the message is that these bytes stand before.
    package static func byteCount(head: [UInt8]) -> Int {
        head.indices.reduce(0) { $0 | Int(head[$1]) << (8 * $1) }
    }
}
