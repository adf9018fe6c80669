#if GTK
internal import ImageFormats
internal import ImageLoading
internal import ImageViews
internal import ImageViewsGTK
internal import Platform
internal import Tessera

/// A copy of an image to save as it is shown. The file's bytes are copied if nothing has changed.
struct PictureCopy: Sendable {
    private let item: ViewerItem
    private let header: ImageHeader
    /// Nil for an animation.
    private let tiles: TiledImage?
    private let effects: EffectSettings
    /// The rotation of the upright image.
    private let orientation: Orientation

    /// The choices in the dialog, the most faithful first. Qualities are in per cent.
    static let qualities = [
        (value: "95", label: "Best"), (value: "85", label: "Good"), (value: "70", label: "Small file"),
    ]
    static let policies = [
        (value: MetadataPolicy.all.rawValue, label: "Everything"),
        (value: MetadataPolicy.profile.rawValue, label: "The colour profile"),
        (value: MetadataPolicy.none.rawValue, label: "Nothing but the picture"),
    ]

    /// Nil until the page's image is open.
    @MainActor
    init?(_ page: ViewerPage) {
        guard let header = page.header, let zoom = page.content.shown?.zoom else { return nil }
        (item, tiles, effects, orientation) = (page.item, page.tiles, page.effects, zoom.orientation)
        self.header = header
    }

    /// Writes the file; true if it has the original's bytes.
    /// - Throws: `unsupported` for a changed animation, an unknown extension, or a format that can't be written; errors of
    ///   reading and writing. The file at `path` is then as it was.
    func write(to path: String, quality: Double, keeping policy: MetadataPolicy) async throws -> Bool {
        let name = path.split(separator: "/").last ?? ""
        let suffix = name.split(separator: ".").dropFirst().last.map(String.init) ?? ""
        guard let format = ImageFormat(filenameExtension: suffix) else {
            throw ImageError(.unsupported, "unknown extension \"\(suffix)\"; use one such as png, jpg or webp")
        }
        if let original = item.path, effects.isEmpty, orientation == .up, policy == .all, format == header.format {
            try await ImageExecutor.shared.run { () throws(ImageError) in
                try Self.copyBytes(from: original, to: path)
            }
            return true
        }
        guard let tiles else {
            throw ImageError(
                .unsupported,
                "an animation is saved as it is: don't turn it, keep everything, and let the name end in "
                    + ".\(header.format.filenameExtension)")
        }
        var options = EncodingOptions(quality: quality)
        if let original = item.path, effects.isEmpty {
            // From the file, with its depth and profile.
            let image = Image(deferred: try EncodedImage(path: original), orientation: orientation)
            try await image.write(to: path, as: format, options: options, keeping: policy)
            return false
        }
        options.metadata = policy.metadata(of: header)
        let bitmap = try await tiles.region(PixelRect(tiles.size))
        let (effects, orientation, chosen) = (effects, orientation, options)
        try await withTaskExecutorPreference(ImageExecutor.shared) {
            var image = Image(bitmap)
            if !effects.isEmpty { image = try image.applying(effects.chain(for: bitmap.size)) }
            try await Image(image.bitmap(), orientation: orientation).write(to: path, as: format, options: chosen)
        }
        return false
    }

    private static func copyBytes(from original: String, to path: String) throws(ImageError) {
        let reader = try Source(path: original).reader()
        let file = try AtomicFile(path: path, overwrites: true)
        while try reader.nextBytes({ (bytes) throws(ImageError) in try file.write(bytes) }) {}
        try file.commit()
    }
}
#endif
