extension Duration {
    /// Billionths of a second, cut off; as far as 146 years.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        guard abs(seconds) < 1 << 32 else { return seconds < 0 ? -(1 << 62) : 1 << 62 }
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
