/// Names of versions, as `ETag` has them (RFC 9110, section 8.8.3).
package enum EntityTag {
    /// A name for what is fully described by `text`: different texts have different names, as far as 128 bits go.
    package static func named(_ text: String) -> String {
        // FNV-1a (Fowler, Noll, Vo) from two starts, finished as SplitMix64 does.
        var (first, second): (UInt64, UInt64) = (0xCBF2_9CE4_8422_2325, 0x6C62_272E_07BB_0142)
        for byte in text.utf8 {
            first = (first ^ UInt64(byte)) &* 0x100_0000_01B3
            second = (second &+ UInt64(byte)) &* 0x9E37_79B9_7F4A_7C15
            second ^= second >> 29
        }
        return "\"\(hexadecimal(mixed(first)))\(hexadecimal(mixed(second)))\""
    }

    /// Whether a list of names, or `*`, has `tag` among its own. Weak ones count: nothing here is put together of parts.
    package static func list(_ list: String, contains tag: String) -> Bool {
        list.split(separator: ",").contains { item in
            let item = item.drop { $0 == " " || $0 == "\t" }
            let name = (item.hasPrefix("W/") ? item.dropFirst(2) : item).prefix { $0 != " " && $0 != "\t" }
            return name == "*" || name == tag
        }
    }

    private static func mixed(_ value: UInt64) -> UInt64 {
        var value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }

    private static func hexadecimal(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
