#if HEIF
internal import Raster

/// The primary image of a file, or its mask, in a coding that is read without libheif.
struct HEIFStoredItem {
    let file: [UInt8]
    let format: ImageFormat
    let type: FourCharacterCode
    private let items: ISOImageItems
    private let item: Int

    /// Codings that libheif 1.15 lacks, and this package has.
    private static let types: Set<FourCharacterCode> = ["jpeg", "unci", "avc1"]

    /// The primary image of `file`; nil if the options select another one, or it is for libheif.
    init?(_ file: [UInt8], format: ImageFormat, options: DecodingOptions) {
        guard options.imageIndex == nil, let items = ISOImageItems(file), let item = items.primary else { return nil }
        self.init(item, of: items, in: file, format: format)
    }

    /// An item; nil if it is in another coding.
    private init?(_ item: Int, of items: ISOImageItems, in file: [UInt8], format: ImageFormat) {
        guard let type = items.type(of: item) else { return nil }
        // libheif knows grids, but not of such tiles.
        let parts = type == "grid" ? items.parts(of: item) : []
        let isGrid = !parts.isEmpty && parts.allSatisfy { items.type(of: $0) == "avc1" }
        guard isGrid || Self.types.contains(type) else { return nil }
        (self.file, self.format, self.type, self.items, self.item) = (file, format, type, items, item)
    }

    /// The image with its mask.
    /// - Throws: `unsupported` for a mask in another coding or of another size; errors of the codings.
    func picture(options: DecodingOptions) throws(ImageError) -> any WholePicture {
        let picture = try unmasked(options)
        guard let number = items.mask(of: item, in: file) else { return picture }
        guard let mask = HEIFStoredItem(number, of: items, in: file, format: format) else {
            throw ImageError(
                .unsupported,
                "\(format) images of type '\(type)' with a mask of type"
                    + " '\(items.type(of: number)?.description ?? "")' can't be decoded")
        }
        return try HEIFMaskedPicture(
            picture, mask: mask.unmasked(options), isPremultiplied: items.premultiplied.contains(item))
    }

    /// The image without its mask, cropped and turned as its properties require.
    private func unmasked(_ options: DecodingOptions) throws(ImageError) -> any WholePicture {
        guard type != "grid" else { return try grid(options) }
        let picture: any WholePicture =
            switch type {
            case "jpeg": try jpeg(options)
            case "avc1": try HEIFAVCPicture(self, options: options)
            default: try HEIFUncompressedPicture(self, options: options)
            }
        var header = picture.header
        var transformation = ISOTransformation(size ?? header.storedSize)
        try transformation.add(items.properties(of: item), in: file)
        try header.apply(transformation)
        return ISOTransformedPicture(picture, header, crop: transformation.crop)
    }

    /// A grid of tiles, turned as its properties require.
    private func grid(_ options: DecodingOptions) throws(ImageError) -> any WholePicture {
        guard let grid = ISOImageGrid(item, of: items, in: file) else {
            throw ImageError(
                .unsupported, "can't decode the \(format) image: it is cropped, or not covered by tiles of equal size")
        }
        try options.limits.check(grid.size, format: format)
        func tile(_ item: Int) throws(ImageError) -> any WholePicture {
            guard let tile = HEIFStoredItem(item, of: items, in: file, format: format), tile.type == "avc1" else {
                throw ImageError(.corrupt, "a tile of the \(format) image is missing")
            }
            return try tile.unmasked(options)
        }
        var header = try tile(grid.tiles[0]).header
        header.storedSize = grid.orientation.applied(to: grid.size)
        if let profile = profile(isGray: header.colorModel == .gray) { header.profile = profile }
        header.metadata = metadata(options.limits)
        let info = BitmapInfo(
            size: header.storedSize, format: header.colorModel == .gray ? .gray8 : .rgba8, profile: header.profile)
        return HEIFGridPicture(header, info, grid, of: items, in: file, limits: options.limits) {
            (item, size) throws(ImageError) in
            let picture = try tile(item)
            let info = try picture.start(.full)
            guard info.size == size else {
                throw ImageError(.corrupt, "a tile of the \(self.format) image differs from its header")
            }
            return try WholePictureRows(picture, info).makeBitmap()
        }
    }

    /// A JPEG (ISO/IEC 23008-12, annex H), which may lack its tables, or all before its scan. They are a property then.
    private func jpeg(_ options: DecodingOptions) throws(ImageError) -> NestedJPEG {
        let bytes = try (property("jpgC").map { Array(file[$0.contents]) } ?? []) + data()
        return try NestedJPEG(
            bytes, in: format, name: "the JPEG in the \(format) image", metadata: metadata(options.limits),
            profile: { profile(isGray: $0) }, options: options)
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

    /// The declared colour space; nil if there is none.
    func profile(isGray: Bool) -> ColorProfile? { items.profile(of: item, in: file, isGray: isGray) }

    /// The declared codes of the colours; nil if there are none.
    var colors: VideoColors? {
        for property in items.properties(of: item) where property.type == "colr" {
            var reader = ISOBoxReader(file, property.contents)
            guard reader.code() == "nclx", let primaries = reader.number(2), let transfer = reader.number(2),
                let matrix = reader.number(2), let range = reader.number(1)
            else { continue }
            return VideoColors(
                primaries: primaries, transfer: transfer, matrix: matrix, isFullRange: range & 0x80 != 0)
        }
        return nil
    }

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
