#if GTK
internal import ImageFormats
internal import ImageLoading
internal import ImageViews
internal import ImageViewsGTK
internal import Platform
internal import Raster
internal import Tessera

/// A copy of an image to save as it is shown. As little as possible is lost: a file's bytes are copied if nothing has
/// changed, and a JPEG that was only turned or cropped keeps its coefficients.
struct PictureCopy: Sendable {
    /// The parts of the file that writing has kept.
    enum Result: Sendable {
        /// Every byte of the file.
        case unchanged
        /// Every pixel, by a JPEG's coefficients; and the part that was kept, which begins on whole blocks.
        case lossless(PixelRect)
        /// The image was encoded.
        case encoded
    }

    private let item: ViewerItem
    private let header: ImageHeader
    /// Nil for an animation.
    private let tiles: TiledImage?
    private let effects: EffectSettings
    /// The rotation of the upright image.
    private let orientation: Orientation
    /// The part to keep, in pixels of the upright image before the rotation; nil for all of it.
    private let crop: PixelRect?

    /// The choices in the dialog, the most faithful first. Qualities are in per cent.
    static let qualities = [
        (value: "95", label: "Best"), (value: "85", label: "Good"), (value: "70", label: "Small file"),
    ]
    static let policies = [
        (value: MetadataPolicy.all.rawValue, label: "Everything"),
        (value: MetadataPolicy.profile.rawValue, label: "The colour profile"),
        (value: MetadataPolicy.none.rawValue, label: "Nothing but the picture"),
    ]
    /// The formats to choose from, by their extension; the first takes the name's.
    static var formats: [(value: String, label: String)] {
        let known = CodecRegistry.default.encodableFormats.map { (value: $0.filenameExtension, label: $0.name) }
        return [(value: "name", label: "By the name's ending")] + known
    }

    /// Nil until the page's image is open.
    @MainActor
    init?(_ page: ViewerPage, crop: PixelRect? = nil) {
        guard let header = page.header, let zoom = page.content.shown?.zoom else { return nil }
        (item, tiles, effects, orientation) = (page.item, page.tiles, page.effects, zoom.orientation)
        (self.header, self.crop) = (header, crop)
    }

    /// Whether the file's bytes are the copy in the same format.
    private var isUnchanged: Bool { effects.isEmpty && orientation == .up && crop == nil }

