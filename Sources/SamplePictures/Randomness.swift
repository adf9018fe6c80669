/// Pseudorandom numbers that depend only on a position and a seed.
///
/// The mixing function is MurmurHash3's 32-bit finaliser: two multiplications, with the same results on every machine.
enum Randomness {
    /// Returns 32 mixed bits for a key.
    @inline(__always)
    static func bits(_ key: UInt32) -> UInt32 {
        var h = key
        h ^= h >> 16
        h = h &* 0x85EB_CA6B
        h ^= h >> 13
        h = h &* 0xC2B2_AE35
        h ^= h >> 16
        return h
    }

    /// Returns 32 mixed bits for a position in a plane.
    @inline(__always)
    static func bits(_ x: Int, _ y: Int, seed: UInt32) -> UInt32 {
        bits(UInt32(truncatingIfNeeded: x) &* 0x9E37_79B1 &+ bits(UInt32(truncatingIfNeeded: y) &+ seed &* 0x2545_F491))
    }

    /// A number from 0 to below 1, from the upper 24 bits.
    @inline(__always)
    static func unit(_ bits: UInt32) -> Float { Float(bits >> 8) * (1 / 16_777_216) }

    /// A bell-shaped number with mean 0 and standard deviation 1, at most 3.5: the sum of four bytes.
    @inline(__always)
    static func bell(_ bits: UInt32) -> Float {
        let pairs = (bits & 0x00FF_00FF) &+ ((bits >> 8) & 0x00FF_00FF)
        let sum = Int32((pairs & 0xFFFF) &+ (pairs >> 16)) - 510
        // The variance of the sum of four uniform bytes is 4 (256² - 1) / 12.
        return Float(sum) * (1 / 147.8)
    }
}

/// A sequence of random numbers from a seed.
struct RandomSequence {
    private var counter: UInt32

    init(seed: UInt32) { counter = Randomness.bits(seed) }

    mutating func next() -> Float {
        counter &+= 0x9E37_79B9
        return Randomness.unit(Randomness.bits(counter))
    }

    /// The next number, -1 to 1.
    mutating func signed() -> Float { next() * 2 - 1 }

    mutating func nextBits() -> UInt32 {
        counter &+= 0x9E37_79B9
        return Randomness.bits(counter)
    }
}
