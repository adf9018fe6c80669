import Raster

extension ReferencePicture {
    /// Stored values as light: the curve of sRGB applied to the colours as they are without alpha.
    var light: ReferencePicture { mapped { TransferCurve.light(stored: min(1, $0)) } }

    /// Light as stored values.
    var stored: ReferencePicture { mapped { TransferCurve.stored(light: max(0, min(1, $0))) } }

    private func mapped(_ curve: (Double) -> Double) -> ReferencePicture {
        ReferencePicture(width: width, height: height) { x, y in
            let pixel = self[x, y]
            let alpha = max(0, min(1, pixel.w))
            guard alpha > 0 else { return .zero }
            return SIMD4(
                curve(pixel.x / alpha) * alpha, curve(pixel.y / alpha) * alpha, curve(pixel.z / alpha) * alpha,
                alpha)
        }
    }
}
