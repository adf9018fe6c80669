import Foundation
import Raster
import Testing

/// What a reduced image keeps of the full one, against Lanczos' filter over all pixels in double precision.
@Suite("Reduction")
struct ReductionTests {
    static let source = PixelSize(width: 411, height: 277)
    /// Reductions by 2.03 to 31: with no means before the filter, and with means of up to 15 pixels.
    static let targets = [203, 137, 97, 76, 41, 13].map { width in
        PixelSize(width: width, height: Int((277.0 * Double(width) / 411).rounded()))
    }

    /// A scene with smooth parts, fine texture and hard edges at odd angles, in 0...1.
    static func scene(_ x: Double, _ y: Double) -> Double {
        let texture = 0.13 * sin(x * 0.9 + y * 0.35) + 0.09 * sin(x * 0.22 - y * 0.31) + 0.06 * cos(x * 0.05)
        let disc = hypot(x - 150, y - 125) < 86.3 ? 0.25 : 0
        let edge = x * 0.83 + y * 0.56 > 256.7 ? -0.18 : 0.1
        let stripes = Int((x - y * 0.4) / 37).isMultiple(of: 2) ? 0.08 : -0.05
        return min(1, max(0, 0.45 + texture + disc + edge + stripes))
    }

    static func picture(_ format: PixelFormat, _ size: PixelSize = source) throws -> Bitmap {
        let largest = format.bitsPerChannel == 8 ? 255.0 : 65535
        var values: [Int] = []
        for y in 0..<size.height {
            for x in 0..<size.width {
                let value = scene(Double(x) + 0.5, Double(y) + 0.5)
                let channels = format.isGray ? [value] : [value, 1 - value, value * value, 1]
                values += channels.map { Int(($0 * largest).rounded()) }
            }
        }
        let samples = Samples(size: size, channelCount: format.channelCount, values: values)
        return try samples.makeBitmap(BitmapInfo(size: size, format: format))
    }

    /// The first channel reduced by Lanczos' filter over all pixels, one side after the other.
    static func exact(_ source: Samples, to size: PixelSize) -> [Double] {
        func weights(_ count: Int, _ targets: Int) -> [[(Int, Double)]] {
            let step = Double(count) / Double(targets)
            return (0..<targets).map { target in
                let center = (Double(target) + 0.5) * step
                var pairs: [(Int, Double)] = []
                for index in 0..<count {
                    let x = abs(Double(index) + 0.5 - center) / step
                    if x < 3 {
                        pairs.append((index, x == 0 ? 1 : 3 * sin(.pi * x) * sin(.pi * x / 3) / (.pi * .pi * x * x)))
                    }
                }
                let sum = pairs.reduce(0) { $0 + $1.1 }
                return pairs.map { ($0.0, $0.1 / sum) }
            }
        }
        let columns = weights(source.size.width, size.width)
        let rows = weights(source.size.height, size.height)
        var between = [Double](repeating: 0, count: size.width * source.size.height)
        for y in 0..<source.size.height {
            for x in 0..<size.width {
                between[y * size.width + x] = columns[x].reduce(0) { $0 + Double(source[$1.0, y, 0]) * $1.1 }
            }
        }
        return (0..<size.pixelCount).map { index in
            let (x, y) = (index % size.width, index / size.width)
            return rows[y].reduce(0) { $0 + between[$1.0 * size.width + x] * $1.1 }
        }
    }

    /// The mean difference between neighbours in a row.
    static func sharpness(_ values: [Double], width: Int) -> Double {
        var sum = 0.0
        for index in values.indices where index % width > 0 { sum += abs(values[index] - values[index - 1]) }
        return sum / Double(values.count / width * (width - 1))
    }

    static func psnr(_ values: [Double], _ reference: [Double]) -> Double {
        let error = zip(values, reference).reduce(0) { sum, pair in
            let wanted = min(255, max(0, pair.1))
            return sum + (pair.0 - wanted) * (pair.0 - wanted)
        }
        return 10 * log10(255 * 255 * Double(values.count) / error)
    }

