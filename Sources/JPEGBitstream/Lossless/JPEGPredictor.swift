/// The predictions of lossless coding, made of the samples to the left (a), above (b) and above left (c) (ITU-T T.81,
/// table H.1).
enum JPEGPredictor: UInt8, Sendable {
    /// a
    case left = 1
    /// b
    case above = 2
    /// c
    case aboveLeft = 3
    /// a + b − c
    case plane = 4
    /// a + (b − c) / 2
    case leftAndSlope = 5
    /// b + (a − c) / 2
    case aboveAndSlope = 6
    /// (a + b) / 2
    case mean = 7

    /// Makes samples from the differences of the first row of a scan or of a restart interval, where each prediction is
    /// the sample to the left.
    /// - Parameter first: The prediction of the first sample.
    /// - Returns: All samples combined by OR.
    static func addFirstRow(
        _ differences: Span<UInt16>, to samples: inout MutableSpan<UInt16>, at place: Int, first: UInt16
    ) -> UInt16 {
        precondition(place >= 0 && place <= samples.count - differences.count)
        var (left, seen) = (first, UInt16(0))
        // Here and below: in bounds by the line above.
        for x in differences.indices {
            left &+= differences[unchecked: x]
            seen |= left
            samples[unchecked: place &+ x] = left
        }
        return seen
    }

    /// Makes samples from the differences of a row.
    ///
    /// - Parameters:
    ///   - prior: The place of the row above, which may be the same row: it is then overwritten.
    ///   - place: The place of the row, as long as the row of differences.
    /// - Returns: All samples combined by OR.
    func add(
        _ differences: Span<UInt16>, to samples: inout MutableSpan<UInt16>, at place: Int, prior: Int
    ) -> UInt16 {
        switch self {
        case .left: Self.add(differences, to: &samples, at: place, prior: prior) { left, _, _ in left }
        case .above: Self.add(differences, to: &samples, at: place, prior: prior) { _, above, _ in above }
        case .aboveLeft: Self.add(differences, to: &samples, at: place, prior: prior) { _, _, corner in corner }
        case .plane:
            Self.add(differences, to: &samples, at: place, prior: prior) { left, above, corner in
                left &+ (above &- corner)
            }
        case .leftAndSlope:
            Self.add(differences, to: &samples, at: place, prior: prior) { left, above, corner in
                left &+ (above &- corner) &>> 1
            }
        case .aboveAndSlope:
            Self.add(differences, to: &samples, at: place, prior: prior) { left, above, corner in
                above &+ (left &- corner) &>> 1
            }
        case .mean:
            Self.add(differences, to: &samples, at: place, prior: prior) { left, above, _ in (left &+ above) &>> 1 }
        }
    }

    /// Samples and predictions are computed modulo 65536 (T.81, H.2.1); halves round down, towards minus infinity.
    @inline(__always)
    private static func add(
        _ differences: Span<UInt16>, to samples: inout MutableSpan<UInt16>, at place: Int, prior: Int,
        _ predict: (_ left: Int32, _ above: Int32, _ corner: Int32) -> Int32
    ) -> UInt16 {
        let count = differences.count
        precondition(count > 0 && min(place, prior) >= 0 && max(place, prior) <= samples.count - count)
        var corner = Int32(samples[prior])
        // The first sample of a row is predicted by the one above (T.81, H.1.2.1).
        var value = UInt16(truncatingIfNeeded: corner) &+ differences[0]
        var seen = value
        samples[place] = value
        for x in 1..<count {
            let above = Int32(samples[unchecked: prior &+ x])
            let prediction = predict(Int32(value), above, corner)
            corner = above
            value = UInt16(truncatingIfNeeded: prediction) &+ differences[unchecked: x]
            seen |= value
            samples[unchecked: place &+ x] = value
        }
        return seen
    }
}
