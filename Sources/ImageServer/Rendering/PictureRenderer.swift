package import ImageEffects
package import ImageFormats
internal import ImagePyramid
package import Raster

/// Makes the files that are sent of pictures.
package struct PictureRenderer: Sendable {
    /// What files are encoded by.
    package var codecs = CodecRegistry.default
    /// The quality of files whose request names none, 0...1.
    package var quality = 0.8
    /// What shows through where a format has no transparency.
    package var background = RGBA8(255, 255, 255)
    /// The most memory that decoding a file counts for.
    package var decodingByteLimit = Int.max
    /// How large results may be.
    package var limits = RenderingLimits.standard

    /// Pixels that are asked for again and again.
    let tiles: DecodedTiles

    package init(decodedByteLimit: Int) { tiles = DecodedTiles(byteLimit: decodedByteLimit) }

    /// What `rendering` says, of `picture`.
    /// - Throws: What keeps it from being decoded, made or encoded.
    package func render(
        _ rendering: PictureRendering, of picture: ServedPicture
    ) async throws(ImageError) -> RenderedPicture {
        try await Interruption.perform { () throws(ImageError) in
            guard !isStreamed(rendering, of: picture) else {
                return try await ImageExecutor.rendering.run { () throws(ImageError) in
                    try self.encode(
                        picture.rows(rendering.region, at: rendering.size), as: rendering.format,
                        quality: rendering.encodingQuality)
                }
            }
            let bitmap = try await picture.bitmap(rendering.region, size: rendering.size, tiles)
            return try await ImageExecutor.rendering.run { () throws(ImageError) in
                let changed = try self.changed(bitmap, rendering)
                return try self.encode(changed, as: rendering.format, quality: rendering.encodingQuality)
            }
        }
    }

    /// Results of more pixels go from the decoder to the encoder row by row where they can.
    private static let largestBitmap = 16_000_000

    /// Whether `rendering` needs no bitmap.
    func isStreamed(_ rendering: PictureRendering, of picture: ServedPicture) -> Bool {
        rendering.keepsPixels && rendering.size.pixelCount > Self.largestBitmap
            && picture.deliversRows(rendering.region, at: rendering.size)
    }

    /// Whether the picture is only written, without an effect, and needs no bitmap for that.
    func isStreamed(_ plan: EffectPlan, of picture: ServedPicture) -> Bool {
        plan.remaining.isEmpty && plan.placement == nil && !picture.isVector
            && plan.resultSize.pixelCount > Self.largestBitmap
            && picture.deliversRows(plan.decoding.region ?? PixelRect(picture.size), at: plan.resultSize)
    }

    /// What `plan` makes of `picture`, encoded.
    package func render(
        _ plan: EffectPlan, of picture: ServedPicture, as formats: OutputFormats, quality: Double?
    ) async throws(ImageError) -> RenderedPicture {
        try await Interruption.perform { () throws(ImageError) in
            guard !isStreamed(plan, of: picture) else {
                return try await ImageExecutor.rendering.run { () throws(ImageError) in
                    let rows = try picture.rows(plan.decoding.region ?? PixelRect(picture.size), at: plan.resultSize)
                    let format = rows.info.alpha == .none ? formats.opaque : formats.transparent
                    return try self.encode(rows, as: format, quality: quality)
                }
            }
            let result = try await apply(plan, to: picture)
            return try await ImageExecutor.rendering.run { () throws(ImageError) in
                try self.encode(
                    result, as: result.alpha == .none ? formats.opaque : formats.transparent, quality: quality)
            }
        }
    }

    /// What `chain`, of which `plan` is the plan, makes of each frame of an animation, encoded.
    package func renderFrames(
        _ chain: EffectChain, _ plan: EffectPlan, of picture: ServedPicture, as formats: OutputFormats,
        quality: Double?
    ) async throws(ImageError) -> RenderedPicture {
        try await Interruption.perform { () throws(ImageError) in
            try await ImageExecutor.rendering.run { () throws(ImageError) in
                let source = try AnimatedImageSource(
                    picture.file.source.bytes(limit: OpenedFile.largestRead), registry: codecs)
                let pixelCount = source.frames.count.multipliedReportingOverflow(
                    by: max(plan.resultSize.pixelCount, picture.size.pixelCount))
                guard !pixelCount.overflow, pixelCount.partialValue <= self.limits.maximumArea * 4 else {
                    throw ImageError(.limitExceeded, "\(source.frames.count) frames of \(plan.resultSize)")
                }
                let format = formats.transparent
                var options = self.options(quality)
                options.loopCount = source.loopCount
                let output = ImageFormats.ByteBuffer()
                try ImageDestination(format: format, options: options, registry: codecs).encode(
                    count: source.frames.count, to: output
                ) {
                    (index) throws(ImageError) in
                    (
                        try Image(source.frame(at: index), scale: plan.context.pixelsPerUnit)
                            .applying(chain, options: plan.context.options).bitmap(),
                        source.frames[index].duration
                    )
                }
                return RenderedPicture(mediaType: format.mimeType, bytes: output.bytes)
            }
        }
    }

    /// What effects are told beside the pixels.
    private func effectContext() throws(ImageError) -> EffectContext {
        try EffectContext(options: EffectOptions(units: .pixels, maximumPixelCount: limits.maximumArea))
    }

    /// The file for `bitmap`.
    package func encode(
        _ bitmap: Bitmap, as format: ImageFormat, quality: Double?
    ) throws(ImageError) -> RenderedPicture {
        // An encoder takes a quality above 0.
        let bytes = try ImageDestination(format: format, options: options(quality), registry: codecs).encode(bitmap)
        return RenderedPicture(mediaType: format.mimeType, bytes: bytes)
    }

    /// The file for `rows`, which are never all in memory where the format allows that.
    private func encode(
        _ rows: any RowSource, as format: ImageFormat, quality: Double?
    ) throws(ImageError) -> RenderedPicture {
        let output = ImageFormats.ByteBuffer()
        try ImageDestination(format: format, options: options(quality), registry: codecs).encode(rows, to: output)
        return RenderedPicture(mediaType: format.mimeType, bytes: output.bytes)
    }

    /// How files are written for a request.
    func options(_ quality: Double?) -> EncodingOptions {
        var options = EncodingOptions(quality: max(0.01, quality ?? self.quality), background: background)
        // Somebody waits: a few per cent more bytes for a fifth of the time, and for JPEG XL half of the memory.
        options.avif.speed = 9
        options.jpegXL.effort = 3
        return options
    }

    private func apply(_ plan: EffectPlan, to picture: ServedPicture) async throws(ImageError) -> Bitmap {
        let part = plan.decoding.region ?? PixelRect(picture.size)
        let isMost = part.size.pixelCount * 2 >= picture.size.pixelCount
        let least = plan.decoding.leastSize(of: picture.size)
        let target = plan.decoding.targetSize ?? part.size
        if least.pixelCount < part.size.pixelCount, !picture.isVector, !isMost || !picture.isReducedAtOnce(to: target) {
            // Much smaller: made as a view of the large picture is, which is at hand then.
            let bitmap = try await picture.bitmap(part, size: least.covering(part.size), tiles)
            // All of its rows are the part, which of a bitmap of this size alone couldn't be told.
            return try await ImageExecutor.rendering.run { () throws(ImageError) in
                try plan.apply(to: bitmap.makeRowSource())
            }
        }
        return try await ImageExecutor.rendering.run { () throws(ImageError) in
            try plan.apply(to: picture.rows(plan.decoding))
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

extension ImageExecutor {
    /// Where the server renders: two threads at least, so that a dear render doesn't hold up the others on one processor.
    static let rendering = ImageExecutor(width: max(2, ImageExecutor.processorCount))
}

extension Bitmap {
    /// The picture in black and white, nothing between: what is at least half as bright as white is white.
    package func inBlackAndWhite(_ background: RGBA8) throws(ImageError) -> Bitmap {
        let gray = try converted(to: .gray8, alpha: AlphaMode.none, background: background)
        var result = try gray.mutableCopy()
        var rows = result.mutableRows
        for y in 0..<gray.height {
            var row = rows.bytes(y)
            for x in 0..<gray.width {
                let value = row.unsafeLoad(fromByteOffset: x, as: UInt8.self)
                row.storeBytes(of: value < 128 ? 0 : 255, toByteOffset: x, as: UInt8.self)
            }
        }
        return result.freeze()
    }
}
