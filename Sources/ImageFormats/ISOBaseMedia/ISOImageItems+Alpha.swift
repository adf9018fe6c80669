// The auxiliary images that are masks (ISO/IEC 23008-12, 6.5.8).
extension ISOImageItems {
    /// The type of an auxiliary image that is a mask, of any coding.
    static let alphaType = "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha"

    /// The same, and the older types for HEVC and AVC (ISO/IEC 23008-12:2017, annexes B and E).
    private static let alphaTypes: Set<String> = [
        alphaType, "urn:mpeg:hevc:2015:auxid:1", "urn:mpeg:avc:2015:auxid:1",
    ]

    /// The item in `file` that is the mask of another one; nil if it has none.
    func mask(of identifier: Int, in file: [UInt8]) -> Int? {
        auxiliaries[identifier]?.first { auxiliary in
            properties(of: auxiliary).contains { property in
                guard property.type == "auxC" else { return false }
                // A version and flags, and text that ends with a zero.
                let text = file[property.contents].dropFirst(4).prefix { $0 != 0 }
                return Self.alphaTypes.contains(String(decoding: text, as: UTF8.self))
            }
        }
    }
}
