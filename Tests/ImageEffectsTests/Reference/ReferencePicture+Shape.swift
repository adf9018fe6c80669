extension ReferencePicture {
    /// How much of pixel (`x`, `y`) lies within a rectangle of `width` × `height` at (`left`, `top`) with round corners,
    /// told from 400 vertical lines through the pixel.
    static func coverage(
        _ x: Int, _ y: Int, left: Double = 0, top: Double = 0, width: Double, height: Double,
        topLeft: Double, topRight: Double, bottomLeft: Double, bottomRight: Double
    ) -> Double {
        let lines = 400
        var sum = 0.0
        for line in 0..<lines {
            let position = Double(x) + (Double(line) + 0.5) / Double(lines) - left
            guard position > 0, position < width else { continue }
            // Where the line enters and leaves the shape.
            let fromRight = width - position
            let upper = max(lost(position, topLeft), lost(fromRight, topRight))
            let lower = max(lost(position, bottomLeft), lost(fromRight, bottomRight))
            let (from, to) = (top + upper, top + height - lower)
            sum += max(0, min(Double(y + 1), to) - max(Double(y), from))
        }
        return sum / Double(lines)
    }

    /// How much a corner takes off a line so far from its edge.
    private static func lost(_ distance: Double, _ radius: Double) -> Double {
        guard distance < radius else { return 0 }
        let fromCenter = radius - distance
        return radius - (radius * radius - fromCenter * fromCenter).squareRoot()
    }

    /// The picture within round corners.
    func rounded(_ topLeft: Double, _ topRight: Double, _ bottomLeft: Double, _ bottomRight: Double) -> ReferencePicture
    {
        let largest = Double(min(width, height)) / 2
        return ReferencePicture(width: width, height: height) { x, y in
            self[x, y]
                * Self.coverage(
                    x, y, width: Double(width), height: Double(height), topLeft: min(topLeft, largest),
                    topRight: min(topRight, largest), bottomLeft: min(bottomLeft, largest),
                    bottomRight: min(bottomRight, largest))
        }
    }

    /// The picture within a line of a straight colour, 0…1, and round corners.
    func bordered(_ color: SIMD4<Double>, line: Double, radius: Double) -> ReferencePicture {
        let (w, h) = (Double(width), Double(height))
        let outer = min(radius, min(w, h) / 2)
        let inner = max(0, outer - line)
        let ink = SIMD4(color.x, color.y, color.z, 1) * color.w
        return ReferencePicture(width: width, height: height) { x, y in
            let within = Self.coverage(
                x, y, width: w, height: h, topLeft: outer, topRight: outer, bottomLeft: outer, bottomRight: outer)
            let middle =
                2 * line < min(w, h)
                ? Self.coverage(
                    x, y, left: line, top: line, width: w - 2 * line, height: h - 2 * line, topLeft: inner,
                    topRight: inner, bottomLeft: inner, bottomRight: inner) : 0
            let drawn = within - middle
            return ink * drawn + self[x, y] * (within - color.w * drawn)
        }
    }
}
