internal import Raster

extension ImageDestination {
    /// The file for `bitmap`, which the codec can take, in at most `maximum` bytes: the best quality that has a file so
    /// short, of hundredths from 0 to the options' own.
    ///
    /// Quality is searched by halves: a better one makes a larger file, but for a few bytes.
    /// - Throws: `limitExceeded`.
    func encode(_ bitmap: Bitmap, within maximum: Int, options: EncodingOptions) throws(ImageError) -> [UInt8] {
        let best = try file(bitmap, options)
        if best.count <= maximum { return best }
        let canLose = codec.capabilities.contains(.lossy)
        let isLossless = options.isLossless && codec.capabilities.contains(.lossless)
        guard canLose, !isLossless else {
            throw ImageError(
                .limitExceeded, "the \(format) file has \(best.count) bytes without loss; the limit is \(maximum)")
        }
        var trial = options
        trial.quality = 0
        var found = try file(bitmap, trial)
        guard found.count <= maximum else {
            throw ImageError(
                .limitExceeded,
                "the \(format) file has \(found.count) bytes at the lowest quality; the limit is \(maximum)")
        }
        var (fitting, tooGood) = (0, Int((options.quality * 100).rounded(.up)))
        while tooGood - fitting > 1 {
            let middle = (fitting + tooGood) / 2
            trial.quality = Double(middle) / 100
            let bytes = try file(bitmap, trial)
            if bytes.count <= maximum {
                (fitting, found) = (middle, bytes)
            } else {
                tooGood = middle
            }
        }
        return found
    }

    private func file(_ bitmap: Bitmap, _ options: EncodingOptions) throws(ImageError) -> [UInt8] {
        let buffer = ByteBuffer()
        try codec.encode(bitmap, options: options, output: buffer)
        return buffer.bytes
    }
}
