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

    /// A picture of `size` with a shadow moved by `x` and `y` that is seen for `spread` pixels around.
    init(_ size: PixelSize, x: Int, y: Int, spread: Int, sigma: Double) {
        let (across, down) = (abs(x) + spread, abs(y) + spread)
        canvas = PixelSize(width: size.width + 2 * across, height: size.height + 2 * down)
        picture = PixelRect(x: across, y: down, width: size.width, height: size.height)
        window = PixelRect(x: -across - x, y: -down - y, width: canvas.width, height: canvas.height)
        self.sigma = sigma
    }
}