    /// The path to write for one that was chosen: with the ending of the format that was chosen.
    static func path(_ path: String, format: String) -> String {
        guard format != "name", let wanted = ImageFormat(filenameExtension: format) else { return path }
        let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[path.utf8.index(after: $0)...] } ?? path[...]
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return "\(path).\(format)" }
        if ImageFormat(filenameExtension: String(name[name.index(after: dot)...])) == wanted { return path }
        return "\(path[..<dot]).\(format)"
    }

    /// Writes the file.
    /// - Parameters:
    ///   - quality: 0 to 1, for lossy formats.
    ///   - overwrites: Whether a file at `path` may be replaced.
    /// - Throws: `unsupported` for an unknown extension, a format that can't be written or has no animations; errors of
    ///   reading and writing. The file at `path` is then as it was.
    func write(
        to path: String, quality: Double, keeping policy: MetadataPolicy, overwrites: Bool, progress: SavingProgress
    ) async throws(ImageError) -> Result {
        let format = try format(of: path)
        if let original = item.path, isUnchanged, policy == .all, format == header.format {
            try await ImageExecutor.shared.run { () throws(ImageError) in
                try Self.copyBytes(from: original, to: path, overwrites, progress)
            }
            return .unchanged
        }
        let options = EncodingOptions(quality: quality)
        guard let tiles else {
            try await writeAnimation(to: path, format, options, policy, overwrites, progress)
            return .encoded
        }
        if let original = item.path, effects.isEmpty {
            if format == .jpeg, header.format == .jpeg, policy == .all {
                let kept = try await Self.onExecutor { () throws(ImageError) in
                    try transform(original, to: path, overwrites)
                }
                if let kept { return .lossless(kept) }
            }
            // From the file, with its depth and profile.
            try await Self.onExecutor { () throws(ImageError) in
                try encode(original, to: path, format, options, policy, overwrites, progress)
            }
            return .encoded
        }
        var described = options
        described.metadata = policy.metadata(of: header)
        let bitmap = try await tiles.region(crop ?? PixelRect(tiles.size))
        let chosen = described
        try await Self.onExecutor { () throws(ImageError) in
            let changed =
                effects.isEmpty
                ? bitmap : try Image(bitmap).applying(effects.chain(for: bitmap.size)).bitmap()
            let upright = try changed.oriented(by: orientation)
            let file = try AtomicFile(path: path, overwrites: overwrites)
            try ImageDestination(format: format, options: chosen).encode(
                progress.following(upright.makeRowSource()), to: file)
            try file.commit()
        }
        return .encoded
    }

    private func format(of path: String) throws(ImageError) -> ImageFormat {
        let name = path.split(separator: "/").last ?? ""
        let suffix = name.split(separator: ".").dropFirst().last.map(String.init) ?? ""
        guard let format = ImageFormat(filenameExtension: suffix) else {
            throw ImageError(.unsupported, "unknown extension \"\(suffix)\"; use one such as png, jpg or webp")
        }
        return format
    }

    /// Runs work on the executor, where encoding ends early if the task is cancelled.
    private static func onExecutor<R: Sendable>(
        _ body: @Sendable () throws(ImageError) -> R
    ) async throws(ImageError) -> R {
        try await Interruption.perform { () async throws(ImageError) in try await ImageExecutor.shared.run(body) }
    }

    private static func copyBytes(
        from original: String, to path: String, _ overwrites: Bool, _ progress: SavingProgress
    ) throws(ImageError) {
        let reader = try Source(path: original).reader()
        let total = FileStatus(path: original)?.byteCount ?? 0
        let file = try AtomicFile(path: path, overwrites: overwrites)
        var count = 0
        while try reader.nextBytes({ (bytes) throws(ImageError) in
            try file.write(bytes)
            count += bytes.byteCount
        }) { progress.set(min(1, Double(count) / Double(max(1, total)))) }
        try file.commit()
    }

    /// Turns and crops a JPEG by its coefficients.
    /// - Returns: The part that was kept, in pixels of the turned image; nil if only encoding again can do it: blocks at
    ///   the edge would be out of place, or the file holds further images.
    private func transform(_ original: String, to path: String, _ overwrites: Bool) throws(ImageError) -> PixelRect? {
        let bytes = try Source(path: original).bytes(limit: 1 << 30)
        let upright = header.metadata.orientation.applied(to: header.storedSize)
        let region = crop.map { orientation.applied(to: $0, in: upright) }
        let transformation = JPEGTransformation(orientation: orientation, region: region, edges: .refuse)
        var result: JPEGTransformation.Result
        do throws(ImageError) {
            result = try transformation.applied(to: bytes, limits: .largePictures)
        } catch {
            guard error.code == .unsupported, region != nil else {
                if error.code == .unsupported { return nil }
                throw error
            }
            // A crop may begin up to a block earlier, which is better than losing quality.
            var moved = transformation
            moved.edges = .keep
            result = try moved.applied(to: bytes, limits: .largePictures)
            guard orientation == .up else { return nil }
        }
        guard !result.dropsPictures else { return nil }
        let file = try AtomicFile(path: path, overwrites: overwrites)
        try file.write(result.bytes)
        try file.commit()
        return result.region
    }

    /// Encodes the file's image, turned and cropped, at its own depth and with its profile.
    private func encode(
        _ original: String, to path: String, _ format: ImageFormat, _ options: EncodingOptions,
        _ policy: MetadataPolicy, _ overwrites: Bool, _ progress: SavingProgress
    ) throws(ImageError) {
        let encoded = try EncodedImage(path: original)
        let file: AtomicFile
        if let crop {
            var options = options
            options.metadata = policy.metadata(of: header)
            options.metadata.orientation = .up
            let source = try Source(path: original)
            let decoding = DecodingOptions(color: policy.color, limits: .largePictures)
            let whole = try ImageSource.decode(source.bytes(limit: 1 << 30), options: decoding).bitmap
            let kept = try whole.cropped(to: crop).oriented(by: orientation)
            file = try AtomicFile(path: path, overwrites: overwrites)
            try ImageDestination(format: format, options: options).encode(
                progress.following(kept.makeRowSource()), to: file)
        } else {
            let image = Image(deferred: encoded, orientation: orientation)
            let plan = try EncodingPlan(image, as: format, options: options, keeping: policy)
            file = try AtomicFile(path: path, overwrites: overwrites)
            try plan.write(to: file, observing: { progress.following($0) })
        }
        try file.commit()
    }

    /// Encodes all frames of the file's animation, turned and cropped.
    private func writeAnimation(
        to path: String, _ format: ImageFormat, _ options: EncodingOptions, _ policy: MetadataPolicy,
        _ overwrites: Bool, _ progress: SavingProgress
    ) async throws(ImageError) {
        guard let original = item.path else {
            throw ImageError(.unsupported, "an animation of a server can't be saved changed; save it as it is first")
        }
        guard CodecRegistry.default.capabilities(of: format).contains(.encodeAnimation) else {
            throw ImageError(
                .unsupported, "\(format.name) has no animations; use one such as gif, png or webp")
        }
        try await Self.onExecutor { () throws(ImageError) in
            let animation = try AnimatedImage(path: original)
            var options = options
            options.loopCount = animation.loopCount
            options.metadata = policy.metadata(of: header)
            options.metadata.orientation = .up
            let file = try AtomicFile(path: path, overwrites: overwrites)
            let count = animation.frames.count
            try ImageDestination(format: format, options: options).encode(count: count, to: file) {
                (index) throws(ImageError) in
                progress.set(Double(index) / Double(count))
                let frame = animation.frames[index]
                var bitmap = try frame.image.bitmap()
                if let crop { bitmap = try bitmap.cropped(to: crop) }
                return (try bitmap.oriented(by: orientation), frame.duration)
            }
            try file.commit()
        }
    }
}
#endif
