/// A curve that compresses light into a display's range: the EETF of ITU-R BT.2390, 5.4, in PQ's values.
///
/// It changes nothing up to a knee, and reaches the display's peak at the content's. For white at 203 candela per square
/// metre the knee is at 92 for a peak of 1,000 and at 24 for one of 10,000, so mid grey at 26 (BT.2408) stays. Black is
/// taken for black on both sides.
struct ToneCurve {
    private let source: Double
    private let target: Double
    private let knee: Double

    /// A curve from a peak of the content to one of the display, in candela per square metre.
    init(from source: Double, to target: Double) {
        self.source = PerceptualQuantizer.value(source / PerceptualQuantizer.peak)
        self.target = PerceptualQuantizer.value(min(source, target) / PerceptualQuantizer.peak) / self.source
        knee = 1.5 * self.target - 0.5
    }

    /// Whether the display has the content's peak, so that nothing changes.
    var isIdentity: Bool { target >= 1 }

    /// The value of PQ for a value of PQ; above the content's peak the display's.
    func callAsFunction(_ value: Double) -> Double {
        let input = min(1, max(0, value / source))
        guard !isIdentity, input > knee else { return input * source }
        let t = (input - knee) / (1 - knee)
        let (square, cube) = (t * t, t * t * t)
        let output =
            (2 * cube - 3 * square + 1) * knee + (cube - 2 * square + t) * (1 - knee)
            + (3 * square - 2 * cube) * target
        return output * source
    }
}
