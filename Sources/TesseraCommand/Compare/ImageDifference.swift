internal import Platform
internal import ImageFormats
internal import Raster
internal import Tessera

/// The differences of two images of one size, measured row by row.
///
/// Colours are multiplied by alpha, so that the colours of transparent pixels don't count. Alpha is a fourth channel if either
/// image has it. Structural similarity is that of luma (Rec. 601) over white.
struct ImageDifference {
    let size: PixelSize
    let bitsPerChannel: Int
    let hasAlpha: Bool
    /// The number of pixels with a difference in any channel.
    private(set) var differentPixelCount = 0
    /// The score of SSIMULACRA 2, set after the last row.
    var perceptualScore = 100.0
    private var largest = 0
    /// The sum over all channels of squared differences.
    private var squares = 0.0
    private var similarity: StructuralSimilarity
    private var luma: [SIMD2<Float>]

    init(size: PixelSize, bitsPerChannel: Int, hasAlpha: Bool) {
        self.size = size
        self.bitsPerChannel = bitsPerChannel
        self.hasAlpha = hasAlpha
        similarity = StructuralSimilarity(width: size.width)
        luma = Array(repeating: .zero, count: size.width)
    }

    /// Adds the next row of both images, with premultiplied alpha, and writes the absolute differences to `result`: in each
    /// channel of colour, its difference or that of alpha, whichever is larger.
    mutating func add<P: ComparedPixel>(_ first: Span<P>, _ second: Span<P>, to result: inout MutableSpan<P>) {
        let scale = 255 / Float(P.maximum)
        let weights = SIMD4<Float>(0.299, 0.587, 0.114, -1) * scale
        var rowSquares = 0
        for x in 0..<size.width {
            let (a, b) = (first[x].channels, second[x].channels)
            luma[x] = SIMD2(
                (SIMD4<Float>(a) * weights).sum() + 255, (SIMD4<Float>(b) * weights).sum() + 255)
            guard a != b else {
                result[x] = P(.zero)
                continue
            }
            let difference = a &- b
            let absolute = pointwiseMax(difference, SIMD4.zero &- difference)
            for channel in 0..<4 { rowSquares += Int(absolute[channel]) * Int(absolute[channel]) }
            largest = max(largest, Int(absolute.max()))
            differentPixelCount += 1
            result[x] = P(pointwiseMax(absolute, SIMD4(repeating: absolute[3])))
        }
        squares += Double(rowSquares)
        similarity.add(luma)
    }

    /// The number of pixels.
    var pixelCount: Int { size.width * size.height }

    /// Whether all pixels are equal.
    var isIdentical: Bool { differentPixelCount == 0 }

    /// The largest difference in a channel, on the scale of 8 bits: 0 to 255.
    var largestDifference: Double { Double(largest) * 255 / maximum }

    /// The ratio of the largest possible to the mean squared difference of the channels, in decibels; infinite if the images
    /// are identical.
    var peakSignalToNoiseRatio: Double {
        let mean = squares / (Double(pixelCount) * (hasAlpha ? 4 : 3))
        return mean > 0 ? 10 * log10(maximum * maximum / mean) : .infinity
    }

    /// The mean structural similarity of luma; nil if a side is shorter than 11 pixels.
    var structuralSimilarity: Double? { similarity.mean }

    private var maximum: Double { bitsPerChannel == 16 ? 65535 : 255 }
}

extension ImageDifference {
    /// The measures as lines of text.
    var text: String {
        let percentage = 100 * Double(differentPixelCount) / Double(pixelCount)
        let decimals = bitsPerChannel == 16 ? 3 : 0
        return """
            PSNR:               \(isIdentical ? "infinite" : peakSignalToNoiseRatio.formatted(decimals: 2) + " dB")
            SSIM:               \(structuralSimilarity?.formatted(decimals: 5) ?? "none; a window has 11x11 pixels")
            SSIMULACRA2:        \(perceptualScore.formatted(decimals: 2))
            largest difference: \(largestDifference.formatted(decimals: decimals)) of 255
            different pixels:   \(differentPixelCount) of \(pixelCount) (\(percentage.formatted(decimals: 2)) %)
            """
    }

    /// The measures as members of a JSON object.
    var json: [(String, JSONValue)] {
        [
            ("width", .integer(size.width)),
            ("height", .integer(size.height)),
            ("bitsPerChannel", .integer(bitsPerChannel)),
            ("alpha", .boolean(hasAlpha)),
            ("identical", .boolean(isIdentical)),
            ("psnr", .number(peakSignalToNoiseRatio)),
            ("ssim", structuralSimilarity.map { .number($0) } ?? .null),
            ("ssimulacra2", .number(perceptualScore)),
            ("largestDifference", JSONValue(largestDifference)),
            ("differentPixels", .integer(differentPixelCount)),
        ]
    }
}
