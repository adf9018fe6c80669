#if HEIF
internal import CTesseraHEIF
internal import Raster

/// A complete HEIF file opened with libheif, and one of its images.
final class HEIFFile {
    private let shim: ShimHandle
    private var handle: OpaquePointer { shim.pointer }
    private let format: ImageFormat
    let options: DecodingOptions
    private let items: ISOImageItems
    private var image = tessera_heif_image()
    private(set) var header: ImageHeader
    private(set) var info: BitmapInfo
    /// The tiles by which the image can be decoded, and the file that contains them.
    private var grid: (ISOImageGrid, file: [UInt8])?
    /// The transformations after decoding; nil if libheif applies all.
    private var transformation: ISOTransformation?

    /// The image in a complete file that the options select; for a sequence without a still image, its first frame.
    static func picture(
        in bytes: [UInt8], format: ImageFormat, options: DecodingOptions
    ) throws(ImageError) -> any WholePicture {
        guard ISOBoxReader(bytes, 0..<bytes.count).first("meta") == nil,
            let sequence = try ISOImageSequence(bytes, limits: options.limits)
        else { return try HEIFFile(bytes, format: format, options: options).picture() }
        let file = try HEIFFile(
            sequence.still(0, of: bytes, limits: options.limits), format: format, options: options.single)
        file.header.sequence = ImageSequence(.animation, count: sequence.samples.count, loopCount: 0)
        return file.picture()
    }

    /// Reads the header of the image that the options select.
    /// - Parameter allowsGray: Whether a grey image may be delivered as grey, unlike an animation's canvas.
    init(
        _ file: [UInt8], format: ImageFormat, options: DecodingOptions, allowsGray: Bool = true
    ) throws(ImageError) {
        let joined = ISOPropertyAssociations.joined(file)
        guard let shown = try ISOImageItems.showingBase(joined) else {
            throw ImageError(.corrupt, "the \(format) file has no box that lists its images")
        }
        let (bytes, items) = (shown.file, shown.items)
        try items.check(options.limits, format: format)
        shim = try ShimHandle(
            tessera_heif_decoder_create(), "a \(format) decoder", failing: "the \(format) file can't be read",
            tessera_heif_decoder_message, destroy: tessera_heif_decoder_destroy)
        self.format = format
        self.options = options
        self.items = items
        header = ImageHeader(format: format, storedSize: PixelSize(width: 1, height: 1), colorModel: .rgb)
        info = BitmapInfo(size: header.storedSize, format: .rgba8)
        let side = UInt32(clamping: min(1 << 20, options.limits.maximumSideLength))
        // The shim copies the bytes.
        try check(tessera_heif_decoder_open(handle, bytes, bytes.count, side))
        let item = try select(bytes, allowsGray: allowsGray)
        let grid = ISOImageGrid(item, of: items, in: bytes)
        // A mask needn't have the same tiles.
        if let grid, !image.has_alpha, grid.orientation.applied(to: grid.size) == header.storedSize {
            self.grid = (grid, bytes)
        }
        guard let transformation = shown.transformation, item == items.primary else { return }
        try header.apply(transformation)
        info.size = header.storedSize
        self.transformation = transformation
    }

    /// The image, whose pixels are decoded on demand.
    func picture() -> any WholePicture {
        let picture: any WholePicture
        if let (grid, file) = grid {
            // Releases this object, and with it libheif's copy of the file.
            picture = HEIFGridPicture(header, codedInfo, grid, of: items, in: file, limits: options.limits)
        } else {
            picture = BitmapPicture(header, codedInfo) { [self] () throws(ImageError) in try decode() }
        }
        return transformation.map { ISOTransformedPicture(picture, header, crop: $0.crop) } ?? picture
    }

    /// The format and size of the pixels that libheif decodes.
    private var codedInfo: BitmapInfo {
        var coded = info
        if let transformation { coded.size = transformation.size }
        return coded
    }

    /// Selects the image, and returns its item.
    private func select(_ file: [UInt8], allowsGray: Bool) throws(ImageError) -> Int {
        let count = Int(tessera_heif_decoder_count(handle))
        guard count <= options.limits.maximumFrameCount else {
            throw ImageError(
                .limitExceeded,
                "the \(format) file holds \(count) images; the limit is \(options.limits.maximumFrameCount)"
                    + " (DecodingLimits.maximumFrameCount)")
        }
        let index = options.imageIndex ?? Int(tessera_heif_decoder_primary(handle))
        guard (0..<count).contains(index) else {
            throw ImageError(.invalidParameter, "there is no image \(index) among the \(count) of the \(format) file")
        }
        // libheif 1.15 leaks memory when queried for unrecognised colour codes, and reports none in that case.
        try check(
            tessera_heif_decoder_select(
                handle, UInt32(index), options.limits.maximumMetadataByteCount, !items.hasUnknownColorCodes, &image))
        let size = PixelSize(width: Int(image.width), height: Int(image.height))
        try options.limits.check(size, format: format)

        let item = Int(tessera_heif_decoder_item(handle, UInt32(index)))
        let isGray = items.isGray(item)
        let bits = image.bits == 0 ? 8 : Int(image.bits)
        // libheif turns the image when it decodes it, and HEIF ignores the orientation in EXIF.
        var metadata = ImageMetadata(
            exif: EXIF.block(inItem: [UInt8](shim: image.exif, image.exif_length)),
            xmp: [UInt8](shim: image.xmp, image.xmp_length))
        metadata.resolution = metadata.exif.flatMap { EXIF($0) }?.resolution
        header = ImageHeader(
            format: format, storedSize: size, colorModel: isGray ? .gray : .rgb, bitsPerChannel: bits,
            hasAlpha: image.has_alpha, profile: profile(isGray: isGray, peak: items.peak(of: item, in: file)),
            metadata: metadata)
        if count > 1 { header.sequence = ImageSequence(.pages, count: count) }
        let depth = bits > 8 && options.maximumBitsPerChannel > 8 ? 16 : 8
        let pixelFormat: PixelFormat = isGray && !image.has_alpha && allowsGray ? .gray8 : .rgba8
        info = BitmapInfo(
            size: size, format: pixelFormat.withBitsPerChannel(depth), alpha: image.has_alpha ? .straight : .none,
            profile: header.profile)
        return item
    }

