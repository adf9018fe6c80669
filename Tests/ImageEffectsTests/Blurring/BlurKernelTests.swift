import ImageEffects
import Raster
import Testing

@Suite("Blur kernels and their scalar twins", .serialized)
struct BlurKernelTests {
    /// Rows of random blurred values, or of bytes, and where each begins.
    final class Rows {
        let base: UnsafeMutableRawPointer
        let addresses: [UnsafeRawPointer]

        init(count: Int, values: Int, isWide: Bool, _ noise: inout Noise) {
            let bytesPerRow = (values * (isWide ? 2 : 1) + 127) / 64 * 64
            base = .allocate(byteCount: bytesPerRow * count, alignment: 64)
            for offset in stride(from: 0, to: bytesPerRow * count, by: 2) {
                let value = isWide ? noise.channel(8) * 64 : noise.channel(8) | noise.channel(8) << 8
                base.storeBytes(of: UInt16(value), toByteOffset: offset, as: UInt16.self)
            }
            addresses = (0..<count).map { [base] in UnsafeRawPointer(base + $0 * bytesPerRow) }
        }

        deinit { base.deallocate() }
    }

    /// Weights that together, both ways, are about 1.
    static func weights(_ reach: Int, _ noise: inout Noise) -> [Int16] {
        (0...reach).map { _ in Int16(noise.whole(0...(32767 / (2 * reach + 1)))) }
    }

    @Test("Sums of rows of bytes are equal", arguments: [(0, 1, 1), (1, 1, 3), (4, 2, 4), (19, 8, 4), (33, 5, 2)])
    func bytes(reach: Int, step: Int, sums: Int) {
        var noise = Noise(UInt64(reach))
        for count in [1, 3, 63, 64, 65, 500, 1234] {
            let rows = Rows(count: 2 * reach + 1 + (sums - 1) * step, values: count, isWide: false, &noise)
            let weights = Self.weights(reach, &noise)
            let stride = (count + 127) / 64 * 64
            var wanted = [Int16](repeating: 0, count: stride * sums)
            ScalarBlur.blurBytes(
                rows.addresses, step: step, weights, reach: reach, to: &wanted, stride: stride, sums: sums, count: count
            )
            Vectors.onEachPath {
                var result = [Int16](repeating: 0, count: stride * sums)
                BlurKernels.blurBytes(
                    rows.addresses, step: step, weights, reach: reach, to: &result, stride: stride, sums: sums,
                    count: count)
                for sum in 0..<sums {
                    let row = sum * stride..<sum * stride + count
                    #expect(result[row] == wanted[row], "\(count) values")
                }
            }
        }
    }

    @Test("Sums of rows of blurred values are equal", arguments: [0, 1, 2, 9, 33])
    func wide(reach: Int) {
        var noise = Noise(UInt64(reach))
        for count in [1, 3, 31, 32, 33, 500] {
            let rows = Rows(count: 2 * reach + 1, values: count, isWide: true, &noise)
            let weights = Self.weights(reach, &noise)
            var wanted = [Int16](repeating: 0, count: count)
            ScalarBlur.blur(rows.addresses, weights, reach: reach, to: &wanted, count: count)
            Vectors.onEachPath {
                var result = [Int16](repeating: 0, count: count + 32)
                BlurKernels.blur(rows.addresses, weights, reach: reach, to: &result, count: count)
                #expect(Array(result.prefix(count)) == wanted, "\(count) values")
            }
        }
    }

    @Test("Sums of four rows are equal, as values and as bytes", arguments: [false, true])
    func four(limitsToAlpha: Bool) {
        var noise = Noise(8)
        let weights: [Int16] = [5461, 21845, 5460, 2]
        for count in [4, 28, 32, 36, 500] {
            let rows = Rows(count: 4, values: count, isWide: true, &noise)
            let four = rows.addresses.map { $0.assumingMemoryBound(to: Int16.self) }
            var wanted = [Int16](repeating: 0, count: count)
            ScalarBlur.sum(four, weights, to: &wanted, count: count)
            var wantedBytes = [UInt8](repeating: 9, count: count + 40)
            ScalarBlur.round(wanted, to: &wantedBytes, count: count, limitsToAlpha: limitsToAlpha)
            Vectors.onEachPath {
                var result = [Int16](repeating: 0, count: count + 32)
                BlurKernels.sum(four, weights, to: &result, count: count)
                #expect(Array(result.prefix(count)) == wanted, "\(count) values")
                // Not a byte more than was asked for.
                var bytes = [UInt8](repeating: 9, count: count + 40)
                BlurKernels.sumToBytes(four, weights, to: &bytes, count: count, limitsToAlpha: limitsToAlpha)
                #expect(bytes == wantedBytes)
                bytes = [UInt8](repeating: 9, count: count + 40)
                BlurKernels.round(wanted, to: &bytes, count: count, limitsToAlpha: limitsToAlpha)
                #expect(bytes == wantedBytes)
            }
        }
    }

