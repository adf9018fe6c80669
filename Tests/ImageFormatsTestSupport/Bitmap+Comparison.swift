import Foundation
package import Raster

extension Bitmap {
    /// How far the furthest sample is from its counterpart, in steps of sixteen bits; nil for another size.
    package func largestDifference(from other: Bitmap) -> Int? {
        guard size == other.size else { return nil }
        return zip(samples16, other.samples16).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
    }

    /// The peak signal-to-noise ratio against `other`, in decibels; nil for another size.
    package func noise(against other: Bitmap) -> Double? {
        guard size == other.size else { return nil }
        let (own, others) = (samples16, other.samples16)
        let sum = zip(own, others).reduce(0.0) { sum, pair in
            let difference = Double(pair.0) - Double(pair.1)
            return sum + difference * difference
        }
        return sum == 0 ? .infinity : 10 * log10(65535 * 65535 / (sum / Double(own.count)))
    }
}

extension Image {
    /// How far the values of the gain map are from the luma of the image, in steps of 8 bits, on average; nil without a map.
    ///
    /// For maps that were made of the image's luma: a shift or a turn shows.
    package func gainMapMisfit() throws -> Double? {
        guard let map = try gainMap?.image.bitmap() else { return nil }
        let luma = try bitmap().resampled(to: map.size).converted(to: .gray8)
        let differences = zip(map.samples16, luma.samples16).map { abs(Double($0) - Double($1)) / 257 }
        return differences.reduce(0, +) / Double(differences.count) * 4 / 3
    }
}
