internal import Tessera

extension ColorProfile {
    /// What people call it: an ICC profile by its own description.
    var name: String {
        switch self {
        case .sRGB: "sRGB"
        case .icc(let bytes): "ICC" + (Self.description(of: bytes).map { " \"\($0)\"" } ?? "")
        case .calibrated(let gamma, let chromaticities):
            "gamma \(gamma.formatted(decimals: 5))" + (chromaticities == nil ? "" : " with chromaticities")
        }
    }

    /// The text of an ICC profile's tag 'desc': ICC.1:2001, 6.5.17 in version 2; ICC.1:2022, 10.15 in version 4.
    private static func description(of profile: [UInt8]) -> String? {
        func integer(at offset: Int) -> Int? {
            guard offset >= 0, offset <= profile.count - 4 else { return nil }
            return profile[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
        }
        func bytes(at offset: Int, count: Int) -> ArraySlice<UInt8>? {
            guard offset >= 0, count >= 0, offset <= profile.count, count <= profile.count - offset else { return nil }
            return profile[offset..<offset + count]
        }
        guard let count = integer(at: 128), count <= 1000 else { return nil }
        for index in 0..<count where integer(at: 132 + 12 * index) == 0x6465_7363 {
            guard let offset = integer(at: 136 + 12 * index) else { return nil }
            switch integer(at: offset) {
            case 0x6465_7363:
                guard let length = integer(at: offset + 8), let text = bytes(at: offset + 12, count: length) else {
                    return nil
                }
                return readable(String(decoding: text.prefix { $0 != 0 }, as: UTF8.self))
            case 0x6D6C_7563:
                // The first language there is.
                guard let length = integer(at: offset + 20), let start = integer(at: offset + 24),
                    let text = bytes(at: offset + start, count: length)
                else { return nil }
                let units = stride(from: text.startIndex, to: text.endIndex - 1, by: 2).map {
                    UInt16(text[$0]) << 8 | UInt16(text[$0 + 1])
                }
                return readable(String(decoding: units, as: UTF16.self))
            default: return nil
            }
        }
        return nil
    }

    /// The text without what a terminal would act on; nil when nothing is left.
    private static func readable(_ text: String) -> String? {
        let scalars = text.unicodeScalars.filter { $0.properties.generalCategory != .control }
        return scalars.isEmpty ? nil : String(String.UnicodeScalarView(scalars))
    }
}
