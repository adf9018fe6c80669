import Raster
import Testing

@Suite("Resampling")
struct ResamplingTests {
    static let kinds: [(PixelFormat, AlphaMode)] = [
        (.gray8, .none), (.gray16, .none), (.rgba8, .none), (.rgba8, .straight), (.rgba8, .premultiplied),
        (.rgba16, .none), (.rgba16, .straight), (.rgba16, .premultiplied),
    ]
    static let sizes: [(PixelSize, PixelSize)] = [
        (PixelSize(width: 97, height: 61), PixelSize(width: 13, height: 7)),
        (PixelSize(width: 97, height: 61), PixelSize(width: 96, height: 60)),
        (PixelSize(width: 19, height: 23), PixelSize(width: 50, height: 47)),
        (PixelSize(width: 64, height: 48), PixelSize(width: 32, height: 24)),
        (PixelSize(width: 40, height: 9), PixelSize(width: 11, height: 30)),
        (PixelSize(width: 1, height: 37), PixelSize(width: 1, height: 5)),
        (PixelSize(width: 37, height: 1), PixelSize(width: 80, height: 3)),
        (PixelSize(width: 1, height: 1), PixelSize(width: 5, height: 4)),
        (PixelSize(width: 33, height: 31), PixelSize(width: 1, height: 1)),
    ]

    /// The largest difference to double precision; colours of a straight pixel that is nearly transparent aside, whose
    /// alpha of a few steps can't be known well enough to divide by.
    static func difference(_ result: Bitmap, _ reference: Samples) -> Int {
        let samples = Samples(result)
        guard result.alpha == .straight else { return samples.largestDifference(reference) }
        let faint = result.format == .rgba8 ? 3 : 600
        var largest = 0
        for y in 0..<result.height {
            for x in 0..<result.width {
                let (a, b) = (samples.pixel(x, y), reference.pixel(x, y))
                let channels = b[3] <= faint ? [3] : [0, 1, 2, 3]
                for channel in channels { largest = max(largest, abs(a[channel] - b[channel])) }
            }
        }
        return largest
    }

    @Test("Results are within 1 of double precision", arguments: ResamplingFilter.allCases, kinds)
    func accuracy(filter: ResamplingFilter, kind: (PixelFormat, AlphaMode)) throws {
        for (from, to) in Self.sizes {
            let source = try noisePicture(from.width, from.height, kind.0, kind.1, seed: 7)
            let result = try source.resampled(to: to, filter: filter)
            #expect(result.info == BitmapInfo(size: to, format: kind.0, alpha: kind.1))
            let reference = ResamplingReference.resample(
                source, to: to, region: PixelRegion(source.size), filter: filter)
            #expect(Self.difference(result, reference) <= 1, "\(from) to \(to), \(kind)")
        }
    }

    @Test("Results in linear light are within 1 of double precision", arguments: kinds)
    func linearLight(kind: (PixelFormat, AlphaMode)) throws {
        for (from, to) in Self.sizes.prefix(3) {
            let source = try noisePicture(from.width, from.height, kind.0, kind.1, seed: 3)
            for filter in [ResamplingFilter.area, .lanczos3] {
                let result = try source.resampled(to: to, filter: filter, linearLight: true)
                let reference = ResamplingReference.resample(
                    source, to: to, region: PixelRegion(source.size), filter: filter, linearLight: true)
                // 16 bits are more than Float's tables of light resolve near black.
                let tolerance = kind.0.bitsPerChannel == 8 ? 1 : 8
                #expect(Self.difference(result, reference) <= tolerance, "\(from) to \(to), \(filter)")
            }
        }
    }

    @Test("A region's edges may lie between pixels", arguments: kinds)
    func region(kind: (PixelFormat, AlphaMode)) throws {
        let source = try noisePicture(71, 53, kind.0, kind.1, seed: 11)
        let region = PixelRegion(x: 3.25, y: 10.6, width: 50.5, height: 30.125)
        for (size, filter) in [
            (PixelSize(width: 20, height: 11), ResamplingFilter.area), (PixelSize(width: 80, height: 11), .automatic),
            (PixelSize(width: 20, height: 40), .lanczos3),
        ] {
            let result = try source.resampled(to: size, region: region, filter: filter)
            let reference = ResamplingReference.resample(source, to: size, region: region, filter: filter)
            #expect(Self.difference(result, reference) <= 1)
        }
    }

