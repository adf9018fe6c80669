internal import CTesseraJPEG
internal import Raster

/// Compresses rows with libjpeg and writes the bytes to a sink as they become available.
final class JPEGEncoder: RowSink {
    /// The shim's encoder, owned by this object alone.
    private let handle: OpaquePointer
    private let output: any ByteSink
    private let info: BitmapInfo
    private var remaining: RemainingRows
    /// Makes the coefficients, if libjpeg doesn't.
    private var quantizer: JPEGQuantizer?

    /// The number of rows compressed between two writes to the sink.
    private static let batch = 64

    /// - Parameter leadingSegments: Segments to write directly after JFIF's.
    /// - Throws: `invalidParameter` for rows with alpha or not of 8 bits; `unsupported` for a side over 65500 pixels.
    init(
        _ info: BitmapInfo, options: EncodingOptions, leadingSegments: [JPEGMetadataPayload] = [],
        output: any ByteSink
    ) throws(ImageError) {
        try options.validate()
        guard info.format.bitsPerChannel == 8, info.alpha == .none, !info.size.isEmpty else {
            throw ImageError(.invalidParameter, "a JPEG takes opaque pixels of 8 bits a channel")
        }
        guard let handle = tessera_jpeg_encoder_create() else {
            throw ImageError(.outOfMemory, "no memory for a JPEG encoder")
        }
        self.handle = handle
        self.output = output
        self.info = info
        remaining = RemainingRows(info, in: .jpeg)

        var encoding = tessera_jpeg_encoding()
        encoding.width = UInt32(clamping: info.size.width)
        encoding.height = UInt32(clamping: info.size.height)
        encoding.pixels = UInt8(info.format.isGray ? TESSERA_JPEG_PIXELS_GRAY8 : TESSERA_JPEG_PIXELS_RGBA8)
        encoding.quality = UInt8(max(1, (options.quality * 100).rounded()))
        (encoding.horizontal_subsampling, encoding.vertical_subsampling) = options.jpeg.subsampling.factors
        encoding.progressive = options.jpeg.isProgressive
        encoding.optimize_tables = options.jpeg.optimizesTables
        let subsampling = (encoding.horizontal_subsampling, encoding.vertical_subsampling)
        // 4:1:1 alone is left to libjpeg.
        let quantizes = options.jpeg.usesTrellis && subsampling.0 <= 2
        // Of these files libjpeg writes the beginning only, for which it needs no room for coefficients.
        if quantizes { (encoding.progressive, encoding.optimize_tables) = (false, false) }
        if let resolution = options.metadata.resolution, let x = Self.density(resolution.horizontal),
            let y = Self.density(resolution.vertical)
        {
            (encoding.density_unit, encoding.density_x, encoding.density_y) = (1, x, y)
        }
        try check(tessera_jpeg_encoder_start(handle, &encoding))
        if quantizes {
            let tables = JPEGQuantizationTables(quality: options.quality, subsamples: subsampling != (1, 1))
            quantizer = JPEGQuantizer(
                info, tables, subsampling: subsampling, isProgressive: options.jpeg.isProgressive,
                codeLengths: codeLengths)
        }
        for segment in leadingSegments { try writeSegment(segment.marker, segment.bytes) }
        try writeMetadata(options.metadata)
        try deliver()
    }

    deinit { tessera_jpeg_encoder_destroy(handle) }

    func write(_ rows: borrowing PixelRows) throws(ImageError) {
        try remaining.check(rows)
        if let quantizer {
            quantizer.add(rows)
            remaining.count -= rows.count
            return
        }
        var done = 0
        while done < rows.count {
            let count = min(Self.batch, rows.count - done)
            let (start, stride, handle) = (done * rows.bytesPerRow, rows.bytesPerRow, handle)
            try check(
                rows.withUnsafeBase { base in
                    // The `count` rows from here on belong to `rows`, `stride` bytes apart.
                    tessera_jpeg_encoder_write_rows(
                        handle, (base + start).assumingMemoryBound(to: UInt8.self), stride, UInt32(count))
                })
            done += count
            remaining.count -= count
            try deliver()
        }
    }

