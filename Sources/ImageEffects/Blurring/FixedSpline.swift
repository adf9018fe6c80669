/// The cubic B-spline's weights as whole numbers with 15 bits after the point, for each pixel between two values.
struct FixedSpline: Sendable {
    /// How many pixels there are between two values, or in all if that's fewer.
    let spacing: Int
    /// For each of those pixels, what the four nearest values count for: together exactly 1.
    let pixels: [[Int16]]

    /// Values `spacing` pixels apart, for `count` pixels.
    init(spacing: Int, count: Int) {
        self.spacing = min(spacing, count)
        pixels = (0..<self.spacing).map { x in
            let weights = BSpline.weights(at: Double(x) / Double(spacing))
            let first = Int((weights.x * 32768).rounded())
            let two = Int(((weights.x + weights.y) * 32768).rounded())
            let three = Int(((weights.x + weights.y + weights.z) * 32768).rounded())
            return [Int16(first), Int16(two - first), Int16(three - two), Int16(32768 - three)]
        }
    }

    /// The weights as `BlurKernels.enlarge` takes them for pixels of `channels` values, and how far its lists are apart.
    func table(channels: Int) -> (weights: [Int16], stride: Int) {
        let stride = (spacing * channels + 15) / 16 * 16
        var table = [Int16](repeating: 0, count: 4 * stride)
        for tap in 0..<4 {
            for value in 0..<spacing * channels { table[tap * stride + value] = pixels[value / channels][tap] }
        }
        return (table, stride)
    }
}
