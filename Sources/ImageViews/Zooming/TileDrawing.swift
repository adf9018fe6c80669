public import ImagePyramid
public import Raster

/// An image, or a part of one, to draw in a view.
///
/// The `clip` rectangles of a list don't overlap and end at device pixels: drawn one after the other without
/// antialiasing, they leave no seams.
public struct TileDrawing: Sendable, Identifiable {
    /// Identifies an image as long as its pixels are the same: a key for cached textures.
    public struct ID: Hashable, Sendable {
        /// The tile's address; nil for an image of the whole.
        public let tile: TileAddress?
        /// Changes when the image is replaced.
        public let version: Int
    }

    /// The identity; the same in several drawings of a list if one tile replaces several.
    public let id: ID
    /// The tile, or the whole image.
    public let image: Image
    /// How stored pixels are turned for drawing: the image's orientation, then the user's rotation.
    public let orientation: Orientation
    /// The rectangle of the whole image, turned, in points of the view.
    public let rect: ViewRect
    /// The part of `rect` to draw.
    public let clip: ViewRect
    /// Whether it replaces something sharper that isn't loaded yet.
    public let isStandIn: Bool
}

/// The positions of parts of an image: all edges at whole device pixels, the same for adjacent parts.
struct TilePlacing {
    private let zoom: ZoomModel
    /// Device pixels per image pixel.
    private let density: Double
    /// The position of the shown image's corner, in device pixels.
    private let left: Double
    private let top: Double

    init(_ zoom: ZoomModel) {
        self.zoom = zoom
        density = zoom.zoom * zoom.scaleFactor
        left = (zoom.offset.x * zoom.scaleFactor).rounded()
        top = (zoom.offset.y * zoom.scaleFactor).rounded()
    }

    /// The drawing of a whole image.
    func drawing(of image: Image) -> TileDrawing {
        let all = rect(PixelRegion(zoom.pictureSize))
        return drawing(image, TileDrawing.ID(tile: nil, version: 0), rect: all, clip: all, isStandIn: false)
    }

    /// The visible tiles of a level, with stand-ins for missing ones.
    func drawings(
        of visible: TileRange, in geometry: PyramidGeometry, _ tiles: [TileAddress: TileLoader.Tile],
        preview: Image?
    ) -> [TileDrawing] {
        var drawings: [TileDrawing] = []
        for row in visible.rows {
            for column in visible.columns {
                let address = TileAddress(level: visible.level, column: column, row: row)
                if let tile = tiles[address] {
                    drawings.append(drawing(tile, address, for: address, in: geometry))
                } else if let finer = finer(address, in: geometry, tiles) {
                    drawings += finer
                } else if let coarser = coarser(address, in: geometry, tiles) {
                    drawings.append(coarser)
                } else if let preview {
                    let id = TileDrawing.ID(tile: nil, version: 0)
                    let all = rect(PixelRegion(geometry.size))
                    drawings.append(
                        drawing(preview, id, rect: all, clip: clip(address, in: geometry), isStandIn: true))
                }
            }
        }
        return drawings.filter { !$0.clip.isEmpty }
    }

    /// The sharp drawing of a vector image's visible part, and an older one of the whole around it.
    func drawings(
        of part: VectorContent.Drawn?, within whole: VectorContent.Drawn?
    ) -> [TileDrawing] {
        guard let part else { return [] }
        let inner = rect(PixelRegion(part.part.region))
        func drawing(_ picture: VectorContent.Drawn, clip: ViewRect) -> TileDrawing {
            self.drawing(
                picture.image, TileDrawing.ID(tile: nil, version: picture.version),
                rect: rect(PixelRegion(picture.part.region)), clip: clip,
                isStandIn: abs(picture.part.density / density - 1) > 1e-9)
        }
        var drawings = [drawing(part, clip: inner)]
        if let whole, whole.version != part.version {
            let outer = rect(PixelRegion(whole.part.region))
            for clip in [
                ViewRect(left: outer.x, top: outer.y, right: outer.right, bottom: inner.y),
                ViewRect(left: outer.x, top: inner.bottom, right: outer.right, bottom: outer.bottom),
                ViewRect(left: outer.x, top: inner.y, right: inner.x, bottom: inner.bottom),
                ViewRect(left: inner.right, top: inner.y, right: outer.right, bottom: inner.bottom),
            ] where !clip.isEmpty { drawings.append(drawing(whole, clip: clip)) }
        }
        return drawings
    }

