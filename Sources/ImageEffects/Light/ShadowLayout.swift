internal import Raster

/// Where a picture and its shadow lie on a canvas.
struct ShadowLayout: Hashable, Sendable {
    /// The canvas's size.
    let canvas: PixelSize
    /// Where the picture goes.
    let picture: PixelRect
    /// The canvas as seen from the shadow's unblurred shape, which begins at 0, 0 and has the picture's size.
    let window: PixelRect
    /// The blur's standard deviation in pixels.
    let sigma: Double

    /// A picture of `size` with borders of `across` and `down` pixels and a shadow moved by `x` and `y`.
    init(_ size: PixelSize, x: Int, y: Int, across: Int, down: Int, sigma: Double) {
        canvas = PixelSize(width: size.width + 2 * across, height: size.height + 2 * down)
        picture = PixelRect(x: across, y: down, width: size.width, height: size.height)
        window = PixelRect(x: -across - x, y: -down - y, width: canvas.width, height: canvas.height)
        self.sigma = sigma
    }
}
