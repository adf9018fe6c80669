#if GTK
internal import ImageViewsGTK
internal import ImageFormats
internal import ImageViews
internal import Tessera

extension ViewerWindow {
    func choose(_ purpose: FileDialog.Purpose, title: String) {
        let folder = page?.item.path == nil ? nil : page?.item.place
        FileDialog(purpose, title: title, folder: folder, for: window).show { [weak self] _, paths in
            if !paths.isEmpty { self?.open(paths) }
        }
    }

    /// Asks for a path, and writes the image as shown: rotated, with its effects.
    func chooseCopy() {
        guard let page, let copy = PictureCopy(page) else { return }
        let folder = page.item.path == nil ? nil : page.item.place
        let dialog = FileDialog(
            .saveFile, title: "Save a Copy", suggestion: page.item.name, folder: folder, for: window)
        dialog.addChoice("quality", "Quality of JPEG and similar formats", values: PictureCopy.qualities)
        dialog.addChoice("keep", "Keep", values: PictureCopy.policies)
        dialog.show { [weak self] dialog, paths in
            guard let path = paths.first else { return }
            let quality = dialog.chosen("quality").flatMap { Double($0) } ?? 95
            let policy = dialog.chosen("keep").flatMap { MetadataPolicy(rawValue: $0) } ?? .all
            self?.say("Saving \(path) …")
            Task { [weak self] in
                do {
                    let isCopied = try await copy.write(to: path, quality: quality / 100, keeping: policy)
                    self?.say(isCopied ? "Saved as \(path), unchanged" : "Saved as \(path)")
                } catch {
                    self?.say("\(path) can't be written: \(error)")
                }
            }
        }
    }

    /// Copies the image as shown to the clipboard, in full up to 64 megapixels.
    func copyPicture() {
        guard let page, let zoom = stage.shown?.zoom else { return }
        let (settings, orientation, tiles) = (page.effects, zoom.orientation, page.tiles)
        let frame = page.content.player?.image
        Task {
            do {
                let bitmap = try await Self.picture(tiles, frame, settings, orientation)
                guard !isClosed else { return }
                window.copy(try Texture(bitmap))
                say("Copied, \(bitmap.width) × \(bitmap.height) pixels")
            } catch {
                say("It can't be copied: \(error)")
            }
        }
    }

    private nonisolated static func picture(
        _ tiles: TiledImage?, _ frame: Image?, _ settings: EffectSettings, _ orientation: Orientation
    ) async throws -> Bitmap {
        var image = frame
        if let tiles {
            let isSmall = tiles.size.pixelCount <= 64_000_000
            image = Image(
                try await isSmall ? tiles.region(PixelRect(tiles.size)) : tiles.overview(maximumSide: 8192))
        }
        guard let image else { throw ImageError(.invalidParameter, "no image is open yet") }
        return try await withTaskExecutorPreference(ImageExecutor.shared) {
            let changed = settings.isEmpty ? image : try image.applying(settings.chain(for: image.size))
            return try Texture.drawable(
                Image(changed.bitmap(), orientation: orientation).decompressed().bitmap())
        }
    }
}
#endif
