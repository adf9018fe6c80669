internal import Raster

/// Writes a BMP file row by row, top-down.
final class BMPEncoder: RowSink {
    private let writer: BMPWriter
    private let output: any ByteSink
    private var packed: [UInt8]
    private var remaining: RemainingRows
    private var hasWrittenHead = false

    init(_ info: BitmapInfo, options: EncodingOptions, output: any ByteSink) throws(ImageError) {
        try options.validate()
        writer = try BMPWriter(info, metadata: options.metadata)
        packed = [UInt8](repeating: 0, count: writer.rowByteCount)
        remaining = RemainingRows(info, in: .bmp)
        self.output = output
    }

    func write(_ rows: borrowing PixelRows) throws(ImageError) {
        try remaining.check(rows)
        if !hasWrittenHead {
            hasWrittenHead = true
            output.reserveCapacity(writer.byteCount)
            try output.write(writer.head)
        }
        for y in 0..<rows.count {
            var bytes = packed.mutableSpan
            writer.pack(rows.row(y, as: RGBA8.self), into: &bytes)
            try output.write(packed)
        }
        remaining.count -= rows.count
    }

    func finish() throws(ImageError) {
        try remaining.checkNone()
        try output.write(writer.tail)
    }
}

/// The parts of a BMP file: the headers, a packed row, and the profile after the rows.
///
/// Opaque sRGB gets the header of 40 bytes, which every reader supports; alpha or a profile needs version 5. Rows are
/// stored top-down, marked by a negative height, so that each can be written as it arrives.
struct BMPWriter {
    /// The file's bytes up to the pixels.
    let head: [UInt8]
    /// The ICC profile; empty for none.
    let tail: [UInt8]
    /// The bytes in a row, a multiple of 4.
    let rowByteCount: Int
    /// The bytes in the file.
    let byteCount: Int
    private let hasAlpha: Bool

    /// - Throws: `invalidParameter` for an unsupported pixel format, `limitExceeded` for a size beyond BMP's fields.
    init(_ info: BitmapInfo, metadata: ImageMetadata) throws(ImageError) {
        guard info.format == .rgba8, info.alpha != .premultiplied, !info.size.isEmpty else {
            throw ImageError(.invalidParameter, "a BMP takes RGB of 8 bits a channel, with straight alpha or none")
        }
        hasAlpha = info.alpha.hasAlpha
        let bitsPerPixel = hasAlpha ? 32 : 24
        guard info.size.width <= Int(Int32.max) / 32, info.size.height <= Int(Int32.max) else {
            throw ImageError(
                .limitExceeded, "invalid size \(info.size) of a BMP image: the widest is \(Int32.max / 32) pixels")
        }
        rowByteCount = (info.size.width * bitsPerPixel + 31) / 32 * 4
        if case .icc(let profile) = info.profile { tail = profile } else { tail = [] }
        let headerByteCount = hasAlpha || !tail.isEmpty ? 124 : 40
        let imageByteCount = rowByteCount * info.size.height
        let pixelOffset = BMPLayout.fileHeaderByteCount + headerByteCount
        byteCount = pixelOffset + imageByteCount + tail.count
        guard byteCount <= Int(UInt32.max) else {
            throw ImageError(
                .limitExceeded, "a BMP file of \(info.size) pixels takes \(byteCount) bytes; the limit is \(UInt32.max)"
            )
        }

        let resolution = [metadata.resolution?.horizontal, metadata.resolution?.vertical].map {
            Self.pixelsPerMetre($0 ?? 0)
        }
        // One plane; no compression, or channels by masks; no palette.
        var fields = [byteCount, 0, pixelOffset, headerByteCount, info.size.width, -info.size.height]
        fields += [bitsPerPixel << 16 | 1, hasAlpha ? 3 : 0, imageByteCount] + resolution + [0, 0]
        if headerByteCount == 124 {
            fields += hasAlpha ? [0xFF0000, 0xFF00, 0xFF, 0xFF00_0000] : [0, 0, 0, 0]
            // "MBED" or "sRGB"; endpoints and gammas are unused.
            fields += [tail.isEmpty ? 0x7352_4742 : 0x4D42_4544] + [Int](repeating: 0, count: 12)
            // The intent for photographs (LCS_GM_IMAGES), then the profile's position.
            fields += [4, tail.isEmpty ? 0 : headerByteCount + imageByteCount, tail.count, 0]
        }
        head = fields.reduce(into: Array("BM".utf8)) { $0.append(littleEndian: $1, byteCount: 4) }
    }

    private static func pixelsPerMetre(_ perInch: Double) -> Int {
        let value = (perInch / 0.0254).rounded()
        return value >= 1 && value <= Double(Int32.max) ? Int(value) : 0
    }

    /// Packs a row into `bytes`, which has `rowByteCount` bytes; the padding at the end is left unchanged.
    func pack(_ row: Span<RGBA8>, into bytes: inout MutableSpan<UInt8>) {
        precondition(bytes.count == rowByteCount)
        if hasAlpha {
            BlueFirstPixels.packRGBA(row, to: &bytes)
        } else {
            BlueFirstPixels.packRGB(row, to: &bytes)
        }
    }
}
