/// All parameters of a resize that are known before the first row, shared by all threads that work on an image.
final class ResamplingPlan: Sendable {
    /// The form of the values while they are summed.
    enum Arithmetic: Sendable {
        /// Bytes as in memory, summed as integers: grey, opaque and premultiplied images.
        case bytes
        /// Bytes with 6 bits after the point, premultiplied, summed as integers: straight images, and
        /// means of pixels.
        case wideBytes
        /// Floating point: 16-bit channels and linear light.
        case float
    }

    /// The averaging before the filter; nil if the source's own pixels are filtered.
    let boxes: ResamplingPlan?
    /// The filter's input: the source, or the means.
    let source: BitmapInfo
    let target: BitmapInfo
    let arithmetic: Arithmetic
    let isLinear: Bool
    let vertical: AxisWeights
    let horizontal: AxisWeights
    let fixedVertical: FixedWeights
    let fixedHorizontal: FixedWeights
    let floatVertical: FloatWeights
    let floatHorizontal: FloatWeights

    /// The longest side in pixels, which bounds the tables of weights.
    static let largestSide = 1 << 24

    convenience init(
        _ source: BitmapInfo, to size: PixelSize, region: PixelRegion?, filter: ResamplingFilter, linearLight: Bool,
        displacement: (x: Double, y: Double) = (0, 0)
    ) throws(ImageError) {
        guard !size.isEmpty else {
            throw ImageError(.invalidParameter, "invalid target size \(size): width and height must be at least 1")
        }
        for side in [size.width, size.height, source.size.width, source.size.height] where side > Self.largestSide {
            throw ImageError(
                .limitExceeded, "a side of \(side) pixels is longer than the \(Self.largestSide) that can be resampled")
        }
        var region = region ?? PixelRegion(source.size)
        guard region.lies(within: source.size) else {
            throw ImageError(
                .invalidParameter,
                "the region of \(region.width)x\(region.height) at (\(region.x), \(region.y)) does not lie within a "
                    + "image of \(source.size)")
        }
        // Weights end at the image's edges, wherever the region does.
        region.x += displacement.x
        region.y += displacement.y
        let target = BitmapInfo(size: size, format: source.format, alpha: source.alpha, profile: source.profile)
        _ = try PixelStorage.byteCounts(target)

        let across = filter.box(region.width / Double(size.width))
        let down = filter.box(region.height / Double(size.height))
        guard across > 1 || down > 1 else {
            self.init(source, to: target, region: region, filter: filter, isLinear: linearLight, after: nil)
            return
        }
        let boxes = ResamplingPlan(source, across: across, down: down, isLinear: linearLight)
        region = PixelRegion(
            x: region.x / Double(across), y: region.y / Double(down), width: region.width / Double(across),
            height: region.height / Double(down))
        self.init(boxes.target, to: target, region: region, filter: filter, isLinear: linearLight, after: boxes)
    }

    /// Means of `across` × `down` pixels, the last ones of the remaining pixels.
    convenience init(_ source: BitmapInfo, across: Int, down: Int, isLinear: Bool) {
        var means = source
        means.size = PixelSize(
            width: (source.size.width - 1) / across + 1, height: (source.size.height - 1) / down + 1)
        let covered = PixelRegion(
            x: 0, y: 0, width: Double(means.size.width * across), height: Double(means.size.height * down))
        self.init(source, to: means, region: covered, filter: .area, isLinear: isLinear, after: nil)
    }

    private init(
        _ source: BitmapInfo, to target: BitmapInfo, region: PixelRegion, filter: ResamplingFilter, isLinear: Bool,
        after boxes: ResamplingPlan?
    ) {
        self.source = source
        self.target = target
        self.isLinear = isLinear
        self.boxes = boxes
        vertical = AxisWeights(
            sourceCount: source.size.height, start: region.y, extent: region.height, targetCount: target.size.height,
            filter: filter)
        horizontal = AxisWeights(
            sourceCount: source.size.width, start: region.x, extent: region.width, targetCount: target.size.width,
            filter: filter)
        // The rounding of this many 16-bit weights could change the last bit of a sum.
        let isLong = max(vertical.longest, horizontal.longest) > 1024
        if isLinear || isLong || source.format.bitsPerChannel == 16 || boxes?.arithmetic == .float {
            arithmetic = .float
        } else {
            arithmetic = source.alpha == .straight || boxes != nil ? .wideBytes : .bytes
        }
        if case .float = arithmetic {
            (fixedVertical, fixedHorizontal) = (.none, .none)
            (floatVertical, floatHorizontal) = (FloatWeights(vertical), FloatWeights(horizontal))
        } else {
            fixedVertical = FixedWeights(vertical, largestShift: arithmetic == .wideBytes ? 16 : 22, unit: 2)
            fixedHorizontal = FixedWeights(horizontal, largestShift: 16, unit: source.format.isGray ? 8 : 4)
            (floatVertical, floatHorizontal) = (.none, .none)
        }
    }

    /// Bytes of a row in the form of the sums, rounded up to whole cache lines with room to spare.
    var bytesPerWindowRow: Int {
        let values = source.size.width * source.format.channelCount
        let bytes =
            switch arithmetic {
            case .bytes: values
            case .wideBytes: values * 2
            case .float: values * 4
            }
        return (bytes + 63) / 64 * 64
    }
}