    // MARK: Stand-ins

    /// The four tiles of the next finer level; nil unless all are loaded.
    private func finer(
        _ address: TileAddress, in geometry: PyramidGeometry, _ tiles: [TileAddress: TileLoader.Tile]
    ) -> [TileDrawing]? {
        guard address.level > 0 else { return nil }
        var drawings: [TileDrawing] = []
        for row in 2 * address.row...2 * address.row + 1 {
            for column in 2 * address.column...2 * address.column + 1 {
                let finer = TileAddress(level: address.level - 1, column: column, row: row)
                guard geometry.contains(finer) else { continue }
                guard let tile = tiles[finer] else { return nil }
                drawings.append(drawing(tile, finer, for: finer, in: geometry, isStandIn: true))
            }
        }
        return drawings
    }

    /// The part of the nearest coarser tile that is loaded.
    private func coarser(
        _ address: TileAddress, in geometry: PyramidGeometry, _ tiles: [TileAddress: TileLoader.Tile]
    ) -> TileDrawing? {
        var coarser = address
        while coarser.level + 1 < geometry.levels.count {
            coarser = TileAddress(level: coarser.level + 1, column: coarser.column / 2, row: coarser.row / 2)
            if let tile = tiles[coarser] {
                return drawing(tile, coarser, for: address, in: geometry, isStandIn: true)
            }
        }
        return nil
    }

    /// A tile, clipped to `part`, a tile of its level or a finer one.
    private func drawing(
        _ tile: TileLoader.Tile, _ address: TileAddress, for part: TileAddress, in geometry: PyramidGeometry,
        isStandIn: Bool = false
    ) -> TileDrawing {
        let step = Double(1 << address.level)
        let pixels = geometry.rect(of: address)
        let all = rect(
            PixelRegion(
                x: Double(pixels.x) * step, y: Double(pixels.y) * step, width: Double(pixels.width) * step,
                height: Double(pixels.height) * step))
        return drawing(
            tile.image, TileDrawing.ID(tile: address, version: tile.version), rect: all,
            clip: clip(part, in: geometry), isStandIn: isStandIn)
    }

    private func drawing(
        _ image: Image, _ id: TileDrawing.ID, rect: ViewRect, clip: ViewRect, isStandIn: Bool
    ) -> TileDrawing {
        TileDrawing(
            id: id, image: image, orientation: image.orientation.followed(by: zoom.orientation), rect: rect,
            clip: clip, isStandIn: isStandIn)
    }

    // MARK: Rectangles

    /// The rectangle of a tile without its overlap.
    private func clip(_ address: TileAddress, in geometry: PyramidGeometry) -> ViewRect {
        let step = Double(geometry.tileSize) * Double(1 << address.level)
        let (x, y) = (Double(address.column) * step, Double(address.row) * step)
        let right = min(x + step, Double(geometry.size.width))
        let bottom = min(y + step, Double(geometry.size.height))
        return rect(PixelRegion(x: x, y: y, width: right - x, height: bottom - y))
    }

    /// A part of the upright image, in points of the view.
    private func rect(_ part: PixelRegion) -> ViewRect {
        let (width, height) = (Double(zoom.pictureSize.width), Double(zoom.pictureSize.height))
        let (right, bottom) = (part.x + part.width, part.y + part.height)
        let (x, y) =
            switch zoom.rotation {
            case 0: ((part.x, right), (part.y, bottom))
            case 1: ((height - bottom, height - part.y), (part.x, right))
            case 2: ((width - right, width - part.x), (height - bottom, height - part.y))
            default: ((part.y, bottom), (width - right, width - part.x))
            }
        func edge(_ corner: Double, _ pixels: Double) -> Double {
            (corner + (pixels * density).rounded()) / zoom.scaleFactor
        }
        return ViewRect(
            left: edge(left, x.0), top: edge(top, y.0), right: edge(left, x.1), bottom: edge(top, y.1))
    }
}
