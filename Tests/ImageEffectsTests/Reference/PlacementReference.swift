import ImageEffects
import Raster

extension ReferencePicture {
    /// The picture drawn at a rectangle of whole pixels on a transparent canvas, what reaches beyond it cut off.
    ///
    /// It is scaled as a whole, then moved pixel by pixel: slow and obvious.
    func drawn(on canvas: PixelSize, at rect: PixelRect, filter: ResamplingFilter = .automatic) -> ReferencePicture {
        let scaled =
            rect.size == PixelSize(width: width, height: height) ? self : resampled(to: rect.size, filter: filter)
        return ReferencePicture(width: canvas.width, height: canvas.height) { x, y in
            scaled.orTransparent(x - rect.x, y - rect.y)
        }
    }
}
