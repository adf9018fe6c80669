internal import Platform

/// The mean structural similarity (SSIM) of two images, computed row by row.
///
/// As in Z. Wang, A. Bovik, H. Sheikh, E. Simoncelli, "Image Quality Assessment: From Error Visibility to Structural
/// Similarity", 2004: Gaussian windows of 11×11 pixels with a standard deviation of 1.5, K1 = 0.01, K2 = 0.03, averaged over
/// all windows that lie within the image, at full size. Memory holds 11 rows.
struct StructuralSimilarity {
    /// The side of a window in pixels.
    static let windowSize = 11

    /// The middle of the range 0...255: values are stored relative to it, so that their squares lose fewer digits.
    private static let center: Float = 127.5

    private let weights: [Float]
    /// The number of windows in a row; 0 or less if none fits.
    private let count: Int
    /// Per pixel: both values, their squares and their product. The same for each window of a row in `rows`.
    private var moments: [SIMD8<Float>]
    private var rows: [SIMD8<Float>]
    private var rowCount = 0
    private var windowCount = 0
    private var sum = 0.0

    /// Creates the measure for images of `width` pixels.
    init(width: Int) {
        let gauss = (0..<Self.windowSize).map { exp(-Double(($0 - 5) * ($0 - 5)) / (2 * 1.5 * 1.5)) }
        let total = gauss.reduce(0, +)
        weights = gauss.map { Float($0 / total) }
        count = width - Self.windowSize + 1
        moments = Array(repeating: .zero, count: width)
        rows = Array(repeating: .zero, count: max(0, count) * Self.windowSize)
    }

    /// The mean of all windows, at most 1; nil if the images are smaller than a window.
    var mean: Double? { windowCount > 0 ? sum / Double(windowCount) : nil }

    /// Adds the next row of both images: their luma, 0 to 255.
    mutating func add(_ luma: [SIMD2<Float>]) {
        guard count > 0 else { return }
        for x in luma.indices {
            let (a, b) = (luma[x][0] - Self.center, luma[x][1] - Self.center)
            moments[x] = SIMD8(a, b, a * a, b * b, a * b, 0, 0, 0)
        }
        let slot = rowCount % Self.windowSize * count
        for x in 0..<count {
            rows[slot + x] = weighted { moments[x + $0] }
        }
        rowCount += 1
        guard rowCount >= Self.windowSize else { return }
        // The rows of the windows from top to bottom, as they lie in the ring.
        let starts = (0..<Self.windowSize).map { (rowCount + $0) % Self.windowSize * count }
        var rowSum = 0.0
        for x in 0..<count {
            rowSum += Self.similarity(weighted { rows[starts[$0] + x] })
        }
        sum += rowSum
        windowCount += count
    }

    /// Returns the weighted sum of a window's row or column.
    private func weighted(_ value: (Int) -> SIMD8<Float>) -> SIMD8<Float> {
        var result = value(5) * weights[5]
        for index in 0..<5 {
            result += (value(index) + value(Self.windowSize - 1 - index)) * weights[index]
        }
        return result
    }

    /// Returns the similarity within a window: equation 13 of the paper.
    private static func similarity(_ moments: SIMD8<Float>) -> Double {
        let (c1, c2): (Float, Float) = (0.01 * 255 * 0.01 * 255, 0.03 * 255 * 0.03 * 255)
        let (a, b) = (moments[0] + center, moments[1] + center)
        let variances = (moments[2] - moments[0] * moments[0]) + (moments[3] - moments[1] * moments[1])
        let covariance = moments[4] - moments[0] * moments[1]
        return Double((2 * (a * b) + c1) * (2 * covariance + c2) / ((a * a + b * b + c1) * (variances + c2)))
    }
}
