internal import ImageEffects
internal import Raster

/// How a picture is brought to a size: what thumbnails and `ImageProcessors.Resize` have in common.
struct ImageSizing: Hashable, Sendable {
    /// The width to reach; nil where only the height counts.
    var width: Double?
    /// The height to reach; nil where only the width counts.
    var height: Double?
    var unit: ImageRequest.ThumbnailOptions.Unit
    var contentMode: ImageRequest.ThumbnailOptions.ContentMode
    /// Whether what covers the size is cropped to it.
    var crops: Bool
    /// Whether pictures are made larger.
    var enlarges: Bool

    /// The effects, with lengths in pixels, that bring a picture of `size` there; none where it is to stay as it is.
    ///
    /// A picture that would have to be larger, and isn't to be, is only cropped.
    func chain(for size: PixelSize, scale: Double) -> EffectChain {
        let pixels = unit == .points ? scale : 1
        let (own, wanted) = (
            (width: Double(size.width), height: Double(size.height)),
            (width: width.map { $0 * pixels }, height: height.map { $0 * pixels })
        )
        switch (wanted.width, wanted.height) {
        case (let width?, let height?):
            return chain(for: own, width, height)
        case (let width?, nil):
            guard enlarges || !(width >= own.width) else { return [] }
            return [.scale(width: width, height: width * own.height / own.width)]
        case (nil, let height?):
            guard enlarges || !(height >= own.height) else { return [] }
            return [.scale(width: height * own.width / own.height, height: height)]
        case (nil, nil):
            return []
        }
    }

    private func chain(for own: (width: Double, height: Double), _ width: Double, _ height: Double) -> EffectChain {
        let (across, down) = (width / own.width, height / own.height)
        let factor = contentMode == .aspectFit ? min(across, down) : max(across, down)
        let isCropped = crops && contentMode == .aspectFill
        if factor >= 1, !enlarges {
            guard isCropped, across < 1 || down < 1 else { return [] }
            let (width, height) = (min(own.width, width.rounded()), min(own.height, height.rounded()))
            return [
                .crop(
                    x: ((own.width - width) / 2).rounded(.down), y: ((own.height - height) / 2).rounded(.down),
                    width: width, height: height)
            ]
        }
        switch contentMode {
        // A side that doesn't decide may be without end.
        case .aspectFit: return [.scaleToFit(width: min(width, Self.longest), height: min(height, Self.longest))]
        case .aspectFill:
            return isCropped ? [.scaleToFill(width: width, height: height)] : [.cover(width: width, height: height)]
        }
    }

    /// Longer than any picture's side.
    private static let longest = Double(1 << 24)
}

extension ImageSizing {
    init(_ thumbnail: ImageRequest.ThumbnailOptions) {
        self.init(
            width: thumbnail.width, height: thumbnail.height, unit: thumbnail.unit, contentMode: thumbnail.contentMode,
            crops: true, enlarges: false)
    }
}
