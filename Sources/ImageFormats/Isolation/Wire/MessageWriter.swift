/// Builds a message: numbers take eight bytes, lowest first, and values of variable length follow their length.
package struct MessageWriter {
    /// The message so far.
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func write(_ value: UInt8) { bytes.append(value) }

    package mutating func write(_ value: Bool) { bytes.append(value ? 1 : 0) }

    package mutating func write(_ value: Int) {
        for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * shift))) }
    }

    package mutating func write(_ value: Double) { write(Int(truncatingIfNeeded: value.bitPattern)) }

    package mutating func write(_ value: [UInt8]) {
        write(value.count)
        bytes.append(contentsOf: value)
    }

    package mutating func write(_ value: String) { write(Array(value.utf8)) }

    /// Writes whether there is a value, and the value.
    package mutating func write<Value>(_ value: Value?, _ body: (inout MessageWriter, Value) -> Void) {
        write(value != nil)
        if let value { body(&self, value) }
    }
}
