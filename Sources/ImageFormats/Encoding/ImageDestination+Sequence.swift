public import Raster

extension ImageDestination {
    /// Writes a file of several pictures to `output`: frames or pages, as the format has them.
    ///
    /// Each is asked for when it is written, so that they needn't all be in memory. All become what the first one is:
    /// its depth, its colours, its alpha; an animation's frames are all of one size. Frames are shown for `duration`
    /// seconds each, as often as the options' `loopCount` says. The options' maximum byte count and thumbnail are for
    /// single pictures and left aside.
    /// - Throws: `unsupported` for a format of single pictures; `invalidParameter` for no pictures, and for one that
    ///   would lose colours, alpha or its profile by becoming what the first is; what `picture`, the codec or `output`
    ///   reports. What `output` got until then is no picture.
    public func encode(
        count: Int, to output: any ByteSink,
        picture: (_ index: Int) throws(ImageError) -> (bitmap: Bitmap, duration: Double)
    ) throws(ImageError) {
        guard count > 0 else { throw ImageError(.invalidParameter, "a file of no pictures") }
        guard !codec.capabilities.isDisjoint(with: [.encodeAnimation, .encodePages]) else {
            throw ImageError(.unsupported, "\(format) files hold one picture")
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

    /// The rows as the codec wants them, and of the kind of `first` where that is given; nil when they are so already.
    private func encodable(
        _ source: any RowSource, like first: BitmapInfo?
    ) throws(ImageError) -> (any RowSource)? {
        let converted = try encodable(source)
        guard let first else { return converted }
        var rows = converted ?? source
        if first.profile == .sRGB, rows.info.profile != .sRGB { rows = try inSRGB(rows) }
        let info = rows.info
        guard info.size == first.size || codec.capabilities.contains(.encodePages) else {
            throw ImageError(.invalidParameter, "a frame of \(info.size) in an animation of \(first.size)")
        }
        let losesColors = first.format.isGray && !info.format.isGray
        guard !losesColors, first.alpha.hasAlpha || !info.alpha.hasAlpha, first.profile == info.profile else {
            throw ImageError(
                .invalidParameter, "a picture has colours, alpha or a profile that the first one of the file hasn't")
        }
        if info.format != first.format || info.alpha != first.alpha {
            rows = try rows.converted(to: first.format, alpha: first.alpha)
        }
        return rows === source ? nil : rows
    }
}
