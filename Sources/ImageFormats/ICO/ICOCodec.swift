public import Raster

extension ImageFormat {
    /// Windows icons.
    public static let ico = ImageFormat(
        typeIdentifier: "com.microsoft.ico", name: "ICO", mimeTypes: ["image/vnd.microsoft.icon", "image/x-icon"],
        filenameExtensions: ["ico"])
    /// Windows cursors: icons with a hot spot.
    public static let cur = ImageFormat(
        typeIdentifier: "com.microsoft.cur", name: "CUR",
        mimeTypes: ["image/x-win-bitmap", "image/vnd.microsoft.cursor"], filenameExtensions: ["cur"])
}

extension BuiltInFormat {
    /// Windows icons and cursors.
    static let icons = BuiltInFormat(.ico, .cur) { ICOCodec($0) }
}

/// Reads and writes Windows icons, and cursors, which are icons with a hot spot.
///
/// Each size in a file is a page. The default page is the largest, and among equals the deepest. Images are bitmaps
/// with a mask or alpha, or PNG files. As Windows does, writes bitmaps with 32 bits, alpha and mask, which all versions
/// of Windows can read, and PNG for images with a side of 256 pixels.
public struct ICOCodec: ImageCodec {
    /// ICO or CUR.
    public let format: ImageFormat

    /// The longest side that a directory entry can store.
    static let maximumSideLength = 256

    /// The codec for `format`. Traps unless that is ICO or CUR.
    public init(_ format: ImageFormat = .ico) {
        precondition(format == .ico || format == .cur)
        self.format = format
    }

    /// The codec's capabilities.
    public var capabilities: ImageCapabilities {
        [.decode, .encode, .decodePages, .encodePages, .alpha, .lossless]
    }

    /// Matches a directory of the right kind that isn't empty and whose first image lies after it.
    public func identify(_ probe: borrowing FormatProbe) -> FormatMatch {
        let byteCount = ICODirectory.headByteCount + ICODirectory.entryByteCount
        switch probe.starts(with: [0, 0, UInt8(ICODirectory.kind(of: format)), 0]) {
        case nil: return .needMoreData(minimum: byteCount)
        case false?: return .unknown
        case true?: break
        }
        guard probe.prefix.byteCount >= byteCount else {
            return probe.isWhole ? .unknown : .needMoreData(minimum: byteCount)
        }
        // In bounds by the check above.
        let head = probe.prefix.extracting(first: byteCount).withUnsafeBytes { Array($0) }
        guard let count = head.littleEndian(at: 4, byteCount: 2), count > 0,
            let size = head.littleEndian(at: 14, byteCount: 4), size > 0,
            let offset = head.littleEndian(at: 18, byteCount: 4),
            offset >= ICODirectory.headByteCount + count * ICODirectory.entryByteCount
        else { return .unknown }
        return .match(format)
    }

    /// A decoder for the image selected by the options' index, or the largest one.
    public func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        let format = format
        return WholeInputDecoder(format, limits: options.limits) { (bytes) throws(ImageError) in
            let bytes = bytes
            let directory = try ICODirectory(bytes, format: format, limits: options.limits)
            let index = options.imageIndex ?? directory.preferredIndex(in: bytes)
            guard directory.entries.indices.contains(index) else {
                throw ImageError(
                    .invalidParameter,
                    "the \(format) file has \(directory.entries.count) images and none with index \(index)")
            }
            let (entry, count) = (directory.entries[index], directory.entries.count)
            let description = ImageHeader(
                format: format, storedSize: entry.size, colorModel: .rgb,
                sequence: count > 1 ? ImageSequence(.pages, count: count) : nil,
                metadata: ImageMetadata(hotSpot: entry.hotSpot))
            guard ICODirectory.isPNG(bytes, entry) else {
                return try ICOBitmapPicture(
                    Array(bytes[ICODirectory.bitmapRange(entry, in: bytes)]), description: description, options: options
                )
            }
            return try ICOFilePicture(Array(bytes[entry.range]), description: description, options: options)
        }
    }

    /// RGB with 8 bits per channel in sRGB, with straight alpha if any.
    public func encodableInfo(for info: BitmapInfo, options: EncodingOptions) -> BitmapInfo {
        BitmapInfo(size: info.size, format: .rgba8, alpha: info.alpha.hasAlpha ? .straight : .none)
    }

    /// A sink for the rows of one image.
    /// - Throws: `unsupported` for a side of more than 256 pixels.
    public func makeEncoder(
        _ info: BitmapInfo, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any RowSink {
        try ICOEncoder.check(info, format)
        let encoder = try ICOEncoder(format, count: 1, options: options, output: output)
        return try CollectingSink(info) { (picture) throws(ImageError) in
            try encoder.write(picture, duration: 0)
            try encoder.finish()
        }
    }

    /// A sink for `count` images with sides of at most 256 pixels.
    ///
    /// A cursor's hot spot is a pixel of the largest image, and is scaled for the others.
    public func makeSequenceEncoder(
        _ info: BitmapInfo, count: Int, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any FrameSink {
        try ICOEncoder(format, count: count, options: options, output: output)
    }
}