    @Test("Streaming gives the same pixels, however rows are passed", arguments: kinds)
    func streaming(kind: (PixelFormat, AlphaMode)) throws {
        let source = try noisePicture(83, 200, kind.0, kind.1, seed: 5)
        for (height, filter) in [(23, ResamplingFilter.area), (61, .lanczos3), (333, .bicubic), (11, .mitchell)] {
            let size = PixelSize(width: 40, height: height)
            let region = PixelRegion(x: 0, y: 20.5, width: 83, height: 150)
            let whole = try source.resampled(to: size, region: region, filter: filter)
            let streamed = try ResamplingRowSource(
                StingySource(source, rowCount: 7), to: size, region: region, filter: filter)
            var pieces: [UInt8] = []
            var target = try MutableBitmap(BitmapInfo(size: PixelSize(width: 40, height: 3), format: kind.0))
            while true {
                let count = try target.withMutableRows(0..<3) { (rows) throws(ImageError) in
                    try streamed.read(into: &rows)
                }
                if count == 0 { break }
                pieces += target.snapshot(rowCount: count)
            }
            #expect(pieces == whole.tightBytes())
        }
    }

    @Test("A large image that is resampled on several threads has the same pixels", arguments: kinds)
    func largeStreaming(kind: (PixelFormat, AlphaMode)) throws {
        let source = try noisePicture(1201, 900, kind.0, kind.1, seed: 6)
        for (size, filter) in [
            (PixelSize(width: 500, height: 333), ResamplingFilter.lanczos3),
            (PixelSize(width: 1300, height: 950), .bicubic), (PixelSize(width: 150, height: 99), .automatic),
        ] {
            let whole = try source.resampled(to: size, filter: filter)
            let streamed = try ResamplingRowSource(StingySource(source, rowCount: 70), to: size, filter: filter)
            #expect(try streamed.makeBitmap().tightBytes() == whole.tightBytes(), "\(size), \(filter)")
        }
    }

