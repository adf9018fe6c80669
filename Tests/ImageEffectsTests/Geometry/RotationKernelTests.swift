import CTesseraKernels
import ImageEffects
import Raster
import Testing

@Suite("Rotation kernels and their scalar twins", .serialized)
struct RotationKernelTests {
    @Test("Runs of any length at any place give the same pixels", arguments: [ResamplingFilter.bicubic, .bilinear])
    func runs(filter: ResamplingFilter) throws {
        defer { ResamplingKernels.allowWidestVectors(true) }
        var noise = Noise(21)
        let picture = try noise.picture(60, 50)
        let weights = RotationWeights(filter).values
        for run in 0..<200 {
            let (count, one) = (run % 19 + 1, 1 << 32)
            // Two ends with all their neighbours, and steps from the one to the other.
            let (x, y) = (noise.whole(one...(58 * one - 1)), noise.whole(one...(48 * one - 1)))
            let endX = noise.whole(max(one, x - count * one)...min(58 * one - 1, x + count * one))
            let endY = noise.whole(max(one, y - count * one)...min(48 * one - 1, y + count * one))
            let (stepX, stepY) = ((endX - x) / count, (endY - y) / count)
            var expected = [UInt8](repeating: 7, count: 4 * count + 4)
            picture.rows.withUnsafeBase { base in
                ScalarRotation.sum(
                    base, bytesPerRow: picture.bytesPerRow, x: x, y: y, stepX: stepX, stepY: stepY, weights,
                    to: &expected, count: count)
            }
            for allowed in [true, false] {
                ResamplingKernels.allowWidestVectors(allowed)
                var result = [UInt8](repeating: 7, count: 4 * count + 4)
                picture.rows.withUnsafeBase { base in
                    RotationKernels.sum(
                        base, bytesPerRow: picture.bytesPerRow, x: x, y: y, stepX: stepX, stepY: stepY, weights,
                        to: &result, count: count)
                }
                #expect(result == expected, "\(count) from \(x), \(y) by \(stepX), \(stepY), AVX2 \(allowed)")
            }
        }
    }
}
