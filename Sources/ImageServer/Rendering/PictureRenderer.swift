package import ImageEffects
package import ImageFormats
internal import ImagePyramid
package import Raster

/// Decodes, transforms and encodes images for responses.
package struct PictureRenderer: Sendable {
    /// The codecs that encode results.
    package var codecs = CodecRegistry.default
    /// Encoder quality for requests that don't specify one, 0...1.
    package var quality = 0.8
    /// The colour behind transparent pixels in formats without transparency.
    package var background = RGBA8(255, 255, 255)
    /// The most bytes that decoding a file counts as, in cost estimates.
    package var decodingByteLimit = Int.max
    /// Limits on the size of results.
    package var limits = RenderingLimits.standard

    /// Decoded tiles of large images.
    let tiles: DecodedTiles

    package init(decodedByteLimit: Int) { tiles = DecodedTiles(byteLimit: decodedByteLimit) }

    /// Renders and encodes a region of `picture`.
    /// - Throws: The errors of decoding, transforming and encoding.
    package func render(
        _ rendering: PictureRendering, of picture: ServedPicture
    ) async throws(ImageError) -> RenderedPicture {
        try await Interruption.perform { () throws(ImageError) in
            guard !isStreamed(rendering, of: picture) else {
                let encoded = try await ImageExecutor.render { () throws(ImageError) in
                    try self.encode(
                        picture.rows(rendering.region, at: rendering.size), as: rendering.format,
                        quality: rendering.encodingQuality)
                }
                return try await withGainMap(encoded, rendering, of: picture)
            }
            let bitmap = try await ServiceTrace.span("decode") { () async throws(ImageError) in
                try await picture.bitmap(rendering.region, size: rendering.size, tiles)
            }
            let encoded = try await ImageExecutor.render { () throws(ImageError) in
                let changed = try ServiceTrace.span("effects") { () throws(ImageError) in
                    try self.changed(bitmap, rendering)
                }
                return try self.encode(changed, as: rendering.format, quality: rendering.encodingQuality)
            }
            return try await withGainMap(encoded, rendering, of: picture)
        }
    }

    /// Adds the gain map's part to a JPEG whose pixels the map still describes.
    private func withGainMap(
        _ encoded: RenderedPicture, _ rendering: PictureRendering, of picture: ServedPicture
    ) async throws(ImageError) -> RenderedPicture {
        guard rendering.format == .jpeg, let orientation = rendering.orientation, let map = await picture.gainMap()
        else { return encoded }
        return try await ImageExecutor.render { () throws(ImageError) in
            RenderedPicture(
                mediaType: encoded.mediaType,
                bytes: try map.adding(
                    to: encoded.bytes.array, region: PixelRegion(rendering.region), pixels: rendering.size,
                    orientation: orientation))
        }
    }

    /// Results of more pixels are streamed from the decoder to the encoder row by row if possible.
    private static let largestBitmap = 16_000_000

    /// Whether `rendering` is streamed without a bitmap.
    func isStreamed(_ rendering: PictureRendering, of picture: ServedPicture) -> Bool {
        rendering.keepsPixels && rendering.size.pixelCount > Self.largestBitmap
            && picture.deliversRows(rendering.region, at: rendering.size)
    }

    /// Whether `plan` only scales and re-encodes, so that it is streamed without a bitmap.
    func isStreamed(_ plan: EffectPlan, of picture: ServedPicture) -> Bool {
        plan.remaining.isEmpty && plan.placement == nil && !picture.isVector
            && plan.resultSize.pixelCount > Self.largestBitmap
            && picture.deliversRows(plan.decoding.region ?? PixelRect(picture.size), at: plan.resultSize)
    }

    /// Applies `plan` to `picture` and encodes the result.
    /// - Parameters:
    ///   - map: The result's gain map, which a JPEG keeps.
    ///   - appliesMap: Whether other formats for high dynamic range get the rendition that the map leads to.
    package func render(
        _ plan: EffectPlan, of picture: ServedPicture, as formats: OutputFormats, quality: Double?,
        gainMap map: GainMap? = nil, appliesMap: Bool = false
    ) async throws(ImageError) -> RenderedPicture {
        try await Interruption.perform { () throws(ImageError) in
            guard map != nil || !isStreamed(plan, of: picture) else {
                return try await ImageExecutor.render { () throws(ImageError) in
                    let rows = try picture.rows(plan.decoding.region ?? PixelRect(picture.size), at: plan.resultSize)
                    let format = rows.info.alpha == .none ? formats.opaque : formats.transparent
                    return try self.encode(rows, as: format, quality: quality)
                }
            }
            let result = try await apply(plan, to: picture, gap: reducingGap(of: picture, formats, quality))
            return try await ImageExecutor.render { () throws(ImageError) in
                let format = result.alpha == .none ? formats.opaque : formats.transparent
                guard let map else { return try self.encode(result, as: format, quality: quality) }
                var image = Image(result).withGainMap(map)
                if appliesMap, format != .jpeg, codecs.capabilities(of: format).contains(.highDynamicRange) {
                    image = try image.rendered(for: .high(headroom: .infinity))
                }
                let bytes = try ImageDestination(format: format, options: options(quality), registry: codecs)
                    .encode(image)
                return RenderedPicture(mediaType: format.mimeType, bytes: bytes)
            }
        }
    }

    /// Applies `chain`, planned as `plan`, to each frame of an animation and encodes the result.
    package func renderFrames(
        _ chain: EffectChain, _ plan: EffectPlan, of picture: ServedPicture, as formats: OutputFormats,
        quality: Double?
    ) async throws(ImageError) -> RenderedPicture {
        try await Interruption.perform { () throws(ImageError) in
            try await ImageExecutor.render { () throws(ImageError) in
                let source = try AnimatedImageSource(
                    picture.file.source.bytes(limit: OpenedFile.largestRead), registry: codecs)
                let pixelCount = source.frames.count.multipliedReportingOverflow(
                    by: max(plan.resultSize.pixelCount, picture.size.pixelCount))
                guard !pixelCount.overflow, pixelCount.partialValue <= self.limits.maximumArea * 4 else {
                    throw ImageError(
                        .limitExceeded,
                        "\(source.frames.count) frames of \(plan.resultSize) have too many pixels; ask for a smaller size"
                    )
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

    /// The context of effects whose lengths are in pixels.
    private func effectContext() throws(ImageError) -> EffectContext {
        try EffectContext(options: EffectOptions(units: .pixels, maximumPixelCount: limits.maximumArea))
    }

    /// Encodes a bitmap.
    package func encode(
        _ bitmap: Bitmap, as format: ImageFormat, quality: Double?
    ) throws(ImageError) -> RenderedPicture {
        try ServiceTrace.span(.init("encode", ["tessera.format": format.mimeType])) { () throws(ImageError) in
            // Encoders require a quality above 0.
            let bytes = try ImageDestination(format: format, options: options(quality), registry: codecs).encode(bitmap)
            return RenderedPicture(mediaType: format.mimeType, bytes: bytes)
        }
    }

    /// Encodes rows as they arrive, without a whole bitmap if the format allows that.
    private func encode(
        _ rows: any RowSource, as format: ImageFormat, quality: Double?
    ) throws(ImageError) -> RenderedPicture {
        // Rows are decoded while they are encoded.
        try ServiceTrace.span(.init("decode and encode", ["tessera.format": format.mimeType])) {
            () throws(ImageError) in
            let output = ImageFormats.ByteBuffer()
            try ImageDestination(format: format, options: options(quality), registry: codecs).encode(rows, to: output)
            return RenderedPicture(mediaType: format.mimeType, bytes: output.bytes)
        }
    }

    /// The encoding options for a request's quality; nil for the default.
    func options(_ quality: Double?) -> EncodingOptions {
        var options = EncodingOptions(quality: max(0.01, quality ?? self.quality), background: background)
        // Fast settings, as a client is waiting: a few per cent more bytes in a fifth of the time, and half the memory
        // for JPEG XL.
        options.avif.speed = 9
        options.jpegXL.effort = 3
        options.png.compressionLevel = 2
        return options
    }

    /// How many pixels are decoded at least for each of a result's, across and down.
    ///
    /// A client waits: a JPEG made of a JPEG loses a tenth of a decibel by the smaller gap, of the 37 that coding it leaves.
    private func reducingGap(of picture: ServedPicture, _ formats: OutputFormats, _ quality: Double?) -> Double {
        picture.header.format == .jpeg && formats.opaque == .jpeg && quality ?? self.quality <= 0.85 ? 1.4 : 2
    }

    private func apply(
        _ plan: EffectPlan, to picture: ServedPicture, gap: Double
    ) async throws(ImageError) -> Bitmap {
        let part = plan.decoding.region ?? PixelRect(picture.size)
        let isMost = part.size.pixelCount * 2 >= picture.size.pixelCount
        let least = plan.decoding.leastSize(of: picture.size)
        let target = plan.decoding.targetSize ?? part.size
        if least.pixelCount < part.size.pixelCount, !picture.isVector, !isMost || !picture.isReducedAtOnce(to: target) {
            // Much smaller: made from the tiles, like other views of the large image.
            let bitmap = try await ServiceTrace.span("decode") { () async throws(ImageError) in
                try await picture.bitmap(part, size: least.covering(part.size), tiles)
            }
            // As rows, so that the plan takes them for the whole region; a bitmap alone would be ambiguous.
            return try await ImageExecutor.render { () throws(ImageError) in
                try ServiceTrace.span("effects") { () throws(ImageError) in try plan.apply(to: bitmap.makeRowSource()) }
            }
        }
        return try await ImageExecutor.render { () throws(ImageError) in
            let bitmap = try ServiceTrace.span("decode") { () throws(ImageError) in
                var decoding = plan.decoding
                decoding.reducingGap = gap
                return try plan.placed(picture.rows(decoding))
            }
            return try ServiceTrace.span("effects") { () throws(ImageError) in try plan.applyRemaining(to: bitmap) }
        }
    }

    // MARK: Tiles

    /// An encoded tile that matches the rendering without transcoding: a stored tile, or a copy of the source's bits;
    /// nil if there is none.
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
        return try await withGainMap(
            RenderedPicture(mediaType: tile.format.mimeType, bytes: tile.bytes), rendering, of: picture)
    }

    // MARK: Pixels

    private func changed(_ bitmap: Bitmap, _ rendering: PictureRendering) throws(ImageError) -> Bitmap {
        var bitmap = bitmap
        if rendering.isMirrored { bitmap = try bitmap.oriented(by: .upMirrored) }
        if rendering.rotation != 0 {
            let effect = Effects.Rotate(degrees: rendering.rotation)
            // Multiples of 90 degrees only move pixels, in any format.
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

    /// Converts to grey, and keeps transparency if the format has it.
    private func gray(_ bitmap: Bitmap, _ format: ImageFormat) throws(ImageError) -> Bitmap {
        guard bitmap.alpha != .none, codecs.capabilities(of: format).contains(.alpha) else {
            return try bitmap.converted(to: .gray8, alpha: AlphaMode.none, background: background)
        }
        let working = try bitmap.converted(to: .rgba8, alpha: .premultiplied)
        return try Effects.ColorMatrix.grayscale.apply(to: working, in: try effectContext())
    }
}

extension PixelSize {
    /// The smallest size with the proportions of `whole` that is at least this wide and high, and at most `whole`.
    fileprivate func covering(_ whole: PixelSize) -> PixelSize {
        let factor = max(Double(width) / Double(whole.width), Double(height) / Double(whole.height))
        guard factor < 1 else { return whole }
        return PixelSize(
            width: min(whole.width, max(width, Int((Double(whole.width) * factor).rounded(.up)))),
            height: min(whole.height, max(height, Int((Double(whole.height) * factor).rounded(.up)))))
    }
}

extension ImageExecutor {
    /// The render threads: at least two, so that an expensive render doesn't block the rest on one processor.
    private static let rendering = ImageExecutor(width: max(2, ImageExecutor.processorCount))

    /// Runs a part of a render, on the render threads and its share of the processors.
    static func render<R: Sendable>(
        _ body: @Sendable () throws(ImageError) -> R
    ) async throws(ImageError) -> R {
        try await rendering.run { () throws(ImageError) in try ProcessorShare.hold(body) }
    }
}

extension Bitmap {
    /// Converts to black and white: luma of at least half becomes white.
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
