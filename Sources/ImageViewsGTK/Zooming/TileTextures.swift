#if GTK
internal import ImageViews
internal import Raster

/// The textures of what is drawn now: made once for each tile, and let go of when it is no longer drawn.
@MainActor
final class TileTextures {
    private struct Key: Hashable {
        let picture: ObjectIdentifier
        let drawing: TileDrawing.ID
    }

    private var textures: [Key: Texture] = [:]
    private var used: Set<Key> = []

    /// The texture of a picture's drawing; nil where memory can't be had.
    func texture(of drawing: TileDrawing, in picture: ZoomableImage) -> Texture? {
        let key = Key(picture: ObjectIdentifier(picture), drawing: drawing.id)
        used.insert(key)
        if let texture = textures[key] { return texture }
        let texture = (try? drawing.image.bitmap()).flatMap { try? Texture($0) }
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
