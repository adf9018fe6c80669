internal import Raster

/// Parses a message from an untrusted process. Invalid values are rejected with `failure`.
package struct MessageReader {
    private let bytes: [UInt8]
    private var position = 0

    /// A reader of all of `bytes`.
    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Whether all bytes have been read.
    package var isAtEnd: Bool { position == bytes.count }

    /// The error for an invalid message.
    package static var failure: ImageError {
        ImageError(.workerFailed, "decoder process sent an invalid reply")
    }

    /// Throws `failure` unless `condition` holds.
    package static func require(_ condition: Bool) throws(ImageError) {
        guard condition else { throw failure }
    }

    package mutating func byte() throws(ImageError) -> UInt8 {
        guard position < bytes.count else { throw Self.failure }
        defer { position += 1 }
        return bytes[position]
    }

    package mutating func bool() throws(ImageError) -> Bool {
        let value = try byte()
        try Self.require(value <= 1)
        return value == 1
    }

    package mutating func int() throws(ImageError) -> Int {
        guard bytes.count - position >= 8 else { throw Self.failure }
        var value: UInt64 = 0
        for index in 0..<8 { value |= UInt64(bytes[position + index]) << (8 * UInt64(index)) }
        position += 8
        return Int(truncatingIfNeeded: value)
    }

    /// Reads a number within `range`.
    package mutating func int(in range: ClosedRange<Int>) throws(ImageError) -> Int {
        let value = try int()
        try Self.require(range.contains(value))
        return value
    }

    package mutating func double() throws(ImageError) -> Double {
        Double(bitPattern: UInt64(truncatingIfNeeded: try int()))
    }

    /// Reads a number within `range`; NaN is rejected.
    package mutating func double(in range: ClosedRange<Double>) throws(ImageError) -> Double {
        let value = try double()
        try Self.require(range.contains(value))
        return value
    }

    /// Reads at most `limit` bytes.
    package mutating func array(limit: Int) throws(ImageError) -> [UInt8] {
        let count = try int()
        guard count >= 0, count <= limit, count <= bytes.count - position else { throw Self.failure }
        defer { position += count }
        return Array(bytes[position..<(position + count)])
    }

    /// Reads at most `limit` bytes of UTF-8 text. Bytes that aren't UTF-8 become longer text, to which the limit applies too.
    package mutating func string(limit: Int) throws(ImageError) -> String {
        let text = String(decoding: try array(limit: limit), as: UTF8.self)
        try Self.require(text.utf8.count <= limit)
        return text
    }

    /// Reads an optional value.
    package mutating func optional<Value>(
        _ body: (inout MessageReader) throws(ImageError) -> Value
    ) throws(ImageError) -> Value? {
        guard try bool() else { return nil }
        return try body(&self)
    }
}
