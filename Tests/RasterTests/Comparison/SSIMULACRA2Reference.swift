import Foundation
import Raster

/// SSIMULACRA 2.1 in double precision, plane by plane, as its definition reads.
struct SSIMULACRA2Reference {
    /// Values of a channel, row after row.
    typealias Plane = [Double]

    private var size: PixelSize
    /// Red, green and blue of both, in linear light.
    private var images: [[Plane]] = []

    /// Images drawn on a grey from 0 to 1.
    init(_ original: Bitmap, _ image: Bitmap, on background: Double) {
        size = original.size
        for bitmap in [original, image] {
            let samples = Samples(bitmap)
            let maximum = Double(1 << bitmap.format.bitsPerChannel - 1)
            var planes: [Plane] = [[], [], []]
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let alpha = bitmap.info.alpha.hasAlpha ? Double(samples[x, y, 3]) / maximum : 1
                    for channel in 0..<3 {
                        let value = Double(samples[x, y, channel]) / maximum
                        let seen = bitmap.info.alpha == .premultiplied ? value : value * alpha
                        planes[channel].append(TransferCurve.light(stored: seen + (1 - alpha) * background))
                    }
                }
            }
            images.append(planes)
        }
    }

    var score: Double {
        mutating get {
            var errors: [[[Double]]] = []
            while true {
                errors.append(errorsOfScale())
                guard errors.count < 6, size.width >= 8, size.height >= 8 else { break }
                images = images.map { planes in planes.map { halved($0) } }
                size = PixelSize(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
            }
            let ordered = (0..<3).flatMap { channel in errors.flatMap { $0[channel] } }
            var sum = 0.0
            for (error, weight) in zip(ordered, SSIMULACRA2.weights) { sum += error * weight }
            sum *= 0.9562382616834844
            let square: Double = 0.020884521182843837 * sum * sum
            let cube: Double = 6.248496625763138e-05 * sum * sum * sum
            let curved: Double = 2.326765642916932 * sum - square + cube
            return curved > 0 ? 100 - 10 * pow(curved, 0.6276336467831387) : 100
        }
    }

    /// For each channel the means of the three errors, and their 4-norms.
    private func errorsOfScale() -> [[Double]] {
        let (original, image) = (perceived(images[0]), perceived(images[1]))
        return (0..<3).map { channel in
            let (a, b) = (original[channel], image[channel])
            let (meanA, meanB) = (blurred(a), blurred(b))
            let (squareA, squareB) = (blurred(product(a, a)), blurred(product(b, b)))
            let mixed = blurred(product(a, b))
            var errors: [Plane] = [[], [], []]
            for i in a.indices {
                let difference: Double = meanA[i] - meanB[i]
                let covariance: Double = mixed[i] - meanA[i] * meanB[i]
                let varianceA: Double = squareA[i] - meanA[i] * meanA[i]
                let varianceB: Double = squareB[i] - meanB[i] * meanB[i]
                let likeness: Double = (2 * covariance + 0.0009) / (varianceA + varianceB + 0.0009)
                errors[0].append(max(0, 1 - (1 - difference * difference) * likeness))
                let change: Double = (1 + abs(b[i] - meanB[i])) / (1 + abs(a[i] - meanA[i])) - 1
                errors[1].append(max(0, change))
                errors[2].append(max(0, -change))
            }
            var (means, norms): ([Double], [Double]) = ([], [])
            for plane in errors {
                let count = Double(plane.count)
                means.append(plane.reduce(0, +) / count)
                norms.append(pow(plane.map { $0 * $0 * $0 * $0 }.reduce(0, +) / count, 0.25))
            }
            return means + norms
        }
    }

    private func product(_ a: Plane, _ b: Plane) -> Plane { a.indices.map { a[$0] * b[$0] } }

    private func perceived(_ linear: [Plane]) -> [Plane] {
        let bias = 0.0037930732552754493
        var planes: [Plane] = [[], [], []]
        for i in linear[0].indices {
            let (red, green, blue) = (linear[0][i], linear[1][i], linear[2][i])
            let long: Double = cbrt(0.3 * red + 0.622 * green + 0.078 * blue + bias) - cbrt(bias)
            let middle: Double = cbrt(0.23 * red + 0.692 * green + 0.078 * blue + bias) - cbrt(bias)
            let mixed: Double = 0.24342268924547819 * red + 0.20476744424496821 * green
            let short: Double = cbrt(mixed + (1 - 0.24342268924547819 - 0.20476744424496821) * blue + bias) - cbrt(bias)
            let light: Double = (long + middle) / 2
            planes[0].append((long - middle) / 2 * 14 + 0.42)
            planes[1].append(light + 0.01)
            planes[2].append(short - light + 0.55)
        }
        return planes
    }

    /// Gaussian of sigma 1.5 as the sum of three cosines that end after five pixels; nothing lies beyond the edges.
    private func blurred(_ plane: Plane) -> Plane {
        var weights: [Double] = []
        for distance in -4...4 {
            let angle: Double = .pi * Double(distance) / 10
            let first: Double = 0.17893914 * cos(angle)
            let second: Double = 0.07272614 * cos(3 * angle)
            let third: Double = 0.01295582 * cos(5 * angle)
            weights.append(first + second + third)
        }
        var (across, down) = (plane, plane)
        for index in plane.indices {
            let x = index % size.width
            var sum = 0.0
            for distance in -4...4 where 0..<size.width ~= x + distance {
                sum += weights[distance + 4] * plane[index + distance]
            }
            across[index] = sum
        }
        for index in plane.indices {
            let y = index / size.width
            var sum = 0.0
            for distance in -4...4 where 0..<size.height ~= y + distance {
                sum += weights[distance + 4] * across[index + distance * size.width]
            }
            down[index] = sum
        }
        return down
    }

    private func halved(_ plane: Plane) -> Plane {
        var half: Plane = []
        for y in stride(from: 0, to: size.height, by: 2) {
            for x in stride(from: 0, to: size.width, by: 2) {
                let (right, below) = (min(x + 1, size.width - 1), min(y + 1, size.height - 1))
                let upper: Double = plane[y * size.width + x] + plane[y * size.width + right]
                let lower: Double = plane[below * size.width + x] + plane[below * size.width + right]
                half.append((upper + lower) / 4)
            }
        }
        return half
    }
}
