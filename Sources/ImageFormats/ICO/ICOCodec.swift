public import Raster

extension ImageFormat {
    /// Windows' icons.
    public static let ico = ImageFormat(
        typeIdentifier: "com.microsoft.ico", name: "ICO", mimeTypes: ["image/vnd.microsoft.icon", "image/x-icon"],
        filenameExtensions: ["ico"])
    /// Windows' cursors: icons with a hot spot.
    public static let cur = ImageFormat(
        typeIdentifier: "com.microsoft.cur", name: "CUR",
        mimeTypes: ["image/x-win-bitmap", "image/vnd.microsoft.cursor"], filenameExtensions: ["cur"])
}

extension BuiltInFormat {
    /// Icons and cursors.
    static let icons = BuiltInFormat(.ico, .cur) { ICOCodec($0) }
}

/// Reads and writes Windows' icons, and cursors, which are icons with a pixel that points.
///
/// Each size in a file is a page; the largest is what the file presents itself by, of equals the deepest. Pictures are
/// bitmaps with a mask or alpha, or PNG files. Writes bitmaps of 32 bits with alpha and mask, which every Windows
/// reads, and PNG for a side of 256 pixels, as Windows does.
public struct ICOCodec: ImageCodec {
    /// ICO or CUR.
    public let format: ImageFormat

    /// The longest side that an entry can say.
    static let maximumSideLength = 256

    /// The codec for `format`. Traps unless that is ICO or CUR.
    public init(_ format: ImageFormat = .ico) {
        precondition(format == .ico || format == .cur)
        self.format = format
    }

    /// What it can do.
    public var capabilities: ImageCapabilities {
        [.decode, .encode, .decodePages, .encodePages, .alpha, .lossless]
    }

    /// A match for a list that isn't empty, of the right kind, whose first entry lies behind it.
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
        // In bounds by the line above.
        let head = probe.prefix.extracting(first: byteCount).withUnsafeBytes { Array($0) }
        guard let count = head.littleEndian(at: 4, byteCount: 2), count > 0,
            let size = head.littleEndian(at: 14, byteCount: 4), size > 0,
            let offset = head.littleEndian(at: 18, byteCount: 4),
            offset >= ICODirectory.headByteCount + count * ICODirectory.entryByteCount
        else { return .unknown }
        return .match(format)
    }

    /// A session for the picture with the index that the options give, or the largest.
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
                    "the \(format) file has \(directory.entries.count) pictures and none with index \(index)")
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

    /// RGB of eight bits, with straight alpha if any, in sRGB.
    public func encodableInfo(for info: BitmapInfo, options: EncodingOptions) -> BitmapInfo {
        BitmapInfo(size: info.size, format: .rgba8, alpha: info.alpha.hasAlpha ? .straight : .none)
    }

    /// A sink for the rows of one picture.
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

    /// A sink for `count` pictures, each of at most 256 pixels a side.
    ///
    /// A cursor's hot spot is a pixel of the largest; in the others it is at the same place in proportion.
    public func makeSequenceEncoder(
        _ info: BitmapInfo, count: Int, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any FrameSink {
        try ICOEncoder(format, count: count, options: options, output: output)
    }
}
