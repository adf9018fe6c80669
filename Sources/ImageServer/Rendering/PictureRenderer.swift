package import ImageEffects
package import ImageFormats
internal import ImagePyramid
package import Raster

/// Makes the files that are sent of pictures.
package struct PictureRenderer: Sendable {
    /// The quality of files whose request names none, 0...1.
    package var quality = 0.8
    /// What shows through where a format has no transparency.
    package var background = RGBA8(255, 255, 255)
    /// The most pixels that a step makes.
    package var maximumPixelCount = 1 << 26

    /// Pixels that are asked for again and again.
    let tiles: DecodedTiles

    package init(decodedByteLimit: Int) { tiles = DecodedTiles(byteLimit: decodedByteLimit) }

    /// What `rendering` says, of `picture`.
    /// - Throws: What keeps it from being decoded, made or encoded.
    package func render(
        _ rendering: PictureRendering, of picture: ServedPicture
    ) async throws(ImageError) -> RenderedPicture {
        let bitmap = try await picture.bitmap(rendering.region, size: rendering.size, tiles)
        return try await ImageExecutor.shared.run { () throws(ImageError) in
            let changed = try self.changed(bitmap, rendering)
            return try self.encode(changed, as: rendering.format, quality: rendering.encodingQuality)
        }
    }

    /// What `chain` makes of `picture`, encoded.
    package func render(
        _ chain: EffectChain, in context: EffectContext, of picture: ServedPicture, as formats: OutputFormats,
        quality: Double?
    ) async throws(ImageError) -> RenderedPicture {
        let result = try await apply(chain.plan(for: picture.size, in: context), to: picture)
        return try await ImageExecutor.shared.run { () throws(ImageError) in
            try self.encode(result, as: result.alpha == .none ? formats.opaque : formats.transparent, quality: quality)
        }
    }

    /// What `chain` makes of each frame of an animation, encoded.
    package func renderFrames(
        _ chain: EffectChain, in context: EffectContext, of picture: ServedPicture, as formats: OutputFormats,
        quality: Double?
    ) async throws(ImageError) -> RenderedPicture {
        let plan = try chain.plan(for: picture.size, in: context)
        return try await ImageExecutor.shared.run { () throws(ImageError) in
            let source = try AnimatedImageSource(picture.file.bytes())
            let pixelCount = source.frames.count.multipliedReportingOverflow(
                by: max(plan.resultSize.pixelCount, picture.size.pixelCount))
            guard !pixelCount.overflow, pixelCount.partialValue <= self.maximumPixelCount * 4 else {
                throw ImageError(.limitExceeded, "\(source.frames.count) frames of \(plan.resultSize)")
            }
            let format = formats.transparent
            var options = self.options(quality)
            options.loopCount = source.loopCount
            let output = ImageFormats.ByteBuffer()
            try ImageDestination(format: format, options: options).encode(count: source.frames.count, to: output) {
                (index) throws(ImageError) in
                (
                    try Image(source.frame(at: index)).applying(chain, options: context.options).bitmap(),
                    source.frames[index].duration
                )
            }
            return RenderedPicture(mediaType: format.mimeType, bytes: output.bytes)
        }
    }

    /// What effects are told beside the pixels.
    private func effectContext() throws(ImageError) -> EffectContext {
        try EffectContext(options: EffectOptions(units: .pixels, maximumPixelCount: maximumPixelCount))
    }

    /// The file for `bitmap`.
    package func encode(
        _ bitmap: Bitmap, as format: ImageFormat, quality: Double?
    ) throws(ImageError) -> RenderedPicture {
        // An encoder takes a quality above 0.
        let bytes = try ImageDestination(format: format, options: options(quality)).encode(bitmap)
        return RenderedPicture(mediaType: format.mimeType, bytes: bytes)
    }

    private func options(_ quality: Double?) -> EncodingOptions {
        var options = EncodingOptions(quality: max(0.01, quality ?? self.quality), background: background)
        // Somebody waits.
        options.avif.speed = 9
        return options
    }

    private func apply(_ plan: EffectPlan, to picture: ServedPicture) async throws(ImageError) -> Bitmap {
        let part = plan.decoding.region ?? PixelRect(picture.size)
        if let target = plan.decoding.targetSize, target.pixelCount * 4 < part.size.pixelCount, !picture.isVector {
            // Much smaller: made as a view of the large picture is, which is at hand then.
            let bitmap = try await picture.bitmap(part, size: target.covering(part.size), tiles)
            return try await ImageExecutor.shared.run { () throws(ImageError) in try plan.apply(to: bitmap) }
        }
        let decoding = picture.isVector ? plan.decodingOfDrawing(of: picture.size) : plan.decoding
        return try await ImageExecutor.shared.run { () throws(ImageError) in try plan.apply(to: picture.rows(decoding))
        }
    }

    // MARK: Tiles

    /// The file that a rendering is, where it needn't be made: a stored tile, or one that is a copy of the source's bits.
    package func copiedTile(
        _ rendering: PictureRendering, of picture: ServedPicture
    ) async throws(ImageError) -> RenderedPicture? {
        guard rendering.rotation == 0, !rendering.isMirrored, rendering.encodingQuality == nil, !picture.isVector,
            rendering.quality == .default || rendering.quality == .color, rendering.canvas == nil,
            rendering.region != PixelRect(picture.size) || rendering.size == picture.size
        else { return nil }
        let tiled = try await picture.tiled()
        guard let address = tiled.geometry.address(of: rendering.region, size: rendering.size),
            let tile = try await tiled.encodedTile(address), tile.format == rendering.format
        else { return nil }
        return RenderedPicture(mediaType: tile.format.mimeType, bytes: tile.bytes)
    }

    // MARK: Pixels

    private func changed(_ bitmap: Bitmap, _ rendering: PictureRendering) throws(ImageError) -> Bitmap {
        var bitmap = bitmap
        if rendering.isMirrored { bitmap = try bitmap.oriented(by: .upMirrored) }
        if rendering.rotation != 0 {
            let effect = Effects.Rotate(degrees: rendering.rotation)
            // Quarter turns only move pixels, of any format.
            if rendering.rotation.truncatingRemainder(dividingBy: 90) != 0 { bitmap = try bitmap.converted(to: .rgba8) }
            if bitmap.alpha == .straight { bitmap = try bitmap.converted(alpha: .premultiplied) }
            bitmap = try effect.apply(to: bitmap, in: try effectContext())
        }
        if let canvas = rendering.canvas, canvas != bitmap.size {
            bitmap = try Effects.Crop(
                x: 0, y: 0, width: Double(canvas.width), height: Double(canvas.height), outside: .transparent
            ).apply(to: bitmap.converted(to: .rgba8, alpha: .premultiplied), in: try effectContext())
        }
        switch rendering.quality {
        case .default, .color: return bitmap
        case .gray: return try gray(bitmap, rendering.format)
        case .bitonal: return try bitmap.inBlackAndWhite(background)
        }
    }

    /// Without colours; with transparency where there is some and the format has it.
    private func gray(_ bitmap: Bitmap, _ format: ImageFormat) throws(ImageError) -> Bitmap {
        guard bitmap.alpha != .none else { return try bitmap.converted(to: .gray8) }
        let working = try bitmap.converted(to: .rgba8, alpha: .premultiplied)
        return try Effects.ColorMatrix.grayscale.apply(to: working, in: try effectContext())
    }
}

extension PixelSize {
    /// The smallest size of `whole`'s shape with at least as many pixels both ways.
    fileprivate func covering(_ whole: PixelSize) -> PixelSize {
        let factor = max(Double(width) / Double(whole.width), Double(height) / Double(whole.height))
        guard factor < 1 else { return whole }
        return PixelSize(
            width: min(whole.width, max(width, Int((Double(whole.width) * factor).rounded(.up)))),
            height: min(whole.height, max(height, Int((Double(whole.height) * factor).rounded(.up)))))
    }
}
