internal import Platform

/// The steps between a coefficient's values, what an error of it weighs, and what a bit is worth, for a quality.
///
/// Fitted over photographs for the smallest files of the same SSIMULACRA 2 score. Steps grow with the distance from DC, slower
/// than those of ITU-T T.81, table K.1; the higher a frequency, the less its errors weigh. A quality scores about as libjpeg's.
struct JPEGQuantizationTables {
    /// Of luma and of chroma, row by row.
    let steps: [[UInt16]]
    /// The factor of each coefficient's squared error, of luma and of chroma, row by row.
    let weights: [[Float]]
    /// The squared error that a bit is worth, for each third root of a block's energy: of luma and of chroma.
    let bitCosts: [Float]
    /// Added to the third root of a block's energy, of luma and of chroma.
    let smoothCosts: [Float]

    /// - Parameters:
    ///   - quality: From 0 to 1.
    ///   - subsamples: Whether chroma has fewer samples than luma.
    init(quality: Double, subsamples: Bool) {
        let fit = subsamples ? Fit.subsampled : .full
        let scale = fit.scale * pow(Self.scale(max(1, 100 * quality)), 0.88)
        // By the distance from DC.
        func table<Number>(_ value: (Double) -> Number) -> [Number] {
            (0..<64).map { place in
                let (u, v) = (Double(place % 8), Double(place / 8))
                return value((u * u + v * v).squareRoot())
            }
        }
        func steps(_ dc: Double, _ step: (Double) -> Double) -> [UInt16] {
            table { UInt16(min(max((scale * ($0 == 0 ? dc : step($0))).rounded(), 1), 255)) }
        }
        self.steps = [
            steps(fit.lumaDC) { 16.2 + fit.lumaSlope * pow($0, 1.4) },
            steps(fit.chromaDC) { fit.chroma * (1 + fit.chromaSlope * pow($0, 1.3)) },
        ]
        weights = [fit.lumaWeight, fit.chromaWeight].map { weight in table { Float(pow(1 + $0 / 7, -weight)) } }
        bitCosts = [fit.lumaBit, fit.chromaBit].map { Float($0 * scale * scale) }
        smoothCosts = [fit.lumaSmooth, fit.chromaSmooth].map { Float($0) }
    }

    /// libjpeg's factor of the steps for a quality of 1 to 100.
    private static func scale(_ quality: Double) -> Double { quality < 50 ? 50 / quality : 2 - quality / 50 }

    /// The table of a DQT segment: luma's or chroma's steps in zigzag order (T.81, B.2.4.1).
    func payload(_ table: Int) -> [UInt8] {
        // Along the diagonals, alternately upwards and downwards (T.81, figure A.6).
        let order = (0..<15).flatMap { diagonal -> [Int] in
            let rows = Array(max(0, diagonal - 7)...min(7, diagonal))
            return (diagonal % 2 == 0 ? rows.reversed() : rows).map { 8 * $0 + diagonal - $0 }
        }
        return [UInt8(table)] + order.map { UInt8(steps[table][$0]) }
    }

    /// The fitted numbers.
    private struct Fit {
        /// Of libjpeg's factor of 1, where both score the same.
        let scale: Double
        /// For a scale of 1.
        let lumaDC, lumaSlope, chromaDC, chroma, chromaSlope, lumaWeight, chromaWeight: Double
        let lumaBit, chromaBit, lumaSmooth, chromaSmooth: Double

        static let full = Fit(
            scale: 0.72, lumaDC: 8.4, lumaSlope: 2.15, chromaDC: 17.1, chroma: 24.8, chromaSlope: 0.51, lumaWeight: 0.9,
            chromaWeight: 3.3, lumaBit: 2.72, chromaBit: 4.48, lumaSmooth: 3, chromaSmooth: 1)
        static let subsampled = Fit(
            scale: 0.7, lumaDC: 14.4, lumaSlope: 4.6, chromaDC: 9.7, chroma: 16.6, chromaSlope: 0.35, lumaWeight: 2,
            chromaWeight: 0.8, lumaBit: 2.78, chromaBit: 2.5, lumaSmooth: 0.5, chromaSmooth: 1)
    }
}
