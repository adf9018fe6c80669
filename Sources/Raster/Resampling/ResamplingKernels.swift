/// The sums over 8-bit pictures, by whatever is fastest here.
enum ResamplingKernels {
    static func vertical(
        _ rows: UnsafePointer<UnsafeRawPointer>, _ weights: UnsafePointer<Int16>, taps: Int, shift: Int, isWide: Bool,
        to target: UnsafeMutablePointer<Int16>, count: Int
    ) {
        if isWide {
            ScalarResampling.verticalWide(rows, weights, taps: taps, shift: shift, to: target, count: count)
        } else {
            ScalarResampling.vertical(rows, weights, taps: taps, shift: shift, to: target, count: count)
        }
    }

    static func horizontal(
        _ row: UnsafePointer<Int16>, channels: Int, _ weights: FixedWeights, to target: UnsafeMutablePointer<Int16>
    ) {
        ScalarResampling.horizontal(row, channels: channels, weights, to: target)
    }
}
