#if GTK
internal import ImageViewsGTK
internal import ImageFormats
internal import ImageViews
internal import Tessera

extension ViewerWindow {
    func choose(_ choice: GTKProgram.FileChoice, title: String) {
        GTKProgram.choose(choice, title: title, for: window) { [weak self] in
            if !$0.isEmpty { self?.open($0) }
        }
    }

    /// Asks for a path, and writes the image as shown: rotated, with its effects.
    func chooseCopy() {
        guard let page, let tiles = page.tiles, let zoom = stage.shown?.zoom else { return }
        let (settings, orientation) = (page.effects, zoom.orientation)
        GTKProgram.choose(.saveFile, title: "Save a Copy", suggestion: page.item.name, for: window) {
            [weak self] paths in
            guard let path = paths.first else { return }
            Task {
                do {
                    try await Self.write(tiles, settings, orientation, to: path)
                    self?.say("Saved as \(path)")
                } catch {
                    self?.say("\(path) can't be written: \(error)")
                }
            }
        }
    }

    private nonisolated static func write(
        _ tiles: TiledImage, _ settings: EffectSettings, _ orientation: Orientation, to path: String
    ) async throws {
        let suffix = path.split(separator: "/").last?.split(separator: ".").dropFirst().last.map(String.init) ?? ""
        guard let format = ImageFormat(filenameExtension: suffix) else {
            throw ImageError(.unsupported, "unknown extension \"\(suffix)\"; use one such as png, jpg or webp")
        }
        let destination = try ImageDestination(format: format)
        let bitmap = try await tiles.region(PixelRect(tiles.size))
        try await withTaskExecutorPreference(ImageExecutor.shared) {
            var image = Image(bitmap)
            if !settings.isEmpty { image = try image.applying(settings.chain(for: bitmap.size)) }
            image = try Image(image.bitmap(), orientation: orientation).decompressed()
            // The file dialog has asked whether to replace the file.
            let file = try AtomicFile(path: path, overwrites: true)
            try destination.encode(image.bitmap(), to: file)
            try file.commit()
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
