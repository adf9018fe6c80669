#if GTK
internal import ImageViewsGTK
internal import ImageFormats
internal import ImageViews
internal import Platform
internal import Tessera

extension ViewerWindow {
    func choose(_ purpose: FileDialog.Purpose, title: String) {
        let folder = page?.item.path == nil ? nil : page?.item.place
        FileDialog(purpose, title: title, folder: folder, for: window).show { [weak self] _, paths in
            if !paths.isEmpty { self?.open(paths) }
        }
    }

    /// Asks for a path, and writes the image as shown: rotated, with its effects, and cropped.
    func chooseCopy(crop: PixelRect? = nil) {
        guard let page, let copy = PictureCopy(page, crop: crop) else { return }
        let folder = page.item.path == nil ? nil : page.item.place
        let dialog = FileDialog(
            .saveFile, title: "Save a Copy", suggestion: page.item.name, folder: folder, for: window)
        dialog.addChoice("format", "Format", values: PictureCopy.formats)
        dialog.addChoice("quality", "Quality of JPEG and similar formats", values: PictureCopy.qualities)
        dialog.addChoice("keep", "Keep", values: PictureCopy.policies)
        dialog.show { [weak self] dialog, paths in
            guard let self, let chosen = paths.first else { return }
            let path = PictureCopy.path(chosen, format: dialog.chosen("format") ?? "name")
            let quality = dialog.chosen("quality").flatMap { Double($0) } ?? 95
            let policy = dialog.chosen("keep").flatMap { MetadataPolicy(rawValue: $0) } ?? .all
            // The dialog has asked about the name that was chosen, but not about one with another ending.
            save(copy, to: path, quality: quality / 100, policy, overwrites: path == chosen)
        }
    }

    private func save(
        _ copy: PictureCopy, to path: String, quality: Double, _ policy: MetadataPolicy, overwrites: Bool
    ) {
        let name = path.printable
        saving?.cancel()
        showSaving("Saving \(name)")
        let progress = SavingProgress { part in
            Task { @MainActor [weak self] in self?.interface["notice-progress"].set("fraction", part) }
        }
        saving = Task { [weak self] in
            var message: String
            do throws(ImageError) {
                let result = try await copy.write(
                    to: path, quality: quality, keeping: policy, overwrites: overwrites, progress: progress)
                switch result {
                case .unchanged: message = "Saved as \(name), unchanged"
                case .lossless(let rect): message = "Saved as \(name) without loss, \(rect.width) × \(rect.height)"
                case .encoded: message = "Saved as \(name)"
                }
                self?.endCrop()
            } catch {
                message = error.code == .cancelled ? "Not saved" : "\(name) can't be written: \(error)"
            }
            guard let self, !isClosed else { return }
            interface["notice-progress"].set("visible", false)
            say(message)
        }
    }

    /// Copies the image as shown to the clipboard, in full up to 64 megapixels.
    func copyPicture() {
        guard let page, let zoom = stage.shown?.zoom else { return }
        let (settings, orientation, tiles) = (page.effects, zoom.orientation, page.tiles)
        let frame = page.content.player?.image
        Task {
            do {
                let bitmap = try await Self.picture(tiles, frame, settings, orientation, pixelCount: 64_000_000)
                guard !isClosed else { return }
                window.copy(try Texture(bitmap, isForDisplay: false))
                say("Copied, \(bitmap.width) × \(bitmap.height) pixels")
            } catch {
                say("It can't be copied: \(error)")
            }
        }
    }

    /// The image as it is shown, reduced if it has more than `pixelCount` pixels.
    nonisolated static func picture(
        _ tiles: TiledImage?, _ frame: Image?, _ settings: EffectSettings, _ orientation: Orientation, pixelCount: Int
    ) async throws -> Bitmap {
        var image = frame
        if let tiles {
            let side = Double(max(tiles.size.width, tiles.size.height))
            let scale = (Double(pixelCount) / Double(tiles.size.pixelCount)).squareRoot()
            image = Image(
                try await scale >= 1
                    ? tiles.region(PixelRect(tiles.size)) : tiles.overview(maximumSide: Int(side * scale)))
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