    @Test("Enlarged and split rows are equal", arguments: [1, 4])
    func along(channels: Int) {
        var noise = Noise(3)
        for spacing in [1, 2, 3, 4, 5, 8, 17] {
            let count = 21
            let row = (0..<(count + 4) * channels * spacing).map { _ in Int16(noise.channel(8) * 64) }
            let stride = (spacing * channels + 15) / 16 * 16
            let weights = (0..<4 * stride).map { _ in Int16(noise.whole(0...8191)) }
            let length = count * spacing * channels
            var wanted = [Int16](repeating: 0, count: length)
            ScalarBlur.enlarge(
                row, weights, stride: stride, spacing: spacing, channels: channels, to: &wanted, count: count)
            var wantedParts = [Int16](repeating: 0, count: spacing * 100)
            ScalarBlur.part(row, step: spacing, channels: channels, to: &wantedParts, stride: 100, count: count)
            Vectors.onEachPath {
                var result = [Int16](repeating: 0, count: length + 16)
                BlurKernels.enlarge(
                    row, weights, stride: stride, spacing: spacing, channels: channels, to: &result, count: count)
                #expect(Array(result.prefix(length)) == wanted, "\(spacing) apart")
                var parts = [Int16](repeating: 0, count: spacing * 100)
                BlurKernels.part(row, step: spacing, channels: channels, to: &parts, stride: 100, count: count)
                #expect(parts == wantedParts)
            }
        }
    }

    @Test("Sharpened rows are equal", arguments: [0.3, 1, 17])
    func sharpening(amount: Float) throws {
        var noise = Noise(6)
        for alpha in [AlphaMode.none, .premultiplied] {
            let picture = try noise.picture(301, 1, alpha: alpha)
            let row = picture.rows.row(0, as: RGBA8.self)
            let blurred = (0..<301 * 4).map { index in
                Int16(alpha == .none && index % 4 == 3 ? 16320 : noise.whole(0...16320) * noise.whole(0...1))
            }
            var wanted = try MutableBitmap(picture.info)
            var result = try MutableBitmap(picture.info)
            var wantedRows = wanted.mutableRows
            var resultRows = result.mutableRows
            var a = wantedRows.row(0, as: RGBA8.self)
            var b = resultRows.row(0, as: RGBA8.self)
            ScalarBlur.sharpen(row, blurred, amount: amount, isOpaque: alpha == .none, to: &a)
            BlurKernels.sharpen(row, blurred, amount: amount, isOpaque: alpha == .none, to: &b)
            for x in row.indices { #expect(a[x] == b[x], "\(x)") }
        }
    }

    @Test("Shadows are equal, with and without pixels over them")
    func shadows() throws {
        var noise = Noise(7)
        for count in [1, 2, 3, 4, 5, 8, 63, 200] {
            let picture = try noise.picture(count, 1)
            let row = picture.rows.row(0, as: RGBA8.self)
            let alphas = (0..<count).map { _ in Int16(noise.whole(0...16320)) }
            let inks: [SIMD4<Int16>] = [SIMD4(0, 100, 16384, 20000), SIMD4(repeating: 32767), SIMD4(0, 0, 0, 32767)]
            for ink in inks {
                for hasPixels in [false, true] {
                    row.withUnsafeBufferPointer { pixels in
                        let pixels = hasPixels ? pixels.baseAddress : nil
                        var wanted = [RGBA8](repeating: RGBA8(9, 9, 9), count: count + 4)
                        ScalarBlur.drawShadow(alphas, ink: ink, under: pixels, to: &wanted, count: count)
                        Vectors.onEachPath {
                            var result = [RGBA8](repeating: RGBA8(9, 9, 9), count: count + 4)
                            BlurKernels.drawShadow(alphas, ink: ink, under: pixels, to: &result, count: count)
                            #expect(result == wanted)
                        }
                    }
                }
            }
            var wanted = try MutableBitmap(BitmapInfo(size: picture.size, format: .gray8))
            var result = try MutableBitmap(BitmapInfo(size: picture.size, format: .gray8))
            var wantedRows = wanted.mutableRows
            var resultRows = result.mutableRows
            var a = wantedRows.row(0, as: Gray8.self)
            var b = resultRows.row(0, as: Gray8.self)
            ScalarBlur.extractAlpha(row, to: &a)
            BlurKernels.extractAlpha(row, to: &b)
            for x in 0..<count { #expect(a[x] == b[x]) }
        }
    }
}
