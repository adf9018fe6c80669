internal import Raster

/// A Gaussian's weights as integers with 15 bits after the point.
struct FixedKernel: Sendable {
    /// The weight at each distance, starting at 0. Over both directions they sum to exactly 1.
    let weights: [Int16]

    /// The largest distance with a weight.
    var reach: Int { weights.count - 1 }

    /// `kernel` as integers. Its middle weight must be less than 1.
    init(_ kernel: GaussianKernel) {
        var weights = [Int16](repeating: 0, count: kernel.weights.count)
        // Rounding the running sum instead of each weight passes the error of one weight on to the next.
        var (sum, given) = (0.0, 0)
        for distance in stride(from: kernel.reach, to: 0, by: -1) {
            sum += kernel.weights[distance]
            let upTo = Int((sum * 32768).rounded())
            weights[distance] = Int16(upTo - given)
            given = upTo
        }
        weights[0] = Int16(min(32767, 32768 - 2 * given))
        self.weights = weights
    }
}

/// The cubic B-spline's weights as integers with 15 bits after the point, for each pixel between two values.
struct FixedSpline: Sendable {
    /// The number of pixels between two values, or of all pixels if that's fewer.
    let spacing: Int
    /// The weights of the four nearest values for each of those pixels. They sum to exactly 1.
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

    /// The weights as `BlurKernels.enlarge` takes them for pixels of `channels` values, and the distance between its
    /// lists.
    func table(channels: Int) -> (weights: [Int16], stride: Int) {
        let stride = (spacing * channels + 15) / 16 * 16
        var table = [Int16](repeating: 0, count: 4 * stride)
        for tap in 0..<4 {
            for value in 0..<spacing * channels { table[tap * stride + value] = pixels[value / channels][tap] }
        }
        return (table, stride)
    }
}

extension Bitmap {
    /// Lends row `y` of a bitmap of 16-bit grey as blurred values, all less than 32768.
    func withValues<R>(_ y: Int, _ body: (UnsafePointer<Int16>) -> R) -> R {
        // Rows start at multiples of 64 bytes.
        rows.bytes(y).withUnsafeBytes { body($0.baseAddress!.assumingMemoryBound(to: Int16.self)) }
    }
}

extension MutablePixelRows {
    /// Lends row `y` of a bitmap of 16-bit grey to be filled with blurred values.
    mutating func withValues<R>(_ y: Int, _ body: (UnsafeMutablePointer<Int16>) -> R) -> R {
        var bytes = bytes(y)
        // Rows start at multiples of 64 bytes.
        return bytes.withUnsafeMutableBytes { body($0.baseAddress!.assumingMemoryBound(to: Int16.self)) }
    }

    /// Lends row `y` of a bitmap of 8 bits as single channels.
    mutating func withChannels<R>(_ y: Int, _ body: (UnsafeMutablePointer<UInt8>) -> R) -> R {
        var bytes = bytes(y)
        return bytes.withUnsafeMutableBytes { body($0.baseAddress!.assumingMemoryBound(to: UInt8.self)) }
    }
}
