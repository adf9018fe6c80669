internal import CTesseraJPEG
package import JPEGBitstream
package import Raster

/// What is known while a JPEG is decoded to an eighth of its size without libjpeg.
struct JPEGEighthRows {
    /// How the data is read.
    let scan: JPEGEighthScan
    /// The picture, once all bytes were there.
    var picture: JPEGEighthPicture?
    /// Whether bytes were asked for and haven't come.
    var isAsking = false
}

extension JPEGDecoder {
    /// Prepares to do without libjpeg, which reads all that an eighth has no use for; nil where only libjpeg will do.
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

    /// Decodes the eighth when all bytes are there; false when more have to be asked for.
    ///
    /// libjpeg has the same bytes and has read none of them: it takes over where the data isn't as it should be, where
    /// more would be held at once than is allowed, and where bytes were asked for and none came.
    func decodeEighth() -> Bool {
        let isTooMuch = heldByteCount > UInt64(options.limits.maximumInputByteCount / 2)
        guard isFinished || isTooMuch || inputFailure != nil || eighth?.isAsking != false else {
            eighth?.isAsking = true
            return false
        }
        if isFinished, inputFailure == nil {
            var count = 0
            if let start = tessera_jpeg_decoder_pending(handle, &count) {
                // The shim keeps `count` bytes there until it is called again.
                let pending = UnsafeRawBufferPointer(start: start, count: count)
                let picture = eighth?.scan.decode(pending.bytes)
                eighth?.picture = picture
            }
        }
        stage = eighth?.picture == nil ? .betweenPasses : .inEighth
        if stage == .betweenPasses { eighth = nil }
        return true
    }

    /// The rows that come next; nil after the last.
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
    /// The whole picture, its values meant as `profile` says; rows that haven't come are black.
    package func makeBitmap(profile: ColorProfile) throws(ImageError) -> Bitmap {
        let format: PixelFormat = planes.count == 1 ? .gray8 : .rgba8
        var bitmap = try MutableBitmap(
            BitmapInfo(size: PixelSize(width: width, height: height), format: format, profile: profile))
        var rows = bitmap.mutableRows
        for y in 0..<min(height, rowCount) { copy(y, into: &rows, y) }
        return bitmap.freeze()
    }

    /// How many rows have come.
    private var rowCount: Int { samples.count / mcuRowByteCount * planes[0].mcuRows }

    /// Puts row `row` of the picture into row `y` of `rows`, which are of grey or of RGBA.
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

    /// YCbCr to RGB by JFIF's equations in 16 bits of fraction, as libjpeg rounds them.
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
