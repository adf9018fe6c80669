import Foundation
import Raster
import Testing

@Suite("Vector kernels and their scalar twins", .serialized)
struct KernelTests {
    /// Runs `body` with the widest vectors and with the narrowest.
    static func withEveryPath(_ body: () throws -> Void) rethrows {
        defer { ResamplingKernels.allowWidestVectors(true) }
        for allowed in [true, false] {
            ResamplingKernels.allowWidestVectors(allowed)
            try body()
        }
    }

    @Test("Sums of rows are equal", arguments: [false, true])
    func vertical(isWide: Bool) {
        var noise = Noise(3)
        for (taps, count, shift) in [(2, 64, 14), (2, 1, 6), (4, 100, 22), (6, 129, 15), (30, 1000, 16), (90, 333, 20)]
        {
            let shift = isWide ? min(shift, 16) : shift
            let valueBytes = isWide ? 2 : 1
            let rowBytes = (count * valueBytes + 127) / 64 * 64
            let memory = UnsafeMutableRawPointer.allocate(byteCount: rowBytes * taps, alignment: 64)
            defer { memory.deallocate() }
            for index in 0..<(rowBytes * taps / valueBytes) {
                if isWide {
                    memory.storeBytes(of: Int16(noise.channel(8) * 64), toByteOffset: 2 * index, as: Int16.self)
                } else {
                    memory.storeBytes(of: UInt8(noise.channel(8)), toByteOffset: index, as: UInt8.self)
                }
            }
            let rows = (0..<taps).map { UnsafeRawPointer(memory + $0 * rowBytes) }
            // Weights of both signs whose sum overshoots no more than a filter's.
            let unit = min(32767, (1 << shift) / taps)
            let weights = (0..<taps).map { Int16($0 % 5 == 4 ? -unit / 4 : Int(noise.next() % UInt64(unit + 1))) }
            var expected = [Int16](repeating: 0, count: count)
            if isWide {
                ScalarResampling.verticalWide(rows, weights, taps: taps, shift: shift, to: &expected, count: count)
            } else {
                ScalarResampling.vertical(rows, weights, taps: taps, shift: shift, to: &expected, count: count)
            }
            Self.withEveryPath {
                var result = [Int16](repeating: 0, count: count + 64)
                ResamplingKernels.vertical(
                    rows, weights, taps: taps, shift: shift, isWide: isWide, to: &result, count: count)
                #expect(Array(result.prefix(count)) == expected, "\(taps) rows of \(count)")
            }
        }
    }

    @Test("Sums along a row are equal", arguments: [1, 4], ResamplingFilter.allCases)
    func horizontal(channels: Int, filter: ResamplingFilter) {
        var noise = Noise(4)
        for (from, to) in [(100, 7), (100, 99), (7, 100), (1, 3), (1000, 3), (500, 250)] {
            let axis = AxisWeights(
                sourceCount: from, start: 0, extent: Double(from), targetCount: to, filter: filter)
            let weights = FixedWeights(axis, largestShift: 16, unit: channels == 4 ? 4 : 8)
            let row = (0..<(from * channels + 64)).map { _ in Int16(noise.channel(8) * 64) }
            var expected = [Int16](repeating: 0, count: to * channels)
            ScalarResampling.horizontal(row, channels: channels, weights, to: &expected)
            Self.withEveryPath {
                var result = [Int16](repeating: 0, count: to * channels)
                ResamplingKernels.horizontal(row, channels: channels, weights, to: &result)
                #expect(result == expected, "\(from) to \(to)")
            }
        }
    }

    @Test("A pixel's weights don't depend on the others at its side", arguments: ResamplingFilter.allCases)
    func eachPixel(filter: ResamplingFilter) {
        for (start, extent, count) in [(0.5, 500.0, 500), (3.25, 600, 300), (0, 1000, 125), (100, 37, 11), (7, 9, 90)] {
            let step = extent / Double(count)
            let axis = AxisWeights(sourceCount: 1000, start: start, extent: extent, targetCount: count, filter: filter)
            for (index, target) in axis.targets.enumerated() {
                let alone = AxisWeights(
                    sourceCount: 1000, start: start + Double(index) * step, extent: step, targetCount: 1, filter: filter
                )
                #expect(target.first == alone.targets[0].first && target.count == alone.targets[0].count)
                let pairs = zip(axis.weights(of: target), alone.weights(of: alone.targets[0]))
                #expect(pairs.allSatisfy { abs($0 - $1) < 1e-9 })
            }
        }
    }

    @Test("Lanczos' filter is the product of two sinc functions")
    func lanczos() {
        func sinc(_ x: Double) -> Double { x == 0 ? 1 : sin(.pi * x) / (.pi * x) }
        for x in stride(from: -3.5, through: 3.5, by: 1.0 / 128) {
            let expected = abs(x) < 3 ? sinc(x) * sinc(x / 3) : 0
            #expect(abs(AxisWeights.value(of: .lanczos3, at: x) - expected) < 1e-14, "at \(x)")
        }
        for x in [1e-15, 1e-12, 1e-9] { #expect(abs(AxisWeights.value(of: .lanczos3, at: x) - 1) < 1e-14) }
    }

    @Test("Weights as whole numbers add up to 1", arguments: ResamplingFilter.allCases)
    func weights(filter: ResamplingFilter) {
        for (from, to) in [(1000, 3), (10, 100), (7, 5), (1, 1), (3, 2)] {
            let axis = AxisWeights(
                sourceCount: from, start: 0.25, extent: Double(from) - 0.5, targetCount: to, filter: filter)
            for largestShift in [16, 22] {
                let weights = FixedWeights(axis, largestShift: largestShift, unit: 4)
                for x in 0..<to {
                    let start = Int(weights.offsets[x])
                    let own = weights.values[start..<(start + Int(weights.counts[x]))]
                    #expect(own.reduce(0) { $0 + Int($1) } == 1 << weights.shift)
                    #expect(own.count % 4 == 0)
                    let counted = axis.targets[x].count
                    #expect(Int(weights.firsts[x]) + counted <= from)
                }
            }
        }
    }

    @Test("Premultiplying and unpremultiplying are equal for every colour and alpha, in rows of any length")
    func alpha() throws {
        for width in [1, 3, 4, 5, 8, 13, 256] {
            let info = BitmapInfo(
                size: PixelSize(width: width, height: 65536 / width), format: .rgba8, alpha: .straight)
            let values = (0..<info.size.pixelCount).flatMap { [$0 & 255, 255 - $0 & 255, $0 & 255, $0 >> 8] }
            let source = try Samples(size: info.size, channelCount: 4, values: values).makeBitmap(info)
            try Self.withEveryPath {
                for divides in [false, true] {
                    var expected = try source.mutableCopy()
                    var result = try source.mutableCopy()
                    var expectedRows = expected.mutableRows
                    var resultRows = result.mutableRows
                    for y in 0..<info.size.height {
                        var a = expectedRows.row(y, as: RGBA8.self)
                        var b = resultRows.row(y, as: RGBA8.self)
                        if divides {
                            ScalarAlpha.unpremultiply(&a)
                            ByteKernels.unpremultiply(&b)
                        } else {
                            ScalarAlpha.premultiply(&a)
                            ByteKernels.premultiply(&b)
                        }
                    }
                    let (wanted, got) = (expected.freeze(), result.freeze())
                    #expect(got.tightBytes() == wanted.tightBytes())
                }
            }
        }
    }
}
