#if GTK
internal import CTesseraGTK
package import ImageFormats
internal import ImageViews
package import Raster

/// An image's pixels in a form for GTK, copied only if GTK doesn't take their format.
@MainActor
package final class Texture {
    package let object: GTKObject
    /// Width and height in pixels.
    package let size: PixelSize

    /// Keeps the pixels alive while GTK uses them.
    private final class Owner: Sendable {
        let bitmap: Bitmap
        init(_ bitmap: Bitmap) { self.bitmap = bitmap }
    }

    /// The colours of the display that textures are drawn on; nil for sRGB's.
    package static var displayColors: DisplayColors?

    /// A texture of `bitmap`, whose values are in sRGB.
    /// - Parameter isForDisplay: Whether it is drawn, in the display's colours, and not handed to other programs.
    /// - Throws: `outOfMemory` if the pixels must be converted.
    package init(_ bitmap: Bitmap, isForDisplay: Bool = true) throws(ImageError) {
        var pixels = try Self.drawable(bitmap)
        if isForDisplay, let colors = Self.displayColors { pixels = try colors.converted(pixels) }
        let format =
            switch (pixels.format, pixels.alpha) {
            case (.rgba16, .straight): TESSERA_RGBA16
            case (.rgba16, _): TESSERA_RGBA16_PREMULTIPLIED
            case (_, .straight): TESSERA_RGBA8
            case (_, _): TESSERA_RGBA8_PREMULTIPLIED
            }
        let rows = pixels.rows
        let pointer = rows.withUnsafeBase { base in
            // The pixels are constant, and stay in place while the bitmap is alive, which the texture owns.
            tessera_texture(
                base, Int32(pixels.width), Int32(pixels.height), pixels.bytesPerRow, format,
                { owner in if let owner { Unmanaged<Owner>.fromOpaque(owner).release() } },
                Unmanaged.passRetained(Owner(pixels)).toOpaque())
        }
        object = GTKObject(owning: pointer!)
        size = pixels.size
    }

    /// `bitmap`, or its pixels converted to a format that GTK takes. Any thread may call it.
    package nonisolated static func drawable(_ bitmap: Bitmap) throws(ImageError) -> Bitmap {
        guard bitmap.format.isGray else { return bitmap }
        return try bitmap.converted(to: .rgba8, alpha: AlphaMode.none)
    }
}

/// The textures of the current drawings: made once for each tile, and removed when it is no longer drawn.
@MainActor
final class TileTextures {
    private struct Key: Hashable {
        let picture: ObjectIdentifier
        let drawing: TileDrawing.ID
    }

    private var textures: [Key: Texture] = [:]
    private var used: Set<Key> = []

    /// The texture of an image's drawing; nil if memory is exhausted.
    func texture(of drawing: TileDrawing, in picture: ZoomableImage) -> Texture? {
        let key = Key(picture: ObjectIdentifier(picture), drawing: drawing.id)
        used.insert(key)
        if let texture = textures[key] { return texture }
        let texture = (try? drawing.image.storedBitmap()).flatMap { try? Texture($0) }
        textures[key] = texture
        return texture
    }

    /// Removes textures that weren't requested since the last call.
    func removeUnused() {
        if used.count < textures.count { textures = textures.filter { used.contains($0.key) } }
        used.removeAll(keepingCapacity: true)
    }

    func removeAll() { textures = [:] }
}
#endif
