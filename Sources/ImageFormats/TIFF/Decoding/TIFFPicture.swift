#if TIFF
internal import CTesseraTIFF
internal import Raster

/// One page of a TIFF file.
final class TIFFPicture: WholePicture {
    let header: ImageHeader
    private let file: TIFFFile
    private let options: DecodingOptions
    private let pages: [Int]
    private let page: Int
    private let directory: TIFFDirectory
    private let picture: tessera_tiff_picture
    private let layout: TIFFPixelLayout
    private var reader: TIFFRowReader?

    /// Opens the page that the options select: every directory of the main chain is a page.
    init(_ bytes: TIFFBytes, options: DecodingOptions) throws(ImageError) {
        guard let structure = TIFFStructure(bytes) else {
            throw ImageError(bytes.count < 16 ? .truncated : .corrupt, "the TIFF file's header is invalid")
        }
        let limits = options.limits
        let (most, overflows) = limits.maximumFrameCount.addingReportingOverflow(1)
        pages = structure.directoryOffsets(limit: overflows ? .max : most)
        guard pages.count <= limits.maximumFrameCount else {
            throw ImageError(
                .limitExceeded,
                "the TIFF file has more pages than the limit of \(limits.maximumFrameCount)"
                    + " (DecodingLimits.maximumFrameCount)")
        }
        guard !pages.isEmpty else {
            throw ImageError(
                structure.firstDirectory >= bytes.count - 2 ? .truncated : .corrupt,
                "the TIFF file's first directory is not where it should be",
                byteOffset: min(structure.firstDirectory, bytes.count))
        }
        page = options.imageIndex ?? 0
        guard pages.indices.contains(page), let directory = structure.directory(at: pages[page]) else {
            throw ImageError(.invalidParameter, "the TIFF file has \(pages.count) pages and none of index \(page)")
        }
        if options.imageIndex == nil { try Self.checkIsPicture(directory, structure) }
        self.directory = directory
        self.options = options
        file = try TIFFFile(structure, limits: limits)
        picture = try file.open(pages[page])
        let size = PixelSize(width: Int(picture.width), height: Int(picture.height))
        try limits.check(size, format: .tiff)
        layout = try TIFFPixelLayout(picture, directory, file)
        let format = layout.pixelFormat(maximumBits: options.maximumBitsPerChannel)
        try file.checkRatio(size.pixelCount * format.bytesPerPixel)
        header = ImageHeader(
            format: .tiff, storedSize: size, colorModel: layout.colorModel, bitsPerChannel: min(32, layout.bits),
            hasAlpha: layout.alphaIndex != nil, profile: Self.profile(layout, directory, structure, limits: limits),
            sequence: pages.count > 1 ? ImageSequence(.pages, count: pages.count) : nil,
            metadata: structure.metadata(of: directory, limits: limits))
    }

    /// Rejects the preview at the start of a camera's raw file: a reduced image whose sub-directory has a larger one.
    /// It isn't the file's image, and is decoded only if its index is requested.
    private static func checkIsPicture(_ directory: TIFFDirectory, _ structure: TIFFStructure) throws(ImageError) {
        func size(_ directory: TIFFDirectory) -> PixelSize? {
            guard let width = directory[TIFFTag.width].flatMap({ structure.integer($0) }),
                let height = directory[TIFFTag.height].flatMap({ structure.integer($0) })
            else { return nil }
            return PixelSize(width: width, height: height)
        }
        guard TIFFPyramid.isReduced(directory, structure), let preview = size(directory),
            let field = directory[TIFFTag.subDirectories]
        else { return }
        for index in 0..<min(field.count, 32) {
            guard let offset = structure.integer(field, at: index), let other = structure.directory(at: offset),
                !TIFFPyramid.isReduced(other, structure), let full = size(other), full.width > preview.width,
                full.height > preview.height
            else { continue }
            let name = directory[TIFFTag.dngVersion] == nil ? "camera raw data" : "DNG raw data"
            throw ImageError(
                .unsupported,
                "\(name) of \(full) can't be read here; image 0 of the file is a preview of \(preview), decoded when it "
                    + "is selected by its index")
        }
    }

