/// What an entry's file is called: a hash of its group, by which it also finds its folder, and one of its variant.
///
/// The name says where to look. What is found says for itself what it is.
struct DataCacheFileName: Hashable {
    let groupHigh: UInt64
    let groupLow: UInt64
    let variant: UInt64

    /// The name of `key`'s file.
    init(_ key: DataCacheKey) {
        let group = StableHash(key.group.utf8)
        let variant = StableHash(key.variant)
        groupHigh = group.high
        groupLow = group.low
        self.variant = variant.high ^ variant.low
    }

    /// The name that these bytes spell; nil where they are no name of an entry's file.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == 49, bytes[32] == UInt8(ascii: "-"), let high = Self.number(bytes[..<16]),
            let low = Self.number(bytes[16..<32]), let variant = Self.number(bytes[33...])
        else { return nil }
        groupHigh = high
        groupLow = low
        self.variant = variant
    }

    /// Which of the 256 folders it is in: of the hash the byte in which similar names differ most.
    var folder: UInt8 { UInt8(truncatingIfNeeded: groupLow) }

    /// The name as text.
    var text: String { Self.digits(groupHigh) + Self.digits(groupLow) + "-" + Self.digits(variant) }

    /// The name of one of the 256 folders.
    static func folderName(_ folder: UInt8) -> String { (folder < 16 ? "0" : "") + String(folder, radix: 16) }

    /// Whether these bytes are the name of one of the 256 folders.
    static func isFolderName(_ bytes: [UInt8]) -> Bool { bytes.count == 2 && number(bytes[...]) != nil }

    private static func digits(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return number
    }
}
