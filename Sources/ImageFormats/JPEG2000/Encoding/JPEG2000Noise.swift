#if JPEG2000
internal import Platform
internal import Raster

/// The noise that a quality allows in a tile.
///
/// OpenJPEG meets a signal-to-noise ratio. The same ratio would wipe out a smooth tile's texture and waste bits on a rough
/// tile, so it is that of a quantizer with the quality's step: coefficients of a Haar transform that are smaller than the
/// quantizer's error are lost, and all others have that error.
struct JPEG2000Noise {
    /// The mean square error of a coefficient, in steps of eight bits.
    private let error: Double

    /// The step at quality 0.5; it shrinks as libjpeg's steps do.
    private static let middleStep = 22.0
    /// Halvings of the image in the transform.
    private static let levelCount = 5

    init(quality: Double) {
        let scale = quality >= 0.5 ? 2 - 2 * quality : 0.5 / max(0.05, quality)
        let step = max(1, Self.middleStep * scale)
        error = step * step / 12
    }

    /// The signal-to-noise ratio in dB for a tile's samples: of the only component, or of green for all.
    func ratio(_ samples: [UInt8], _ size: PixelSize, _ componentCount: Int, bits: Int) -> Double {
        var plane = Self.plane(componentCount < 3 ? 0 : 1, of: samples, size, bits: bits)
        var (width, height) = (size.width, size.height)
        var sum = 0.0
        for _ in 0..<Self.levelCount where width > 1 && height > 1 {
            sum += halve(&plane, &width, &height)
        }
        sum += Double(width * height) * error
        let mean = max(sum / Double(size.pixelCount), 1e-3)
        return max(20, min(70, 48.13 - 3.0103 * log2(mean)))
    }

    private static func plane(_ index: Int, of samples: [UInt8], _ size: PixelSize, bits: Int) -> [Int32] {
        let count = size.pixelCount
        var plane = [Int32](repeating: 0, count: count)
        // The upper bytes are enough for 16 bits, in native byte order.
        let (stride, first) = bits == 8 ? (1, 0) : (2, UInt16(1).littleEndian == 1 ? 1 : 0)
        let start = index * count * stride + first
        for place in 0..<count { plane[place] = Int32(samples[start + place * stride]) }
        return plane
    }

    /// Replaces the plane by its half, and returns the sum of the errors of the details. A last odd row or column stays out.
    private func halve(_ plane: inout [Int32], _ width: inout Int, _ height: inout Int) -> Double {
        let (across, down) = (width / 2, height / 2)
        let most = Float(error)
        var sum = 0.0
        for y in 0..<down {
            var rowSum: Float = 0
            let (upper, lower) = (2 * y * width, (2 * y + 1) * width)
            for x in 0..<across {
                let (a, b) = (plane[upper + 2 * x], plane[upper + 2 * x + 1])
                let (c, d) = (plane[lower + 2 * x], plane[lower + 2 * x + 1])
                // Halves make the transform orthonormal. No value exceeds 2¹³ after five halvings.
                let horizontal = Float(a &- b &+ c &- d) * 0.5
                let vertical = Float(a &+ b &- c &- d) * 0.5
                let diagonal = Float(a &- b &- c &+ d) * 0.5
                rowSum +=
                    Swift.min(most, horizontal * horizontal) + Swift.min(most, vertical * vertical)
                    + Swift.min(most, diagonal * diagonal)
                plane[y * across + x] = (a &+ b &+ c &+ d) >> 1
            }
            sum += Double(rowSum)
        }
        (width, height) = (across, down)
        return sum
    }
}
#endif
