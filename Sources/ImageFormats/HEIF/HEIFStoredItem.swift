#if HEIF
internal import Raster

/// The primary image of a file, in a coding that is read without libheif.
struct HEIFStoredItem {
    let file: [UInt8]
    let format: ImageFormat
    let type: FourCharacterCode
    private let items: ISOImageItems
    private let item: Int

    /// Codings that libheif 1.15 lacks, and this package has.
    private static let types: Set<FourCharacterCode> = ["jpeg", "unci"]

    /// nil if the options select another image, or the primary image is for libheif.
    /// - Throws: `unsupported` for an image with a mask.
    init?(_ file: [UInt8], format: ImageFormat, options: DecodingOptions) throws(ImageError) {
        guard options.imageIndex == nil, let items = ISOImageItems(file), let item = items.primary,
            let type = items.type(of: item), Self.types.contains(type)
        else { return nil }
        (self.file, self.format, self.type, self.items, self.item) = (file, format, type, items, item)
        for auxiliary in items.auxiliaries(of: item) {
            let isMask = items.properties(of: auxiliary).contains {
                $0.type == "auxC" && file[$0.contents].dropFirst(4).starts(with: Self.alphaType.utf8)
            }
            guard !isMask else {
                throw ImageError(.unsupported, "\(format) images of type '\(type)' that have a mask can't be decoded")
            }
        }
    }

    private static let alphaType = "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha"

    /// The image, cropped and turned as its properties require.
    func picture(options: DecodingOptions) throws(ImageError) -> any WholePicture {
        let picture: any WholePicture =
            type == "jpeg"
            ? try HEIFJPEGPicture(self, options: options) : try HEIFUncompressedPicture(self, options: options)
        var header = picture.header
        var transformation = ISOTransformation(size ?? header.storedSize)
        try transformation.add(items.properties(of: item), in: file)
        try header.apply(transformation)
        return ISOTransformedPicture(picture, header, crop: transformation.crop)
    }

    /// The declared size; nil if there is none.
    var size: PixelSize? {
        guard let property = property("ispe") else { return nil }
        var reader = ISOBoxReader(file, property.contents)
        return reader.size().flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The image's first property of a type.
    func property(_ type: FourCharacterCode) -> ISOBoxReader.Box? {
        items.properties(of: item).first { $0.type == type }
    }

    /// The bytes of the image.
    func data() throws(ImageError) -> ArraySlice<UInt8> {
        guard let data = items.data(of: item, in: file) else {
            throw ImageError(.corrupt, "the \(format) file lacks the bytes of its image")
        }
        return data
    }

    var profile: ColorProfile? { items.profile(of: item, in: file) }

    /// The EXIF and XMP items that describe the image, as far as the limits allow.
    func metadata(_ limits: DecodingLimits) -> ImageMetadata {
        var (exif, xmp): ([UInt8]?, [UInt8]?)
        for description in items.descriptions[item] ?? [] {
            guard let data = items.data(of: description, in: file), data.count <= limits.maximumMetadataByteCount else {
                continue
            }
            switch items.type(of: description) {
            case "Exif": exif = exif ?? EXIF.block(inItem: Array(data))
            case "mime" where data.first == UInt8(ascii: "<"): xmp = xmp ?? Array(data)
            default: break
            }
        }
        var metadata = ImageMetadata(exif: exif, xmp: xmp)
        metadata.resolution = metadata.exif.flatMap { EXIF($0) }?.resolution
        return metadata
    }
}
#endif