    func finish() throws(ImageError) {
        try remaining.checkNone()
        if let quantizer {
            for bytes in quantizer.finish() { try output.write(bytes.span.bytes) }
            return
        }
        try check(tessera_jpeg_encoder_finish(handle))
        try deliver()
    }

    /// The lengths of the standard's codes for luma's and chroma's AC coefficients, which are near enough to those that the file
    /// will have.
    private var codeLengths: [UInt8] {
        (0..<2).flatMap { table in
            [UInt8](unsafeUninitializedCapacity: 256) { lengths, count in
                tessera_jpeg_encoder_code_lengths(handle, Int32(table), lengths.baseAddress!)
                count = 256
            }
        }
    }

    /// Writes EXIF, then XMP, then the ICC profile. Readers expect EXIF first.
    ///
    /// Leaves out blocks that are too long: over 64 KB of EXIF or XMP, or 16 MB of ICC profile.
    private func writeMetadata(_ metadata: ImageMetadata) throws(ImageError) {
        if let exif = EXIF.block(metadata.exif, orientation: metadata.orientation) {
            try writeSegment(0xE1, EXIF.prefix + exif)
        }
        if let xmp = metadata.xmp {
            try writeSegment(0xE1, JPEGMetadataSegment.xmpPrefix + xmp)
            for piece in JPEGExtendedXMP.pieces(of: metadata.extendedXMP ?? [], for: xmp) {
                try writeSegment(0xE1, JPEGMetadataSegment.extendedXMPPrefix + piece)
            }
        }
        if case .icc(let profile) = info.profile, !profile.isEmpty, profile.count <= 255 * 65519 {
            try check(tessera_jpeg_encoder_write_icc(handle, profile, UInt32(profile.count)))
        }
    }

    private func writeSegment(_ marker: UInt8, _ bytes: [UInt8]) throws(ImageError) {
        guard bytes.count <= JPEGMetadataSegment.maximumByteCount else { return }
        try check(tessera_jpeg_encoder_write_segment(handle, marker, bytes, UInt32(bytes.count)))
    }

    /// Writes the compressed bytes to the sink.
    private func deliver() throws(ImageError) {
        var count = 0
        guard let bytes = tessera_jpeg_encoder_output(handle, &count), count > 0 else { return }
        // The shim keeps the bytes until its next call, which releases them.
        let span = UnsafeRawBufferPointer(start: bytes, count: count).bytes
        try output.write(span)
        tessera_jpeg_encoder_drain(handle)
    }

    private func check(_ status: Int32) throws(ImageError) {
        guard status < 0 else { return }
        let code: ImageError.Code =
            switch status {
            case Int32(TESSERA_UNSUPPORTED): .unsupported
            case Int32(TESSERA_NO_MEMORY): .outOfMemory
            default: .invalidParameter
            }
        // The message lives as long as the handle; it is copied here.
        let message = String(cString: tessera_jpeg_encoder_message(handle))
        throw ImageError(code, "the JPEG can't be written: \(message)")
    }

    /// Dots per inch, rounded as JFIF stores them; nil if out of its range.
    private static func density(_ value: Double) -> UInt16? {
        value >= 0.5 && value < 65535 ? UInt16(value.rounded()) : nil
    }
}

extension EncodingOptions.JPEG.Subsampling {
    /// Luma samples for each chroma sample, horizontally and vertically.
    var factors: (UInt8, UInt8) {
        switch self {
        case .yuv444: (1, 1)
        case .yuv422: (2, 1)
        case .yuv420: (2, 2)
        case .yuv440: (1, 2)
        case .yuv411: (4, 1)
        }
    }
}
