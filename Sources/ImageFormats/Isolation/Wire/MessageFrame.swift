internal import CTesseraSystem

/// The framing of messages: a length in four bytes, lowest first, followed by the message.
package enum MessageFrame {
    /// The size of the length field in bytes.
    package static let headByteCount = Int(TESSERA_MESSAGE_HEAD)

    /// The message preceded by its length.
    package static func framed(_ message: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: message.count, byteCount: headByteCount)
        return bytes + message
    }

    /// The length of the message that follows these bytes.
    package static func byteCount(head: [UInt8]) -> Int {
        head.indices.reduce(0) { $0 | Int(head[$1]) << (8 * $1) }
    }
}
