import Foundation

extension ReferencePicture {
    /// The picture blurred by a Gaussian of `sigma` pixels: each pixel is the sum of all, each by the Gaussian's value at
    /// its distance. Beyond the edges there are the edges' pixels, or nothing.
    func blurred(sigma: Double, repeatsEdges: Bool = true) -> ReferencePicture {
        blurred(sigma: sigma, repeatsEdges: repeatsEdges, columns: 0..<width, rows: 0..<height)
    }

    /// Some of the blurred picture, which may lie beyond its edges.
    func blurred(
        sigma: Double, repeatsEdges: Bool, columns: Range<Int>, rows: Range<Int>
    ) -> ReferencePicture {
        let across = Self.gaussian(width, sigma: sigma, repeatsEdges: repeatsEdges, places: columns)
        let down = Self.gaussian(height, sigma: sigma, repeatsEdges: repeatsEdges, places: rows)
        let lines = ReferencePicture(width: columns.count, height: height) { x, y in
            var sum = SIMD4<Double>.zero
            var column = 0
            while column < width {
                sum += pixels[y * width + column] * across[x][column]
                column += 1
            }
            return sum
        }
        return ReferencePicture(width: columns.count, height: rows.count) { x, y in
            var sum = SIMD4<Double>.zero
            var row = 0
            while row < height {
                sum += lines.pixels[row * lines.width + x] * down[y][row]
                row += 1
            }
            return sum
        }
    }

    /// How much each of `count` pixels in a line counts at each of `places`.
    private static func gaussian(
        _ count: Int, sigma: Double, repeatsEdges: Bool, places: Range<Int>
    ) -> [[Double]] {
        guard sigma > 0 else { return places.map { place in (0..<count).map { $0 == place ? 1 : 0 } } }
        let reach = Int((8 * sigma).rounded(.up))
        let values = (-reach...reach).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) }
        let sum = values.reduce(0, +)
        return places.map { place in
            var weights = [Double](repeating: 0, count: count)
            var index = 0
            while index < values.count {
                let position = place + index - reach
                if repeatsEdges {
                    weights[min(max(0, position), count - 1)] += values[index] / sum
                } else if position >= 0, position < count {
                    weights[position] += values[index] / sum
                }
                index += 1
            }
            return weights
        }
    }

    /// Colours of stored values as light, still premultiplied.
    func light() -> ReferencePicture {
        mapColors { $0 <= 0.04045 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) }
    }

    /// Colours of light as stored values, still premultiplied.
    func stored() -> ReferencePicture {
        mapColors { $0 <= 0.0031308 ? $0 * 12.92 : 1.055 * pow($0, 1 / 2.4) - 0.055 }
    }

    private func mapColors(_ curve: (Double) -> Double) -> ReferencePicture {
        ReferencePicture(width: width, height: height) { x, y in
            var pixel = self[x, y]
            // A filter that overshoots may make more than opaque of an opaque picture, and less than nothing of nothing.
            let alpha = min(1, pixel.w)
            guard alpha > 0 else { return .zero }
            for channel in 0..<3 { pixel[channel] = curve(max(0, min(1, pixel[channel] / alpha))) * alpha }
            return pixel
        }
    }

    /// The picture plus `amount` times the difference from its blur, alpha unchanged; what is blurred has the pixel's own
    /// alpha when they are compared.
    func sharpened(sigma: Double, amount: Double) -> ReferencePicture {
        let blur = blurred(sigma: sigma)
        return ReferencePicture(width: width, height: height) { x, y in
            var (pixel, around) = (self[x, y], blur[x, y])
            if around.w > 0 { around *= pixel.w / around.w }
            for channel in 0..<3 {
                let value = pixel[channel] + amount * (pixel[channel] - around[channel])
                pixel[channel] = max(0, min(pixel.w, value))
            }
            return pixel
        }
    }

    /// The picture over its shadow of a straight colour, 0…1, on a canvas with a margin on each side.
    func shadowed(
        _ color: SIMD4<Double>, x: Int, y: Int, sigma: Double, across: Int, down: Int
    ) -> ReferencePicture {
        let blur = blurred(
            sigma: sigma, repeatsEdges: false, columns: -across - x..<width + across - x,
            rows: -down - y..<height + down - y)
        return ReferencePicture(width: blur.width, height: blur.height) { column, row in
            let alpha = color.w * blur[column, row].w
            let shadow = SIMD4(color.x * alpha, color.y * alpha, color.z * alpha, alpha)
            let pixel = orTransparent(column - across, row - down)
            return pixel + shadow * (1 - pixel.w)
        }
    }
}
