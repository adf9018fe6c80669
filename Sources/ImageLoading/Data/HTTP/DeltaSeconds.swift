/// A time span in whole seconds (RFC 9111, section 1.2.2).
enum DeltaSeconds {
    /// As large as any is taken: about a hundred thousand years.
    static let maximum: Int64 = 1 << 41

    /// The span; larger ones than can be are `maximum`. Nil for anything but digits.
    static func parse(_ text: some StringProtocol) -> Int64? {
        guard !text.isEmpty else { return nil }
        var value: Int64 = 0
        for byte in text.utf8 {
            guard (48...57).contains(byte) else { return nil }
            value = min(value * 10 + Int64(byte - 48), maximum)
        }
        return value
    }
}
