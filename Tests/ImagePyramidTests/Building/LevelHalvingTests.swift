import CTesseraKernels
import Raster
import TestSupport
import Testing

import ImagePyramid

@Suite("Halving rows", .serialized) struct LevelHalvingTests {
    @Test("Vector kernels equal the scalar ones", arguments: [true, false])
    func kernelsGiveWhatTheScalarOnesGive(_ allowsAVX2: Bool) {
        #if arch(x86_64)
        tessera_allow_avx2(allowsAVX2 ? 1 : 0)
        defer { tessera_allow_avx2(1) }
        #endif
        var random = SeededGenerator(6)
        for count in [0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 129] {
            let upper = (0..<8 * count + 1).map { _ in UInt8.random(in: 0...255, using: &random) }
            let lower = (0..<8 * count + 1).map { _ in UInt8.random(in: 0...255, using: &random) }
            var (fast, slow) = (
                [UInt8](repeating: 9, count: 4 * count + 1), [UInt8](repeating: 9, count: 4 * count + 1)
            )
            tessera_halve_pixels(upper, lower, &fast, count)
            tessera_halve_pixels_scalar(upper, lower, &slow, count)
            #expect(fast == slow)
            tessera_halve_bytes(upper, lower, &fast, 4 * count)
            tessera_halve_bytes_scalar(upper, lower, &slow, 4 * count)
            #expect(fast == slow)
            #expect(fast.last == 9)
        }
    }

    @Test("The mean in linear light agrees with floating point") func theMeanOfLightIsWhatAFloatSays() {
        let halving = LevelHalving(averagesLight: true)
        var random = SeededGenerator(3)
        for _ in 0..<2000 {
            let isOpaque = Bool.random(using: &random)
            var pixels: [[UInt8]] = []
            for _ in 0..<4 {
                let alpha = isOpaque ? 255 : UInt8.random(in: 0...255, using: &random)
                pixels.append((0..<3).map { _ in UInt8.random(in: 0...alpha, using: &random) } + [alpha])
            }
            let (upper, lower) = (pixels[0] + pixels[1], pixels[2] + pixels[3])
            var result = [UInt8](repeating: 0, count: 4)
            halving.halve(upper, lower, width: 2, bytesPerSample: 4, mirrors: false, to: &result)
            let alphas = pixels.map { Double($0[3]) }
            let alpha = alphas.reduce(0, +)
            #expect(abs(Double(result[3]) - alpha / 4) <= 0.5)
            for channel in 0..<3 {
                let light = pixels.map { pixel in
                    pixel[3] == 0
                        ? 0
                        : TransferCurve.light(stored: Double(pixel[channel]) / Double(pixel[3])) * Double(pixel[3])
                }
                let mean = alpha == 0 ? 0 : TransferCurve.stored(light: light.reduce(0, +) / alpha) * alpha / 4
                // Below full alpha, straight bytes are rounded before and after, and premultiplied ones at last.
                #expect(abs(Double(result[channel]) - mean) <= (isOpaque ? 0.52 : 1.5))
                #expect(result[channel] <= result[3])
            }
        }
    }
}
