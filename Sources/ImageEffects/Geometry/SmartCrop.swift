internal import Platform
public import Raster

extension Effects {
    /// Scales the image until it covers a size, and crops it to the most salient part.
    ///
    /// The part is found on a small copy, and is always the same for the same image.
    public struct SmartCrop: CodableEffect {
        /// How the part is chosen.
        public enum Strategy: String, Hashable, Sendable, Codable, CaseIterable {
            /// Edges, saturated colours and skin, which draw the eye.
            case attention
            /// The highest entropy (Shannon, 1948) of luma.
            case entropy
        }

        /// The effect's name in recipes.
        public static let name = "smartCrop"
        /// The target width.
        public var width: Double
        /// The target height.
        public var height: Double
        /// How the part is chosen.
        public var strategy: Strategy

        /// Fills `width` × `height` with the part that `strategy` chooses.
        public init(width: Double, height: Double, strategy: Strategy = .attention) {
            self.width = width
            self.height = height
            self.strategy = strategy
        }

        /// Decodes the effect; the strategy defaults to `attention`.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                width: try values.decode(Double.self, forKey: .width),
                height: try values.decode(Double.self, forKey: .height),
                strategy: try values.decode(.strategy, else: .attention))
        }

        /// The effect's name and parameters.
        public var identity: EffectIdentity {
            EffectIdentity(Self.name, .number(width), .number(height), .text(strategy.rawValue))
        }

        /// The target size in whole pixels.
        public func resultSize(of size: PixelSize, in context: EffectContext) throws(ImageError) -> PixelSize {
            let wanted = try context.pixelSize(width, height)
            return try context.snapped(wanted.width, wanted.height)
        }

        /// The scaling step; after it the effect only crops.
        var scaling: some ImageEffect { Scaling(crop: self) }

        private struct Scaling: PlacedEffect {
            let crop: SmartCrop
            var identity: EffectIdentity { EffectIdentity("smartCropScaling", [crop.identity]) }

            func place(_ size: PixelSize, in context: EffectContext) throws(ImageError) -> Placement {
                let covering = try crop.coveringSize(of: size, in: context)
                return Placement(canvas: covering, of: size, at: PixelRect(covering))
            }
        }

        /// The smallest size of the image's proportions that covers the result: one side equals the result's.
        private func coveringSize(of size: PixelSize, in context: EffectContext) throws(ImageError) -> PixelSize {
            let canvas = try resultSize(of: size, in: context)
            let (w, h) = (Double(size.width), Double(size.height))
            let factor = max(Double(canvas.width) / w, Double(canvas.height) / h)
            let covering = try context.snapped(w * factor, h * factor)
            return PixelSize(
                width: max(canvas.width, covering.width), height: max(canvas.height, covering.height))
        }

        /// The scaled and cropped image.
        public func apply(to bitmap: Bitmap, in context: EffectContext) throws(ImageError) -> Bitmap {
            let canvas = try resultSize(of: bitmap.size, in: context)
            let whole = try scaling.apply(to: bitmap, in: context)
            guard whole.size != canvas else { return whole }
            let origin = try Saliency(whole, strategy: strategy).origin(of: canvas)
            return try whole.cropped(to: PixelRect(x: origin.x, y: origin.y, size: canvas))
        }
    }
}

extension ImageEffect where Self == Effects.SmartCrop {
    /// Scales the image until it covers a size, and crops it to the most salient part.
    public static func smartCrop(
        width: Double, height: Double, strategy: Effects.SmartCrop.Strategy = .attention
    ) -> Self {
        Self(width: width, height: height, strategy: strategy)
    }
}

/// The saliency of an image's parts, computed on a copy whose longer side is at most 128 pixels.
struct Saliency {
    private static let longestSide = 128

    private let size: PixelSize
    private let strategy: Effects.SmartCrop.Strategy
    private let small: PixelSize
    /// Red, green, blue and alpha of the copy, 0 to 1, premultiplied.
    private let pixels: [SIMD4<Float>]

    init(_ bitmap: Bitmap, strategy: Effects.SmartCrop.Strategy) throws(ImageError) {
        size = bitmap.size
        self.strategy = strategy
        let bounds = PixelSize(width: Self.longestSide, height: Self.longestSide)
        small = bitmap.size.fitted(within: bounds)
        let copy = try bitmap.resampled(to: small, filter: .area).converted(to: .rgba8)
        var pixels: [SIMD4<Float>] = []
        for y in 0..<small.height {
            let row = copy.rows.row(y, as: RGBA8.self)
            for x in row.indices {
                let pixel = row[x]
                pixels.append(
                    SIMD4(Float(pixel.red), Float(pixel.green), Float(pixel.blue), Float(pixel.alpha)) / 255)
            }
        }
        self.pixels = pixels
    }

