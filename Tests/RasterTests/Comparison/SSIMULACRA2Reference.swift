import Foundation
import Raster

/// SSIMULACRA 2.1 in double precision, plane by plane, as its definition reads.
struct SSIMULACRA2Reference {
    /// Values of a channel, row after row.
    typealias Plane = [Double]

    private var size: PixelSize
    private var images: [[Plane]] = []

    /// Images in linear light, drawn on a grey from 0 to 1.
    init(_ original: Bitmap, _ image: Bitmap, on background: Double) {
        size = original.size
        for bitmap in [original, image] {
            let samples = Samples(bitmap)
            let maximum = Double(1 << bitmap.format.bitsPerChannel - 1)
            images.append(
                (0..<3).map { channel in
                    (0..<size.width * size.height).map { index in
                        let (x, y) = (index % size.width, index / size.width)
                        let alpha = bitmap.info.alpha.hasAlpha ? Double(samples[x, y, 3]) / maximum : 1
                        let value = Double(samples[x, y, channel]) / maximum
                        let seen = bitmap.info.alpha == .premultiplied ? value : value * alpha
                        return TransferCurve.light(stored: seen + (1 - alpha) * background)
                    }
                })
        }
    }

    var score: Double {
        mutating get {
            var errors: [[[Double]]] = []
            while true {
                errors.append(errorsOfScale())
                guard errors.count < 6, size.width >= 8, size.height >= 8 else { break }
                images = images.map { $0.map(halved) }
                size = PixelSize(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
            }
            let ordered = (0..<3).flatMap { channel in errors.flatMap { $0[channel] } }
            let sum = zip(ordered, SSIMULACRA2.weights).reduce(0) { $0 + $1.0 * $1.1 } * 0.9562382616834844
            let curved =
                2.326765642916932 * sum - 0.020884521182843837 * sum * sum + 6.248496625763138e-05 * sum * sum * sum
            return curved > 0 ? 100 - 10 * pow(curved, 0.6276336467831387) : 100
        }
    }

    /// For each channel the means of the three errors, and their 4-norms.
    private func errorsOfScale() -> [[Double]] {
        let (original, image) = (perceived(images[0]), perceived(images[1]))
        return (0..<3).map { channel in
            let (a, b) = (original[channel], image[channel])
            let (meanA, meanB) = (blurred(a), blurred(b))
            let (squareA, squareB) = (blurred(zip(a, a).map(*)), blurred(zip(b, b).map(*)))
            let product = blurred(zip(a, b).map(*))
            var errors: [Plane] = [[], [], []]
            for i in a.indices {
                let light = 1 - (meanA[i] - meanB[i]) * (meanA[i] - meanB[i])
                let covariance = product[i] - meanA[i] * meanB[i]
                let variances = squareA[i] - meanA[i] * meanA[i] + squareB[i] - meanB[i] * meanB[i]
                errors[0].append(max(0, 1 - light * (2 * covariance + 0.0009) / (variances + 0.0009)))
                let change = (1 + abs(b[i] - meanB[i])) / (1 + abs(a[i] - meanA[i])) - 1
                errors[1].append(max(0, change))
                errors[2].append(max(0, -change))
            }
            let count = Double(a.count)
            return errors.map { $0.reduce(0, +) / count }
                + errors.map { pow($0.reduce(0) { $0 + pow($1, 4) } / count, 0.25) }
        }
    }

    private func perceived(_ linear: [Plane]) -> [Plane] {
        let bias = 0.0037930732552754493
        var planes: [Plane] = [[], [], []]
        for i in linear[0].indices {
            let (red, green, blue) = (linear[0][i], linear[1][i], linear[2][i])
            let long = cbrt(0.3 * red + 0.622 * green + 0.078 * blue + bias) - cbrt(bias)
            let middle = cbrt(0.23 * red + 0.692 * green + 0.078 * blue + bias) - cbrt(bias)
            let mixed = 0.24342268924547819 * red + 0.20476744424496821 * green
            let short = cbrt(mixed + (1 - 0.24342268924547819 - 0.20476744424496821) * blue + bias) - cbrt(bias)
            let light = (long + middle) / 2
            planes[0].append((long - middle) / 2 * 14 + 0.42)
            planes[1].append(light + 0.01)
            planes[2].append(short - light + 0.55)
        }
        return planes
    }

    /// Gaussian of sigma 1.5 as the sum of three cosines that end after five pixels; nothing lies beyond the edges.
    private func blurred(_ plane: Plane) -> Plane {
        let shares = [0.17893914, 0.07272614, 0.01295582]
        let weights = (-4...4).map { distance in
            (0..<3).reduce(0) { $0 + shares[$1] * cos(Double(2 * $1 + 1) * .pi * Double(distance) / 10) }
        }
        func filtered(_ plane: Plane, _ step: Int, _ isInside: (Int, Int) -> Bool) -> Plane {
            plane.indices.map { index in
                (-4...4).reduce(0) { sum, distance in
                    isInside(index, distance) ? sum + weights[distance + 4] * plane[index + distance * step] : sum
                }
            }
        }
        let width = size.width
        let across = filtered(plane, 1) { 0..<width ~= $0 % width + $1 }
        return filtered(across, width) { plane.indices ~= $0 + $1 * width }
    }

    private func halved(_ plane: Plane) -> Plane {
        let (width, height) = ((size.width + 1) / 2, (size.height + 1) / 2)
        return (0..<width * height).map { index in
            let (x, y) = (index % width * 2, index / width * 2)
            let (right, below) = (min(x + 1, size.width - 1), min(y + 1, size.height - 1))
            return
                (plane[y * size.width + x] + plane[y * size.width + right] + plane[below * size.width + x]
                + plane[below * size.width + right]) / 4
        }
    }
}
