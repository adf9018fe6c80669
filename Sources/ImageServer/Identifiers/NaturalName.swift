/// A sort key for names: numbers by value, case-insensitive, extension last.
struct NaturalName: Hashable, Comparable, Sendable {
    /// Bytes in the order of names: a run of digits becomes a "0", the number of significant digits, and those digits.
    private let bytes: [UInt8]

    init(_ name: String) {
        var bytes: [UInt8] = []
        let lower = name.lowercased().utf8
        bytes.reserveCapacity(lower.count + 8)
        let dot = lower.lastIndex(of: UInt8(ascii: ".")) ?? lower.endIndex
        Self.append(lower[..<dot], to: &bytes)
        // Sorts before every letter, so that "a.jpg" comes before "a 2.jpg".
        bytes.append(0)
        bytes += lower[dot...]
        self.bytes = bytes
    }

    private static func append(_ text: Substring.UTF8View, to bytes: inout [UInt8]) {
        var rest = text
        while let byte = rest.first {
            guard isDigit(byte) else {
                bytes.append(byte)
                rest.removeFirst()
                continue
            }
            let digits = rest.prefix(while: isDigit)
            rest = rest.dropFirst(digits.count)
            let value = digits.drop { $0 == UInt8(ascii: "0") }
            // The count fits a byte, as file names have at most 255 bytes.
            bytes += [UInt8(ascii: "0"), UInt8(min(255, value.count))]
            bytes += value
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

    static func < (a: NaturalName, b: NaturalName) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }
}
