internal import CTesseraJPEG
internal import JPEGBitstream
internal import Raster

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
