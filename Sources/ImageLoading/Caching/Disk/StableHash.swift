/// FNV-1a of 128 bits (Fowler, Noll and Vo, RFC 9923): the same in every run and on every machine.
///
/// It tells files apart, and guards against nobody: who compares what was hashed is never misled by a collision.
package struct StableHash: Hashable {
    package private(set) var high: UInt64 = 0x6C62_272E_07BB_0142
    package private(set) var low: UInt64 = 0x62B8_2175_6295_C58D

    /// The hash of `bytes`.
    package init(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            // Times 2⁸⁸ + 0x13B, in two halves, since a whole of 128 bits isn't on every system yet.
            let product = (low ^ UInt64(byte)).multipliedFullWidth(by: 0x13B)
            high = high &* 0x13B &+ product.high &+ ((low ^ UInt64(byte)) << 24)
            low = product.low
        }
    }
}
