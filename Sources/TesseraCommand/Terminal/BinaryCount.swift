/// Numbers with a suffix K, M, G or T for 2^10, 2^20, 2^30 and 2^40.
enum BinaryCount {
    /// Parses a number; nil if it is invalid or overflows.
    static func parse(_ text: some StringProtocol) -> Int? {
        let powers: [Character: Int] = ["K": 10, "M": 20, "G": 30, "T": 40]
        guard let last = text.last, let power = powers[Character(last.uppercased())] else { return Int(text) }
        guard let value = Int(text.dropLast()) else { return nil }
        let (product, overflows) = value.multipliedReportingOverflow(by: 1 << power)
        return overflows ? nil : product
    }
}