    func start(_ plan: DecodingPlan) throws(ImageError) -> BitmapInfo {
        guard let smaller = try findSmaller(for: plan) else {
            return try start(picture, window: plan.region ?? PixelRect(header.storedSize))
        }
        return try start(smaller.0, window: smaller.1)
    }

    /// Starts reading `window` of the image that `file` has open.
    private func start(_ picture: tessera_tiff_picture, window: PixelRect) throws(ImageError) -> BitmapInfo {
        let format = layout.pixelFormat(maximumBits: options.maximumBitsPerChannel)
        let isOfInks = layout.model == .cmyk
        let profile = isOfInks ? .sRGB : header.profile
        let inkProfile = isOfInks ? options.inkProfile(header.profile) : nil
        let info = BitmapInfo(
            size: window.size, format: format, alpha: layout.alphaIndex == nil ? .none : .straight, profile: profile)
        reader = try TIFFRowReader(file, picture, layout, window: window, info: info, inkProfile: inkProfile)
        return info
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        guard let reader else { throw ImageError(.invalidParameter, "the TIFF decoder was not started") }
        return try reader.read(into: &rows)
    }

    /// Finds the smallest reduced image of the page that is large enough for the plan, and the plan's part of it. The
    /// image stays open.
    ///
    /// Levels whose pixel layout differs, or that can't be opened, are skipped.
    private func findSmaller(for plan: DecodingPlan) throws(ImageError) -> (tessera_tiff_picture, PixelRect)? {
        guard plan.targetSize != nil else { return nil }
        let least = plan.leastSize(of: header.storedSize)
        for level in pyramid.levels.sorted(by: { $0.size.pixelCount < $1.size.pixelCount }) {
            guard let window = level.window(for: plan.region, of: header.storedSize), window.width >= least.width,
                window.height >= least.height
            else { continue }
            if let smaller = open(level) { return (smaller, window) }
            _ = try file.open(pages[page])
        }
        return nil
    }

    private var pyramid: TIFFPyramid {
        TIFFPyramid(file.structure, pages: pages, page: page, size: header.storedSize)
    }

    /// Opens a reduced image of the page; nil if its pixel layout differs or it can't be opened.
    private func open(_ level: TIFFPyramid.Level) -> tessera_tiff_picture? {
        guard let directory = file.structure.directory(at: level.offset),
            let smaller = try? file.open(level.offset), Int(smaller.width) == level.size.width,
            Int(smaller.height) == level.size.height,
            (try? TIFFPixelLayout(smaller, directory, file)).map({ $0.makesTheSame(as: layout) }) ?? false
        else { return nil }
        return smaller
    }

    // MARK: Levels

    /// Whether the page is stored in tiles.
    var isTiled: Bool { picture.tile_width > 0 }

    /// Returns the page and its reduced images with the same pixel layout, the largest first.
    func findLevels() -> [TIFFPyramid.Level] {
        let smaller = pyramid.levels.filter { open($0) != nil }.sorted { $0.size.pixelCount > $1.size.pixelCount }
        return [TIFFPyramid.Level(offset: pages[page], size: header.storedSize)] + smaller
    }

    /// Starts reading `window` of a level from `findLevels()`. May be called repeatedly.
    func start(_ level: TIFFPyramid.Level, window: PixelRect) throws(ImageError) -> BitmapInfo {
        try DecodingPlan(region: window).validate(for: level.size)
        return try start(file.open(level.offset), window: window)
    }

    /// Returns the ICC profile if it fits the colour model, else sRGB.
    private static func profile(
        _ layout: TIFFPixelLayout, _ directory: TIFFDirectory, _ structure: TIFFStructure, limits: DecodingLimits
    ) -> ColorProfile {
        let limit = limits.maximumMetadataByteCount
        guard layout.usesProfile, let bytes = structure.block(TIFFTag.iccProfile, of: directory, limit: limit),
            bytes.isICCProfile(for: layout.colorModel)
        else { return .sRGB }
        return .icc(bytes)
    }
}
#endif
