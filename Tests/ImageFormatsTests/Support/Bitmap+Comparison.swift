import Foundation
import Raster

extension Bitmap {
    /// Red, green, blue and alpha of every pixel, at sixteen bits.
    func wideSamples() throws -> [UInt16] {
        let wide = try converted(to: .rgba16)
        var samples: [UInt16] = []
        samples.reserveCapacity(width * height * 4)
        for y in 0..<height {
            let row = wide.rows.row(y, as: RGBA16.self)
            for x in 0..<width { samples += [row[x].red, row[x].green, row[x].blue, row[x].alpha] }
        }
        return samples
    }

    /// How far the furthest sample is from its counterpart, in steps of sixteen bits; nil for another size.
    func largestDifference(from other: Bitmap) throws -> Int? {
        guard size == other.size else { return nil }
        return try zip(wideSamples(), other.wideSamples()).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
    }

    /// The peak signal-to-noise ratio against `other`, in decibels; nil for another size.
    func noise(against other: Bitmap) throws -> Double? {
        guard size == other.size else { return nil }
        let (own, others) = (try wideSamples(), try other.wideSamples())
        let sum = zip(own, others).reduce(0.0) { sum, pair in
            let difference = Double(pair.0) - Double(pair.1)
            return sum + difference * difference
        }
        return sum == 0 ? .infinity : 10 * log10(65535 * 65535 / (sum / Double(own.count)))
    }
}