    @Test("Reduction in steps is as sharp as Lanczos' filter over all pixels, and close to it", arguments: targets)
    func sharpness(target: PixelSize) throws {
        let wanted = Self.exact(Samples(try Self.picture(.gray8)), to: target)
        for format in [PixelFormat.gray8, .rgba8, .gray16, .rgba16] {
            let source = try Self.picture(format)
            let (channels, step) = (format.channelCount, format.bitsPerChannel == 8 ? 1.0 : 257)
            for result in [
                try source.resampled(to: target),
                try ResamplingRowSource(source.makeRowSource(), to: target).makeBitmap(),
            ] {
                let all = Samples(result).values
                let values = stride(from: 0, to: all.count, by: channels).map { Double(all[$0]) / step }
                let ratio =
                    Self.sharpness(values, width: target.width) / Self.sharpness(wanted, width: target.width)
                #expect((0.94...1.02).contains(ratio), "\(format), \(target): \(ratio)")
                let psnr = Self.psnr(values, wanted)
                #expect(psnr > 38, "\(format), \(target): \(psnr) dB")
            }
        }
    }

    @Test("Softer filters are softer", arguments: targets.prefix(2))
    func filters(target: PixelSize) throws {
        let source = try Self.picture(.gray8)
        func sharpness(_ filter: ResamplingFilter) throws -> Double {
            let values = Samples(try source.resampled(to: target, filter: filter)).values.map { Double($0) }
            return Self.sharpness(values, width: target.width)
        }
        let lanczos = try sharpness(.lanczos3)
        #expect(try sharpness(.automatic) == lanczos)
        #expect(try sharpness(.mitchell) < lanczos * 0.97)
        #expect(try sharpness(.area) < lanczos * 0.97)
    }

    @Test("Reduction doesn't shift the image", arguments: ResamplingFilter.allCases)
    func phase(filter: ResamplingFilter) throws {
        // A smooth spot, whose centre of gravity is known; it must be in the same place of a reduced image.
        let size = PixelSize(width: 403, height: 301)
        for center in [(201.5, 150.5), (97.25, 203.75), (310.6, 88.1)] {
            var values: [Int] = []
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let distance = hypot(Double(x) + 0.5 - center.0, Double(y) + 0.5 - center.1)
                    values.append(Int((60000 * exp(-distance * distance / (2 * 20 * 20))).rounded()))
                }
            }
            let source = try Samples(size: size, channelCount: 1, values: values)
                .makeBitmap(BitmapInfo(size: size, format: .gray16))
            for target in [
                PixelSize(width: 402, height: 300), PixelSize(width: 200, height: 100),
                PixelSize(width: 77, height: 70),
                PixelSize(width: 41, height: 29),
            ] {
                let result = Samples(try source.resampled(to: target, filter: filter))
                var (mass, across, down) = (0.0, 0.0, 0.0)
                for y in 0..<target.height {
                    for x in 0..<target.width {
                        let value = Double(result[x, y, 0])
                        mass += value
                        across += value * (Double(x) + 0.5)
                        down += value * (Double(y) + 0.5)
                    }
                }
                #expect(abs(across / mass - center.0 * Double(target.width) / 403) < 0.02, "\(target)")
                #expect(abs(down / mass - center.1 * Double(target.height) / 301) < 0.02, "\(target)")
            }
        }
    }

    @Test("8 and 16 bits, grey and colour agree")
    func formats() throws {
        let target = Self.targets[3]
        let gray = Samples(try Self.picture(.gray8).resampled(to: target)).values
        let color = Samples(try Self.picture(.rgba8).resampled(to: target)).values
        let deepGray = Samples(try Self.picture(.gray16).resampled(to: target)).values
        let deepColor = Samples(try Self.picture(.rgba16).resampled(to: target)).values
        for index in gray.indices {
            #expect(gray[index] == color[4 * index])
            #expect(abs(deepGray[index] - deepColor[4 * index]) <= 1)
            // What is rounded before it is reduced is off by half a step at most, and overshoot adds to that.
            #expect(abs(gray[index] * 257 - deepGray[index]) <= 2 * 257)
        }
    }
}
