public import Raster

extension Image {
    /// The image reduced to fit a square of `side` pixels, with its proportions preserved.
    ///
    /// See `thumbnail(fitting:)` with a box for details.
    /// - Throws: `invalidParameter` for a side below 1, and errors of decoding.
    public func thumbnail(fitting side: Int) throws(ImageError) -> Image {
        try thumbnail(fitting: PixelSize(width: side, height: side))
    }

    /// The image reduced to fit `box`, with its proportions preserved, upright, made with a Lanczos filter.
    ///
    /// Decodes the file no larger than needed: a JPEG at a half, a quarter or an eighth, as long as that has at least
    /// twice the result's width and height. Rows are filtered as they are decoded, so memory holds the result and a few
    /// rows. An image that already fits is returned unchanged; only a vector image (SVG) is enlarged to fill the box.
    ///
    /// ```swift
    /// try Image(path: "in.jpg").thumbnail(fitting: 800).write(to: "out.webp")
    /// ```
    /// - Throws: `invalidParameter` for an empty box, and errors of decoding.
    public func thumbnail(fitting box: PixelSize) throws(ImageError) -> Image {
        try DecodingPlan(fitting: box).validate(for: size)
        let target = size.fitted(within: box, enlarges: isVector)
        guard target != size else { return self }
        let small = try reduced(to: target)
        return gainMap.map {
            small.withGainMap($0.cropped(to: PixelRegion(size), of: size, scaledTo: target))
        } ?? small
    }

    private func reduced(to target: PixelSize) throws(ImageError) -> Image {
        if !isDecoded, let encoded = provider as? EncodedImage {
            let stored = orientation.inverse.applied(to: target)
            let small = try encoded.withRows(DecodingPlan(targetSize: stored)) { (rows) throws(ImageError) in
                try rows.info.size == stored ? rows.makeBitmap() : ResamplingRowSource(rows, to: stored).makeBitmap()
            }
            return Image(try small.oriented(by: orientation), scale: scale)
        }
        let plan = DecodingPlan(targetSize: target)
        let decoded = try bitmap(for: plan)
        let coverage = plan.coverage(
            of: size, decodedAs: decoded.size, orientation: decodedOrientation.followed(by: orientation))
        return Image(try decoded.resampled(to: target, region: coverage), scale: scale)
    }

    /// The synchronous form on a thread of `ImageExecutor`; ends early if the task is cancelled.
    public func thumbnail(fitting side: Int) async throws(ImageError) -> Image {
        try await thumbnail(fitting: PixelSize(width: side, height: side))
    }

    /// The synchronous form on a thread of `ImageExecutor`; ends early if the task is cancelled.
    public func thumbnail(fitting box: PixelSize) async throws(ImageError) -> Image {
        try await Interruption.perform { () async throws(ImageError) in
            try await ImageExecutor.shared.run { () throws(ImageError) in try thumbnail(fitting: box) }
        }
    }
}
