/// Everything about a change of size that is known before the first row: shared by all who work on one picture.
final class ResamplingPlan: Sendable {
    /// What the values are while they are summed.
    enum Arithmetic: Sendable {
        /// Bytes as they stand in memory, summed as whole numbers: grey, opaque and premultiplied pictures.
        case bytes
        /// Bytes multiplied by their alpha with 6 bits after the point, summed as whole numbers: straight pictures.
        case wideBytes
        /// Floating point: 16-bit channels and linear light.
        case float
    }

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

    /// The most pixels that a side may have, so that tables of weights stay within reason.
    static let largestSide = 1 << 24

    init(
        _ source: BitmapInfo, to size: PixelSize, region: PixelRegion?, filter: ResamplingFilter, linearLight: Bool
    ) throws(ImageError) {
        guard !size.isEmpty else { throw ImageError(.invalidParameter, "a target size of \(size) has no pixels") }
        for side in [size.width, size.height, source.size.width, source.size.height] where side > Self.largestSide {
            throw ImageError(
                .limitExceeded, "a side of \(side) pixels is longer than the \(Self.largestSide) that can be resampled")
        }
        let region = region ?? PixelRegion(source.size)
        guard region.lies(within: source.size) else {
            throw ImageError(
                .invalidParameter,
                "the region of \(region.width)x\(region.height) at (\(region.x), \(region.y)) does not lie within a "
                    + "picture of \(source.size)")
        }
        self.source = source
        target = BitmapInfo(size: size, format: source.format, alpha: source.alpha, profile: source.profile)
        _ = try PixelStorage.byteCounts(target)
        isLinear = linearLight
        vertical = AxisWeights(
            sourceCount: source.size.height, start: region.y, extent: region.height, targetCount: size.height,
            filter: filter)
        horizontal = AxisWeights(
            sourceCount: source.size.width, start: region.x, extent: region.width, targetCount: size.width,
            filter: filter)
        // So many weights of 16 bits are too coarse to tell a sum to the last bit.
        let isLong = max(vertical.longest, horizontal.longest) > 1024
        if linearLight || isLong || source.format.bitsPerChannel == 16 {
            arithmetic = .float
        } else {
            arithmetic = source.alpha == .straight ? .wideBytes : .bytes
        }
        if case .float = arithmetic {
            (fixedVertical, fixedHorizontal) = (.none, .none)
            (floatVertical, floatHorizontal) = (FloatWeights(vertical), FloatWeights(horizontal))
        } else {
            fixedVertical = FixedWeights(vertical, largestShift: source.alpha == .straight ? 16 : 22, unit: 2)
            fixedHorizontal = FixedWeights(horizontal, largestShift: 16, unit: source.format.isGray ? 8 : 4)
            (floatVertical, floatHorizontal) = (.none, .none)
        }
    }

    /// Bytes that a row takes in the form in which it is summed, rounded up to whole cache lines with room to spare.
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
