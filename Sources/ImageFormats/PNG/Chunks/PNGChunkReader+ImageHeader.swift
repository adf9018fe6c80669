internal import Raster

extension PNGChunkReader {
    /// What the chunks so far say of the picture, and what makes pixels of its rows; nil before the first one.
    func imageHeader(_ options: DecodingOptions) -> (header: ImageHeader, expander: PNGRowExpander)? {
        guard let stored = header else { return nil }
        let expander = PNGRowExpander(
            stored, ancillary: ancillary, maximumBitsPerChannel: options.maximumBitsPerChannel)
        let colorModel: ImageHeader.ColorModel =
            switch stored.colorType {
            case .gray, .grayAlpha: .gray
            case .indexed: .indexed
            case .rgb, .rgba: .rgb
            }
        let header = ImageHeader(
            format: .png, storedSize: stored.size, colorModel: colorModel, bitsPerChannel: stored.bitDepth,
            hasAlpha: expander.hasAlpha, profile: ancillary.colorProfile, isProgressive: stored.isInterlaced,
            sequence: ancillary.animation?.sequence,
            metadata: ImageMetadata(
                orientation: leadingMetadata.orientationInBlocks(options), exif: ancillary.exif,
                xmp: ancillary.xmp, resolution: ancillary.resolution))
        return (header, expander)
    }
}
