internal import Raster

/// Writes each row as it comes, from the top down.
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

/// The parts of a BMP file: what comes before its rows, a row, and what comes after them.
///
/// Opaque pixels of sRGB get the header of 40 bytes that every reader knows; alpha or a profile needs version 5's. Rows
/// are stored from the top down, which a negative height says, so that each can be written as it comes.
struct BMPWriter {
    /// The file up to its pixels.
    let head: [UInt8]
    /// The ICC profile, if any.
    let tail: [UInt8]
    /// Bytes of a row.
    let rowByteCount: Int
    /// Bytes of the file.
    let byteCount: Int
    private let hasAlpha: Bool

    /// - Throws: `invalidParameter` for pixels that a BMP can't take, `limitExceeded` for more than its fields hold.
    init(_ info: BitmapInfo, metadata: ImageMetadata) throws(ImageError) {
        guard info.format == .rgba8, info.alpha != .premultiplied, !info.size.isEmpty else {
            throw ImageError(.invalidParameter, "a BMP takes RGB of 8 bits a channel, with straight alpha or none")
        }
        hasAlpha = info.alpha.hasAlpha
        let bitsPerPixel = hasAlpha ? 32 : 24
        guard info.size.width <= Int(Int32.max) / 32, info.size.height <= Int(Int32.max) else {
            throw ImageError(.limitExceeded, "a BMP picture can't be \(info.size)")
        }
        rowByteCount = (info.size.width * bitsPerPixel + 31) / 32 * 4
        if case .icc(let profile) = info.profile { tail = profile } else { tail = [] }
        let headerByteCount = hasAlpha || !tail.isEmpty ? 124 : 40
        let imageByteCount = rowByteCount * info.size.height
        let pixelOffset = BMPLayout.fileHeaderByteCount + headerByteCount
        byteCount = pixelOffset + imageByteCount + tail.count
        guard byteCount <= Int(UInt32.max) else {
            throw ImageError(.limitExceeded, "a BMP file can't have \(byteCount) bytes, as \(info.size) would take")
        }

        var bytes = Array("BM".utf8)
        bytes.append(littleEndian: byteCount, byteCount: 4)
        bytes.append(littleEndian: 0, byteCount: 4)
        bytes.append(littleEndian: pixelOffset, byteCount: 4)
        bytes.append(littleEndian: headerByteCount, byteCount: 4)
        bytes.append(littleEndian: info.size.width, byteCount: 4)
        bytes.append(littleEndian: -info.size.height, byteCount: 4)
        bytes.append(littleEndian: 1, byteCount: 2)
        bytes.append(littleEndian: bitsPerPixel, byteCount: 2)
        // Channels by masks, or none.
        bytes.append(littleEndian: hasAlpha ? 3 : 0, byteCount: 4)
        bytes.append(littleEndian: imageByteCount, byteCount: 4)
        for value in [metadata.resolution?.horizontal, metadata.resolution?.vertical] {
            bytes.append(littleEndian: Self.pixelsPerMetre(value ?? 0), byteCount: 4)
        }
        // No palette.
        bytes.append(littleEndian: 0, byteCount: 8)
        if headerByteCount == 124 {
            for mask in hasAlpha ? [0xFF0000, 0xFF00, 0xFF, 0xFF00_0000] : [0, 0, 0, 0] {
                bytes.append(littleEndian: mask, byteCount: 4)
            }
            // "MBED", or "sRGB".
            bytes.append(littleEndian: tail.isEmpty ? 0x7352_4742 : 0x4D42_4544, byteCount: 4)
            // No endpoints and gammas.
            bytes += [UInt8](repeating: 0, count: 48)
            // Colours of a photograph: keep the look (LCS_GM_IMAGES).
            bytes.append(littleEndian: 4, byteCount: 4)
            bytes.append(littleEndian: tail.isEmpty ? 0 : headerByteCount + imageByteCount, byteCount: 4)
            bytes.append(littleEndian: tail.count, byteCount: 4)
            bytes.append(littleEndian: 0, byteCount: 4)
        }
        head = bytes
    }

    private static func pixelsPerMetre(_ perInch: Double) -> Int {
        let value = (perInch / 0.0254).rounded()
        return value >= 1 && value <= Double(Int32.max) ? Int(value) : 0
    }

    /// Packs a row as it is stored into the first of `rowByteCount` bytes; the padding at their end is left alone.
    func pack(_ row: Span<RGBA8>, into bytes: inout MutableSpan<UInt8>) {
        precondition(bytes.count == rowByteCount)
        let step = hasAlpha ? 4 : 3
        for x in row.indices {
            let (pixel, at) = (row[x], x &* step)
            bytes[at] = pixel.blue
            bytes[at &+ 1] = pixel.green
            bytes[at &+ 2] = pixel.red
            if hasAlpha { bytes[at &+ 3] = pixel.alpha }
        }
    }
}