    @Test("A constant image is unchanged", arguments: ResamplingFilter.allCases, kinds)
    func constant(filter: ResamplingFilter, kind: (PixelFormat, AlphaMode)) throws {
        let largest = kind.0.bitsPerChannel == 8 ? 255 : 65535
        let alpha = kind.1 == .none ? largest : largest / 3
        let color = [largest / 7, largest / 5, largest / 4].map { kind.1 == .premultiplied ? min($0, alpha) : $0 }
        let pixel = kind.0.isGray ? [largest / 7] : color + [alpha]
        let size = PixelSize(width: 37, height: 41)
        let info = BitmapInfo(size: size, format: kind.0, alpha: kind.1)
        let values = (0..<size.pixelCount).flatMap { _ in pixel }
        let source = try Samples(size: size, channelCount: pixel.count, values: values).makeBitmap(info)
        for target in [PixelSize(width: 10, height: 9), PixelSize(width: 90, height: 77)] {
            let result = Samples(try source.resampled(to: target, filter: filter))
            // A colour is the quotient of two rounded sums.
            let tolerance = kind.1 == .straight && largest == 65535 ? 1 : 0
            for y in 0..<target.height {
                for x in 0..<target.width {
                    for (a, b) in zip(result.pixel(x, y), pixel) { #expect(abs(a - b) <= tolerance) }
                }
            }
        }
    }

    @Test("The area filter keeps the sum")
    func sum() throws {
        let source = try noisePicture(120, 90, .gray16, seed: 9)
        let small = try source.resampled(to: PixelSize(width: 17, height: 11), filter: .area)
        let before = Double(Samples(source).values.reduce(0, +)) / Double(120 * 90)
        let after = Double(Samples(small).values.reduce(0, +)) / Double(17 * 11)
        #expect(abs(before - after) < 0.5)
    }

    @Test(
        "Colours of transparent pixels never bleed", arguments: [PixelFormat.rgba8, .rgba16], ResamplingFilter.allCases)
    func noHalo(format: PixelFormat, filter: ResamplingFilter) throws {
        let largest = format == .rgba8 ? 255 : 65535
        let size = PixelSize(width: 40, height: 40)
        let info = BitmapInfo(size: size, format: format, alpha: .straight)
        // Opaque red beside transparent green.
        let values = (0..<1600).flatMap { $0 % 40 < 21 ? [largest, 0, 0, largest] : [0, largest, 0, 0] }
        let source = try Samples(size: size, channelCount: 4, values: values).makeBitmap(info)
        for side in [9, 77] {
            let result = Samples(try source.resampled(to: PixelSize(width: side, height: side), filter: filter))
            for y in 0..<side {
                for x in 0..<side {
                    let pixel = result.pixel(x, y)
                    #expect(pixel[1] == 0)
                    #expect(pixel[3] == 0 || pixel[0] >= largest - 1)
                }
            }
        }
    }

    @Test("No premultiplied colour exceeds its alpha", arguments: [PixelFormat.rgba8, .rgba16])
    func premultipliedStays(format: PixelFormat) throws {
        let source = try noisePicture(50, 50, format, .premultiplied)
        for side in [23, 99] {
            let result = Samples(try source.resampled(to: PixelSize(width: side, height: side), filter: .lanczos3))
            for y in 0..<side {
                for x in 0..<side {
                    let pixel = result.pixel(x, y)
                    #expect(pixel.prefix(3).max()! <= pixel[3])
                }
            }
        }
    }

    @Test("Very many pixels are reduced to few", arguments: [PixelFormat.gray8, .rgba8])
    func steep(format: PixelFormat) throws {
        for (width, height) in [(3000, 2), (2, 3000), (900, 700)] {
            let source = try noisePicture(width, height, format)
            let size = PixelSize(width: 2, height: 1)
            for filter in [ResamplingFilter.area, .lanczos3] {
                let result = try source.resampled(to: size, filter: filter)
                let reference = ResamplingReference.resample(
                    source, to: size, region: PixelRegion(source.size), filter: filter)
                #expect(Self.difference(result, reference) <= 1)
            }
        }
    }

    @Test("Invalid sizes and regions are refused")
    func refusals() throws {
        let source = try noisePicture(10, 10, .rgba8)
        let ten = PixelSize(width: 10, height: 10)
        for size in [PixelSize(width: 0, height: 5), PixelSize(width: 5, height: -1)] {
            #expect(throws: ImageError.self) { try source.resampled(to: size) }
        }
        for size in [
            PixelSize(width: .max, height: 1), PixelSize(width: 1, height: 1 << 40),
            PixelSize(width: (1 << 24) + 1, height: 1),
        ] {
            let error = #expect(throws: ImageError.self) { try source.resampled(to: size) }
            #expect(error?.code == .limitExceeded)
        }
        for region in [
            PixelRegion(x: 0, y: 0, width: 10.1, height: 1), PixelRegion(x: -0.1, y: 0, width: 1, height: 1),
            PixelRegion(x: 0, y: 0, width: 0, height: 1), PixelRegion(x: .nan, y: 0, width: 1, height: 1),
            PixelRegion(x: 0, y: 0, width: .infinity, height: 1),
        ] {
            let error = #expect(throws: ImageError.self) { try source.resampled(to: ten, region: region) }
            #expect(error?.code == .invalidParameter)
        }
    }

    @Test("A failing source gives its rows, then the error", arguments: [(10, 40, 16), (1201, 900, 700)])
    func failure(width: Int, height: Int, last: Int) throws {
        let source = try noisePicture(width, height, .rgba8)
        let size = PixelSize(width: width / 2, height: height / 2)
        let failing = try ResamplingRowSource(
            StingySource(source, rowCount: 4, failsAfter: last), to: size, filter: .area)
        let whole = try source.resampled(to: size, filter: .area)
        var target = try MutableBitmap(failing.info)
        let first = try target.withMutableRows(0..<size.height) { (rows) throws(ImageError) in
            try failing.read(into: &rows)
        }
        #expect(first == last / 2)
        #expect(target.snapshot(rowCount: first).elementsEqual(whole.tightBytes().prefix(first * size.width * 4)))
        #expect(throws: ImageError(.corrupt, "row \(last) is damaged")) {
            try target.withMutableRows(first..<size.height) { (rows) throws(ImageError) in
                try failing.read(into: &rows)
            }
        }
    }
}

extension MutableBitmap {
    /// The first rows without padding.
    func snapshot(rowCount: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for y in 0..<rowCount { rows.bytes(y).withUnsafeBytes { bytes.append(contentsOf: $0) } }
        return bytes
    }
}
