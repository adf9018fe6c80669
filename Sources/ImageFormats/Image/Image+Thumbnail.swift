public import Raster

extension Image {
    /// The image at the largest size of its proportions within a square of `side` pixels.
    ///
    /// As `thumbnail(fitting:)` with a box.
    /// - Throws: `invalidParameter` for a side below 1, and what decoding reports.
    public func thumbnail(fitting side: Int) throws(ImageError) -> Image {
        try thumbnail(fitting: PixelSize(width: side, height: side))
    }

    /// The image at the largest size of its proportions within `box`, upright, made with a Lanczos filter.
    ///
    /// The image's file is decoded no larger than that takes: a JPEG at a half, a quarter or an eighth, as long as it has
    /// twice the pixels of the result each way; rows are filtered while they are decoded, so that memory holds the result
    /// and a few rows. Pixels are never enlarged: an image that fits is returned as it is. A drawing (SVG) fills the box.
    ///
    /// ```swift
    /// try Image(path: "in.jpg").thumbnail(fitting: 800).write(to: "out.webp")
    /// ```
    /// - Throws: `invalidParameter` for a box without pixels, and what decoding reports.
    public func thumbnail(fitting box: PixelSize) throws(ImageError) -> Image {
        try DecodingPlan(fitting: box).validate(for: size)
        let target = size.fitted(within: box, enlarges: isVector)
        guard target != size else { return self }
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

    /// As the synchronous form, on a thread of `ImageExecutor`; ends early when the task is cancelled.
    public func thumbnail(fitting side: Int) async throws(ImageError) -> Image {
        try await thumbnail(fitting: PixelSize(width: side, height: side))
    }

    /// As the synchronous form, on a thread of `ImageExecutor`; ends early when the task is cancelled.
    public func thumbnail(fitting box: PixelSize) async throws(ImageError) -> Image {
        try await Interruption.perform { () async throws(ImageError) in
            try await ImageExecutor.shared.run { () throws(ImageError) in try thumbnail(fitting: box) }
        }
    }
}