    /// The top left corner of the most salient part of a given size, one of whose sides equals the image's.
    func origin(of part: PixelSize) -> (x: Int, y: Int) {
        let isAcross = size.width > part.width
        let (whole, cut) = isAcross ? (size.width, part.width) : (size.height, part.height)
        let lines = isAcross ? small.width : small.height
        let window = min(lines, max(1, Int((Double(lines) * Double(cut) / Double(whole)).rounded())))
        let room = lines - window
        guard room > 0 else { return isAcross ? ((whole - cut) / 2, 0) : (0, (whole - cut) / 2) }
        let scores =
            switch strategy {
            case .attention: attention(isAcross, window: window)
            case .entropy: entropy(isAcross, window: window)
            }
        let best = Double(mostCentral(of: scores))
        let offset = Int((best * Double(whole - cut) / Double(room)).rounded())
        return isAcross ? (offset, 0) : (0, offset)
    }

    /// The index of the largest score, the most central one among equals.
    private func mostCentral(of scores: [Double]) -> Int {
        let largest = scores.max() ?? 0
        let equals = scores.indices.filter { scores[$0] >= largest - 1e-9 * abs(largest) }
        return equals.min { abs(2 * $0 - scores.count + 1) < abs(2 * $1 - scores.count + 1) } ?? 0
    }

    /// The pixel in the copy's column or row `line`, `index` pixels down or across.
    private func pixel(_ isAcross: Bool, _ line: Int, _ index: Int) -> SIMD4<Float> {
        isAcross ? pixels[index * small.width + line] : pixels[line * small.width + index]
    }

    private static func lightness(_ pixel: SIMD4<Float>) -> Float {
        0.2126 * pixel.x + 0.7152 * pixel.y + 0.0722 * pixel.z
    }
}

// MARK: Attention

extension Saliency {
    /// The attention score of each window, weighted towards its middle.
    private func attention(_ isAcross: Bool, window: Int) -> [Double] {
        var lines = [Double](repeating: 0, count: isAcross ? small.width : small.height)
        for y in 0..<small.height {
            for x in 0..<small.width { lines[isAcross ? x : y] += Double(attraction(x, y)) }
        }
        let weights = (0..<window).map { index in
            let distance = (Double(index) + 0.5) / Double(window) * 2 - 1
            return 1 - distance * distance / 2
        }
        return (0...(lines.count - window)).map { start in
            weights.indices.reduce(0) { $0 + weights[$1] * lines[start + $1] }
        }
    }

    private func attraction(_ x: Int, _ y: Int) -> Float {
        func lightness(_ x: Int, _ y: Int) -> Float {
            Self.lightness(pixels[min(max(0, y), small.height - 1) * small.width + min(max(0, x), small.width - 1)])
        }
        let neighbors = lightness(x - 1, y) + lightness(x + 1, y) + lightness(x, y - 1) + lightness(x, y + 1)
        let edge = min(1, abs(4 * lightness(x, y) - neighbors))
        let pixel = pixels[y * small.width + x]
        let sum = pixel.x + pixel.y + pixel.z
        // Dark pixels have no reliable chromaticity.
        guard sum > 0.3 * pixel.w, sum > 0 else { return edge }
        let largest = max(pixel.x, pixel.y, pixel.z)
        let saturation = (largest - min(pixel.x, pixel.y, pixel.z)) / largest
        // Skin of all shades has nearly the same chromaticity (Yang, Lu and Waibel, 1998).
        let (red, green) = ((pixel.x / sum - 0.43) / 0.05, (pixel.y / sum - 0.32) / 0.025)
        let skin = exp(-(red * red + green * green) / 2)
        return edge + (0.3 * saturation + skin) * pixel.w
    }
}

// MARK: Entropy

extension Saliency {
    /// The entropy of luma in each window, with 64 bins.
    private func entropy(_ isAcross: Bool, window: Int) -> [Double] {
        let (lines, length) = isAcross ? (small.width, small.height) : (small.height, small.width)
        var counts = [Int](repeating: 0, count: 64)
        func count(_ line: Int, _ step: Int) {
            for index in 0..<length {
                counts[min(63, Int(Self.lightness(pixel(isAcross, line, index)) * 64))] += step
            }
        }
        for line in 0..<window { count(line, 1) }
        let total = Double(window * length)
        return (0...(lines - window)).map { start in
            if start > 0 {
                count(start - 1, -1)
                count(start + window - 1, 1)
            }
            return counts.reduce(0) { sum, count in
                guard count > 0 else { return sum }
                let share = Double(count) / total
                return sum - share * log2(share)
            }
        }
    }
}
