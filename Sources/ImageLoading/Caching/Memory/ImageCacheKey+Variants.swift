internal import ImageEffects
internal import ImageFormats

extension ImageCacheKey {
    /// Everything but the group as length-delimited bytes, the same in every run: a key for the disk cache.
    var variantBytes: [UInt8] {
        EffectIdentity(
            "variant", .number(scale), .identity(EffectIdentity("processors", processors)),
            .identity(thumbnail?.identity ?? EffectIdentity("full")),
            .identity(decoding ?? EffectIdentity("usual"))
        ).bytes
    }

    /// Whether both are the same picture, made the same way, perhaps of different sizes.
    func differsOnlyInThumbnail(from other: ImageCacheKey) -> Bool {
        group == other.group && scale == other.scale && processors == other.processors && decoding == other.decoding
            && thumbnail != other.thumbnail
    }

    /// The size in pixels that a picture under this key was asked for at; nil for its own.
    var wantedSize: (width: Double, height: Double)? { thumbnail?.pixelSize(scale: scale) }

    /// Whether a picture under this key has at least the pixels that `thumbnail` wants: all of its own, or more of them
    /// and nothing cut off.
    func isLarger(than thumbnail: ImageRequest.ThumbnailOptions, scale: Double) -> Bool {
        guard let own = wantedSize else { return true }
        let wanted = thumbnail.pixelSize(scale: scale)
        return self.thumbnail?.contentMode == .aspectFit && thumbnail.contentMode == .aspectFit
            && own.width >= wanted.width && own.height >= wanted.height
    }
}

extension ImageRequest.ThumbnailOptions {
    /// The size in pixels.
    func pixelSize(scale: Double) -> (width: Double, height: Double) {
        let factor = unit == .points ? scale : 1
        return (width * factor, height * factor)
    }

    /// What tells results of these options from those of others.
    var identity: EffectIdentity {
        EffectIdentity(
            "thumbnail", .number(width), .number(height), .flag(unit == .pixels), .text(contentMode.rawValue))
    }
}

extension DecodingOptions {
    /// What tells pictures decoded with these options from others; nil for the usual ones. Limits change no picture.
    var identity: EffectIdentity? {
        guard !isUsual else { return nil }
        return EffectIdentity(
            "decoding", .flag(color == .asStored), .integer(maximumBitsPerChannel), .flag(appliesOrientation),
            .flag(readsXMPOrientation), .integer(imageIndex ?? -1), .flag(jpng.snapsAlpha),
            .flag(jpng.repairsWhiteFlattening))
    }

    /// Whether pictures are decoded as they are unless a request says otherwise.
    private var isUsual: Bool {
        color == .sRGB && maximumBitsPerChannel == 8 && appliesOrientation && !readsXMPOrientation && imageIndex == nil
            && !jpng.snapsAlpha && !jpng.repairsWhiteFlattening
    }
}
