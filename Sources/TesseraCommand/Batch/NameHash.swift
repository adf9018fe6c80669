/// A hash of a name, 128 bits long and the same on every machine: FNV-1a of 64 bits, and a second one
/// with other constants.
///
/// Made once for every input of a list, so it must be quick. An author of a list who finds two names with one hash can have
/// it refused, no more.
struct NameHash: Hashable {
    private(set) var first: UInt64 = 0xCBF2_9CE4_8422_2325
    private(set) var second: UInt64 = 0x9AE1_6A3B_2F90_404F

    /// The hash of an empty name.
    init() {}

    init(_ name: String) {
        var name = name
        name.withUTF8 { bytes in
            for byte in bytes { add(byte) }
        }
    }

    /// Appends a byte to the name.
    mutating func add(_ byte: UInt8) {
        first = (first ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
        second = (second ^ UInt64(byte)) &* 0xC6A4_A793_5BD1_E995
        second ^= second >> 47
    }

    /// A number below `count`, each about as often.
    func remainder(_ count: Int) -> Int {
        // The low bits of a product depend on the low bits of its factors only.
        let mixed = (first ^ second ^ (first >> 32)) &* 0x9E37_79B9_7F4A_7C15
        return Int((mixed >> 32) % UInt64(count))
    }
}
