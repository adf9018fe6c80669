import Foundation
import Raster
import Tessera

/// The structural similarity as its definition states it, in double precision, window by window.
enum ReferenceSimilarity {
    /// Returns the mean similarity of the luma of two opaque images.
    static func mean(_ first: Bitmap, _ second: Bitmap) throws -> Double {
        let (a, b) = (try luma(first), try luma(second))
        let gauss = (0..<121).map { (index: Int) -> Double in
            let (x, y) = (Double(index % 11 - 5), Double(index / 11 - 5))
            return exp(-(x * x + y * y) / (2 * 1.5 * 1.5))
        }
        let total = gauss.reduce(0, +)
        let weights = gauss.map { $0 / total }
        let (c1, c2) = (0.01 * 255 * 0.01 * 255, 0.03 * 255 * 0.03 * 255)
        var similarities: [Double] = []
        for y in 0...(a.count - 11) {
            for x in 0...(a[0].count - 11) {
                func expectation(_ value: (Double, Double) -> Double) -> Double {
                    (0..<121).reduce(0) { sum, index in
                        let (row, column) = (y + index / 11, x + index % 11)
                        return sum + weights[index] * value(a[row][column], b[row][column])
                    }
                }
                let (meanA, meanB) = (expectation { a, _ in a }, expectation { _, b in b })
                let varianceA = expectation { a, _ in (a - meanA) * (a - meanA) }
                let varianceB = expectation { _, b in (b - meanB) * (b - meanB) }
                let covariance = expectation { a, b in (a - meanA) * (b - meanB) }
                let numerator = (2 * meanA * meanB + c1) * (2 * covariance + c2)
                let denominator = (meanA * meanA + meanB * meanB + c1) * (varianceA + varianceB + c2)
                similarities.append(numerator / denominator)
            }
        }
        return similarities.reduce(0, +) / Double(similarities.count)
    }

    private static func luma(_ bitmap: Bitmap) throws -> [[Double]] {
        let bitmap = try bitmap.converted(to: .rgba8, alpha: .straight)
        return (0..<bitmap.size.height).map { y in
            let row = bitmap.rows.row(y, as: RGBA8.self)
            return (0..<bitmap.size.width).map {
                0.299 * Double(row[$0].red) + 0.587 * Double(row[$0].green) + 0.114 * Double(row[$0].blue)
            }
        }
    }
}