    private func profile(isGray: Bool, peak: Double?) -> ColorProfile {
        if let icc = [UInt8](shim: image.icc, image.icc_length) { return .icc(icc) }
        guard image.has_codes else { return .sRGB }
        return .coded(primaries: Int(image.primaries), transfer: Int(image.transfer), isGray: isGray, peak: peak)
    }

    private func decode() throws(ImageError) -> Bitmap {
        let info = codedInfo
        // HEVC's output, the same as RGB, turned, and the mask: about eight samples per pixel at once.
        let byteCount = info.size.pixelCount * (header.bitsPerChannel > 8 ? 16 : 8)
        try options.limits.checkWorkingMemory(byteCount, for: "decoding the \(format) image")
        var pixels = tessera_heif_pixels()
        try ProcessorShare.perform { (threads) throws(ImageError) in
            try check(tessera_heif_decoder_decode(handle, UInt16(threads), &pixels))
        }
        guard Int(pixels.width) == info.size.width, Int(pixels.height) == info.size.height,
            pixels.has_alpha == header.hasAlpha
        else {
            throw ImageError(.corrupt, "the \(format) image differs from its header")
        }
        var bitmap = try MutableBitmap(uninitialized: info)
        let status = bitmap.withMutableRows(0..<info.size.height) { rows in
            let (stride, width, count) = (rows.bytesPerRow, UInt32(rows.width), UInt32(rows.count))
            return rows.withUnsafeBase { base in
                // The bitmap owns `count` rows of `stride` bytes.
                tessera_heif_decoder_read(
                    handle, info.format.shimNumber, image.premultiplied, 0, 0, width, count,
                    base.assumingMemoryBound(to: UInt8.self), stride)
            }
        }
        try check(status)
        return bitmap.freeze()
    }

    private func check(_ status: Int32) throws(ImageError) {
        if status < 0, status != Int32(TESSERA_LIMIT),
            let coding = items.primary.flatMap({ primary in
                // A tone-mapped item's parts are no deeper, and may lead back to it.
                let isToneMapped = items.type(of: primary) == "tmap"
                return Self.missingCoding(of: isToneMapped ? items.parts(of: primary).first ?? primary : primary, items)
            })
        {
            throw ImageError(
                .unsupported,
                "can't decode the \(format) image: it is coded as \(coding), which the installed libheif doesn't support"
            )
        }
        try shim.check(status)
    }

    /// The coding of an item, or of an image that it is derived from, if libheif may not support it; else nil.
    ///
    /// libheif omits such items, and reports an error for items that refer to them.
    private static func missingCoding(of item: Int, _ items: ISOImageItems) -> String? {
        guard let type = items.type(of: item) else { return nil }
        // The depth of derived images was checked earlier.
        guard !derivedTypes.contains(type) else {
            return items.parts(of: item).lazy.compactMap { missingCoding(of: $0, items) }.first
        }
        guard !knownTypes.contains(type) else { return nil }
        return codingNames[type].map { "\($0) ('\(type)')" } ?? "'\(type)'"
    }

    /// Items derived from other items.
    private static let derivedTypes: Set<FourCharacterCode> = ["grid", "iden", "iovl"]
    /// HEVC and AV1.
    private static let knownTypes: Set<FourCharacterCode> = ["hvc1", "av01"]
    private static let codingNames: [FourCharacterCode: String] = [
        "vvc1": "VVC", "evc1": "EVC", "avc1": "AVC", "lhv1": "layered HEVC", "jpeg": "JPEG", "j2k1": "JPEG 2000",
        "jxs1": "JPEG XS", "unci": "uncompressed video", "hev1": "HEVC with parameter sets in the data",
    ]
}

extension ISOImageItems {
    /// Checks the memory that libheif would allocate.
    /// - Throws: `limitExceeded`; `corrupt` for an image derived from itself; `unsupported` for tiles with their own
    ///   masks, which libheif confuses.
    fileprivate func check(_ limits: DecodingLimits, format: ImageFormat) throws(ImageError) {
        for size in sizes + configurations.flatMap(\.sizes) {
            // Empty sizes are left for libheif to report.
            if !size.isEmpty { try limits.check(size, format: format) }
        }
        // libheif copies each item, even if items share bytes.
        try limits.checkWorkingMemory(locations.byteCount, for: "reading the items of the \(format) file")
        guard let derived = derivedPixelCount(limit: limits.maximumPixelCount) else {
            throw ImageError(.corrupt, "the \(format) image is put together of itself")
        }
        guard derived <= limits.maximumPixelCount else {
            throw ImageError(
                .limitExceeded,
                "the \(format) image's parts have more pixels than the limit of \(limits.maximumPixelCount)"
                    + " (DecodingLimits.maximumPixelCount)")
        }
        guard tiles.isDisjoint(with: itemsWithAuxiliaries) else {
            throw ImageError(.unsupported, "\(format) tiles that have their own masks can't be decoded")
        }
    }
}
#endif
