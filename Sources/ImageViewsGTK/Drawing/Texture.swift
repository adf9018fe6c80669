#if GTK
internal import CTesseraGTK
internal import ImageViews
package import Raster

/// An image's pixels as GTK draws them, not copied where they are in a form that it takes.
@MainActor
package final class Texture {
    let object: GTKObject
    /// Width and height in pixels.
    package let size: PixelSize

    /// Keeps the pixels for as long as GTK looks at them.
    private final class Owner: Sendable {
        let bitmap: Bitmap
        init(_ bitmap: Bitmap) { self.bitmap = bitmap }
    }

    /// A texture of `bitmap`, whose values are taken for sRGB.
    /// - Throws: `outOfMemory` where the pixels have to be converted.
    package init(_ bitmap: Bitmap) throws(ImageError) {
        let pixels = try Self.drawable(bitmap)
        let format =
            switch (pixels.format, pixels.alpha) {
            case (.rgba16, .straight): TESSERA_RGBA16
            case (.rgba16, _): TESSERA_RGBA16_PREMULTIPLIED
            case (_, .straight): TESSERA_RGBA8
            case (_, _): TESSERA_RGBA8_PREMULTIPLIED
            }
        let rows = pixels.rows
        let pointer = rows.withUnsafeBase { base in
            // The pixels are constant, and stay where they are for as long as the bitmap, which the texture owns.
            tessera_texture(
                base, Int32(pixels.width), Int32(pixels.height), pixels.bytesPerRow, format,
                { owner in if let owner { Unmanaged<Owner>.fromOpaque(owner).release() } },
                Unmanaged.passRetained(Owner(pixels)).toOpaque())
        }
        object = GTKObject(owning: pointer!)
        size = pixels.size
    }

    /// `bitmap` itself, or its pixels in a form that GTK takes. To be called on any thread.
    package nonisolated static func drawable(_ bitmap: Bitmap) throws(ImageError) -> Bitmap {
        guard bitmap.format.isGray else { return bitmap }
        return try bitmap.converted(to: .rgba8, alpha: AlphaMode.none)
    }
}

/// The textures of what is drawn now: made once for each tile, and let go of when it is no longer drawn.
@MainActor
final class TileTextures {
    private struct Key: Hashable {
        let picture: ObjectIdentifier
        let drawing: TileDrawing.ID
    }

    private var textures: [Key: Texture] = [:]
    private var used: Set<Key> = []

    /// The texture of an image's drawing; nil where memory can't be had.
    func texture(of drawing: TileDrawing, in picture: ZoomableImage) -> Texture? {
        let key = Key(picture: ObjectIdentifier(picture), drawing: drawing.id)
        used.insert(key)
        if let texture = textures[key] { return texture }
        let texture = (try? drawing.image.storedBitmap()).flatMap { try? Texture($0) }
        textures[key] = texture
        return texture
    }

    /// Lets go of what wasn't asked for since the last call.
    func removeUnused() {
        if used.count < textures.count { textures = textures.filter { used.contains($0.key) } }
        used.removeAll(keepingCapacity: true)
    }

    func removeAll() { textures = [:] }
}
#endif
