public import Raster

extension ImageDestination {
    /// Writes a file of several images to `output`: frames or pages, depending on the format.
    ///
    /// Calls `picture` for each image when it is about to be written, so they needn't all be in memory. All images take
    /// the depth, colours and alpha of the first; frames of an animation must also match its size. Each frame is shown
    /// for `duration` seconds, and the animation plays `loopCount` times as set in the options. The options' maximum
    /// byte count and thumbnail apply only to single images and are ignored.
    /// - Throws: `unsupported` for a format that holds a single image; `invalidParameter` for a count below 1, and for
    ///   an image that would lose colours, alpha or its profile by matching the first; errors of `picture`, the codec
    ///   or `output`. After an error, `output` doesn't hold a valid file.
    public func encode(
        count: Int, to output: any ByteSink,
        picture: (_ index: Int) throws(ImageError) -> (bitmap: Bitmap, duration: Double)
    ) throws(ImageError) {
        guard count > 0 else { throw ImageError(.invalidParameter, "no images to write: a file needs at least one") }
        guard !codec.capabilities.isDisjoint(with: [.encodeAnimation, .encodePages]) else {
            throw ImageError(.unsupported, "\(format) files hold one image")
        }
        var sink: (any FrameSink)?
        var first: BitmapInfo?
        for index in 0..<count {
            try Interruption.check()
            let (stored, duration) = try picture(index)
            let bitmap = turnsPixels ? try stored.oriented(by: options.metadata.orientation) : stored
            let fitted = try bitmap.resampled(to: encodedSize(of: bitmap.size))
            let rows = try encodable(fitted.makeRowSource(), like: first)
            let frame = try rows?.makeBitmap() ?? fitted
            if sink == nil {
                first = frame.info
                sink = try codec.makeSequenceEncoder(frame.info, count: count, options: options, output: output)
            }
            try sink!.write(frame, duration: duration)
        }
        try sink!.finish()
    }

    /// The rows converted to match the codec and, if given, `first`; nil if they already match.
    private func encodable(
        _ source: any RowSource, like first: BitmapInfo?
    ) throws(ImageError) -> (any RowSource)? {
        let converted = try encodable(source)
        guard let first else { return converted }
        var rows = converted ?? source
        if first.profile == .sRGB, rows.info.profile != .sRGB { rows = try inSRGB(rows) }
        let info = rows.info
        guard info.size == first.size || codec.capabilities.contains(.encodePages) else {
            throw ImageError(
                .invalidParameter,
                "a frame of \(info.size) doesn't fit an animation of \(first.size): all frames must have one size")
        }
        let losesColors = first.format.isGray && !info.format.isGray
        guard !losesColors, first.alpha.hasAlpha || !info.alpha.hasAlpha, first.profile == info.profile else {
            throw ImageError(
                .invalidParameter, "an image has colours, alpha or a profile that the first one of the file hasn't")
        }
        if info.format != first.format || info.alpha != first.alpha {
            rows = try rows.converted(to: first.format, alpha: first.alpha)
        }
        return rows === source ? nil : rows
    }
}
