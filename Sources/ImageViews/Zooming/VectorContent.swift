internal import Raster

/// An image that is rasterised for each zoom: its visible part, one drawing at a time. Changes during a drawing are
/// handled after it.
@MainActor final class VectorContent: ZoomableContent {
    struct Drawn {
        let image: Image
        let part: DrawnPart
        let version: Int
    }

    private weak var owner: ZoomableImage?
    private let provider: any BitmapProvider
    private var work: ScopedTask?
    /// The last drawing of the whole, and of the visible part.
    private var whole: Drawn?
    private var visible: Drawn?
    private var lastVersion = 0

    init(_ provider: any BitmapProvider, for owner: ZoomableImage) {
        self.provider = provider
        self.owner = owner
    }

    func update() {
        guard let owner else { return }
        let zoom = owner.zoom
        guard !owner.isLoading, owner.error == nil, let part = DrawnPart(zoom), !zoom.viewSize.isEmpty else {
            return owner.draw()
        }
        if let visible, visible.part.covers(zoom.visibleRect, asSharpAs: part) { return owner.draw() }
        owner.isLoading = true
        work = ScopedTask(
            Task { [weak self, provider] in
                let plan = DecodingPlan(region: part.region, targetSize: part.size)
                let result = await ImageExecutor.shared.run {
                    Result { () throws(ImageError) in try provider.makeBitmap(plan) }
                }
                self?.finish(part, result)
            })
        owner.draw()
    }

    private func finish(_ part: DrawnPart, _ result: Result<Bitmap, ImageError>) {
        guard let owner else { return }
        owner.isLoading = false
        switch result {
        case .success(let bitmap):
            lastVersion += 1
            let drawn = Drawn(image: Image(bitmap), part: part, version: lastVersion)
            visible = drawn
            if part.region == PixelRect(owner.zoom.pictureSize) { whole = drawn }
        case .failure(let error): owner.error = error
        }
        owner.update()
    }

    func drawing(in zoom: ZoomModel) -> [TileDrawing]? { TilePlacing(zoom).drawings(of: visible, within: whole) }

    func retry() { owner?.error = nil }

    func settle() async { repeat { await work?.task.value } while owner?.isLoading == true }
}

/// A part of a vector image, such as an SVG, and the size at which it is rasterised.
struct DrawnPart: Hashable, Sendable {
    /// In pixels of the upright image.
    let region: PixelRect
    /// In device pixels.
    let size: PixelSize
    /// Device pixels per image pixel.
    let density: Double

    /// The largest number of pixels of a drawing.
    private static let maximumPixelCount = 32.0 * 1_048_576

    /// The visible part and a margin around it.
    init?(_ zoom: ZoomModel) {
        let (visible, picture) = (zoom.visibleRect, zoom.pictureSize)
        guard visible.width > 0, visible.height > 0 else { return nil }
        func range(_ start: Double, _ length: Double, _ count: Int) -> Range<Int> {
            let first = min(count - 1, max(0, Int((start - length / 4).rounded(.down))))
            return first..<max(first + 1, min(count, Int((start + length * 1.25).rounded(.up))))
        }
        let columns = range(visible.x, visible.width, picture.width)
        let rows = range(visible.y, visible.height, picture.height)
        region = PixelRect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
        let area = Double(columns.count) * Double(rows.count)
        let density = min(zoom.zoom * zoom.scaleFactor, (Self.maximumPixelCount / area).squareRoot())
        self.density = density
        // The size between its edges once those are at whole device pixels.
        func length(_ range: Range<Int>) -> Int {
            let (first, last) = (Double(range.lowerBound) * density, Double(range.upperBound) * density)
            return max(1, Int(last.rounded()) - Int(first.rounded()))
        }
        size = PixelSize(width: length(columns), height: length(rows))
    }

    /// Whether it contains all of `visible` at the density of `other`.
    func covers(_ visible: PixelRegion, asSharpAs other: DrawnPart) -> Bool {
        abs(density / other.density - 1) < 1e-9 && Double(region.x) <= visible.x && Double(region.y) <= visible.y
            && Double(region.x + region.width) >= visible.x + visible.width
            && Double(region.y + region.height) >= visible.y + visible.height
    }
}
