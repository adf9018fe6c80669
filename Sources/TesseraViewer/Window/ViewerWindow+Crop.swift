#if GTK
internal import ImageViews
internal import ImageViewsGTK
internal import Raster

extension ViewerWindow {
    /// Shows a rectangle over the image, to crop it.
    func beginCrop() {
        guard let page, let picture = page.content.picture, canCrop else { return }
        stage.fit()
        interface["stage"].focus()
        stage.crop = CropSelection(pictureSize: picture.zoom.pictureSize)
        interface["controls"].set("reveal-child", false)
        interface["crop-bar"].set("visible", true)
        updateCrop()
    }

    /// Whether the image is open and shown at its own size: corners and shadows are drawn around the whole.
    var canCrop: Bool {
        guard let page, let picture = page.content.picture else { return false }
        return page.content.shown?.zoom.pictureSize == picture.zoom.pictureSize
    }

    func updateCrop() {
        guard let crop = stage.crop, let zoom = stage.shown?.zoom else { return }
        let size = zoom.orientation.applied(to: crop.rect.size)
        interface["crop-size"].set("label", "\(size.width) × \(size.height)")
    }

    /// Removes the rectangle; the image is as it was.
    func endCrop() {
        guard stage.crop != nil else { return }
        stage.crop = nil
        interface["crop-bar"].set("visible", false)
    }

    func saveCrop() {
        guard let rect = stage.crop?.rect else { return }
        chooseCopy(crop: rect)
    }
}
#endif
