internal import CTesseraJPEG
package import JPEGBitstream
package import Raster

/// The state of decoding a JPEG at an eighth of its size without libjpeg.
struct JPEGEighthRows {
    /// Reads the entropy-coded data.
    let scan: JPEGEighthScan
    /// The decoded image; nil until all bytes have arrived.
    var picture: JPEGEighthPicture?
    /// Whether bytes were requested and haven't arrived.
    var isAsking = false
}

extension JPEGDecoder {
    /// Prepares to decode without libjpeg, which reads coefficients that an eighth doesn't need; nil where only libjpeg
    /// can decode.
    func makeEighth(_ decoding: tessera_jpeg_decoding) -> JPEGEighthRows? {
        let space = Int(stored.space)
        guard decoding.scale == 1, decoding.window_width == 0, delivery == .last, !stored.multiple_scans,
            !stored.arithmetic, let head,
            (space == TESSERA_JPEG_SPACE_GRAY && stored.components == 1)
                || (space == TESSERA_JPEG_SPACE_YCBCR && stored.components == 3),
            let scan = JPEGEighthScan(header: head.span.bytes),
            scan.dataOffset == tessera_jpeg_decoder_position(handle),
            scan.byteCount <= options.limits.maximumWorkingByteCount
        else { return nil }
        return JPEGEighthRows(scan: scan)
    }

    /// Decodes the eighth when all bytes are available; returns false when it needs more.
    ///
    /// libjpeg holds the same bytes and has read none of them. It takes over where the data is damaged, where the held
    /// bytes would exceed the limit, and where bytes were requested and none arrived.
    func decodeEighth() -> Bool {
        let isTooMuch = heldByteCount > UInt64(options.limits.maximumInputByteCount / 2)
        guard isFinished || isTooMuch || inputFailure != nil || eighth?.isAsking != false else {
            eighth?.isAsking = true
            return false
        }
        if isFinished, inputFailure == nil {
            var count = 0
            if let start = tessera_jpeg_decoder_pending(handle, &count) {
                // The shim keeps `count` bytes there until its next call.
                let pending = UnsafeRawBufferPointer(start: start, count: count)
                let picture = eighth?.scan.decode(pending.bytes)
                eighth?.picture = picture
            }
        }
        stage = eighth?.picture == nil ? .betweenPasses : .inEighth
        if stage == .betweenPasses { eighth = nil }
        return true
    }

    /// Copies the next rows and returns their count; nil after the last.
    func readEighth(into rows: inout MutablePixelRows) -> Int? {
        let count = min(rows.count, height - nextRow)
        guard let picture = eighth?.picture, count > 0 else {
            eighth = nil
            return nil
        }
        for y in 0..<count { picture.copy(nextRow + y, into: &rows, y) }
        nextRow += count
        return count
    }
}

extension JPEGEighthPicture {
    /// The whole image, tagged with `profile`; missing rows are black.
    package func makeBitmap(profile: ColorProfile) throws(ImageError) -> Bitmap {
        let format: PixelFormat = planes.count == 1 ? .gray8 : .rgba8
        var bitmap = try MutableBitmap(
            BitmapInfo(size: PixelSize(width: width, height: height), format: format, profile: profile))
        var rows = bitmap.mutableRows
        for y in 0..<min(height, rowCount) { copy(y, into: &rows, y) }
        return bitmap.freeze()
    }

    /// The number of decoded rows.
    private var rowCount: Int { samples.count / mcuRowByteCount * planes[0].mcuRows }

    /// Copies row `row` of the image to row `y` of `rows`, which are `Gray8` or `RGBA8`.
    func copy(_ row: Int, into rows: inout MutablePixelRows, _ y: Int) {
        if planes.count == 1 {
            copyGray(row, into: rows.row(y, as: Gray8.self))
        } else {
            convert(row, into: rows.row(y, as: RGBA8.self))
        }
    }

    private func copyGray(_ row: Int, into target: consuming MutableSpan<Gray8>) {
        let samples = samples.span.extracting(start(of: row, in: 0)...)
        for x in 0..<min(width, target.count) { target[x] = Gray8(samples[x]) }
    }

    /// Converts YCbCr to RGB by JFIF's equations in 16-bit fixed point, rounded as libjpeg does.
    private func convert(_ row: Int, into target: consuming MutableSpan<RGBA8>) {
        let count = min(width, target.count)
        let columns = planes[1].columns
        let lumas = samples.span.extracting(start(of: row, in: 0)...).extracting(first: count)
        let blues = samples.span.extracting(start(of: row, in: 1)...)
        let reds = samples.span.extracting(start(of: row, in: 2)...)
        if columns == 1 {
            let (blues, reds) = (blues.extracting(first: count), reds.extracting(first: count))
            for x in 0..<count { target[x] = Self.rgb(lumas[x], blues[x], reds[x]) }
        } else {
            for x in 0..<count { target[x] = Self.rgb(lumas[x], blues[x / columns], reds[x / columns]) }
        }
    }

    @inline(__always)
    private static func rgb(_ luma: UInt8, _ blue: UInt8, _ red: UInt8) -> RGBA8 {
        let (y, cb, cr) = (Int32(luma), Int32(blue) &- 128, Int32(red) &- 128)
        // 1.402, 0.344136, 0.714136 and 1.772 times 65536.
        let r = y &+ (91881 &* cr &+ 32768) &>> 16
        let g = y &+ (32768 &- 22554 &* cb &- 46802 &* cr) &>> 16
        let b = y &+ (116_130 &* cb &+ 32768) &>> 16
        return RGBA8(clamped(r), clamped(g), clamped(b))
    }

    @inline(__always)
    private static func clamped(_ value: Int32) -> UInt8 { UInt8(truncatingIfNeeded: min(max(value, 0), 255)) }
}
