/// Formats a number of bytes for display.
struct ByteCount: CustomStringConvertible {
    let count: Int

    init(_ count: Int) { self.count = count }

    /// About three significant digits in decimal units: `812 bytes`, `13.0 KB`, `4.21 MB`.
    var description: String {
        guard count >= 1000 else { return "\(count) bytes" }
        var (value, unit) = (Double(count) / 1000, "KB")
        for larger in ["MB", "GB", "TB"] where value >= 999.5 { (value, unit) = (value / 1000, larger) }
        return "\(value.formatted(decimals: value < 10 ? 2 : value < 100 ? 1 : 0)) \(unit)"
    }
}

extension Double {
    /// Formats the number, rounded to `decimals` places.
    func formatted(decimals: Int) -> String {
        var power = 1.0
        for _ in 0..<decimals { power *= 10 }
        guard isFinite, abs(self) * power < 0x1p62 else { return "\(self)" }
        let scaled = Int((self * power).rounded())
        guard decimals > 0 else { return "\(scaled)" }
        let digits = String(scaled.magnitude)
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        return (scaled < 0 ? "-" : "") + padded.dropLast(decimals) + "." + padded.suffix(decimals)
    }
}
