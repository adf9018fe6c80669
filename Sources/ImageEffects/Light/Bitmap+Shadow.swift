internal import Platform
internal import Raster

extension Bitmap {
    /// The image over its shadow of `color`.
    func shadowed(by color: RGBA8, _ layout: ShadowLayout) throws(ImageError) -> Bitmap {
        var info = info
        info.size = layout.canvas
        info.alpha = .premultiplied
        var result = try MutableBitmap(uninitialized: info)
        let brush = ShadowBrush(color, layout)
        // So narrow a Gaussian has no effect.
        let sigma = max(layout.sigma, 0.05)
        if isOpaque {
            try drawRectangle(brush, into: &result)
        } else if format == .rgba16 {
            let blur = FloatBlur(
                sigma: sigma, size: size, window: layout.window, channels: .alpha,
                edges: .transparent)
            try blur.draw(self, into: &result) { alphas, y, rows, index in
                brush.draw(alphas, y: y, of: self, to: rows.row(index, as: RGBA16.self))
            }
        } else {
            let blur = FixedBlur(
                sigma: sigma, size: size, window: layout.window, channels: 1,
                edges: .transparent)
            try blur.draw(try alphas(), into: &result) { alphas, y, rows, index in
                brush.draw(alphas, y: y, of: self, to: rows.row(index, as: RGBA8.self))
            }
        }
        return result.freeze()
    }

    /// The alphas of an 8-bit image as grey.
    private func alphas() throws(ImageError) -> Bitmap {
        var result = try MutableBitmap(uninitialized: BitmapInfo(size: size, format: .gray8))
        try result.fill(touching: byteCount) { (rows, range) throws(ImageError) in
            for y in range {
                var target = rows.row(y - range.lowerBound, as: Gray8.self)
                BlurKernels.extractAlpha(self.rows.row(y, as: RGBA8.self), to: &target)
            }
        }
        return result.freeze()
    }

    /// Draws an opaque image and the visible part of its shadow, which has a closed form.
    private func drawRectangle(_ brush: ShadowBrush, into result: inout MutableBitmap) throws(ImageError) {
        let (layout, window) = (brush.layout, brush.layout.window)
        let across = ShadowProfile.values(
            sigma: layout.sigma, length: width, window: window.x..<window.x + window.width)
        let down = ShadowProfile.values(
            sigma: layout.sigma, length: height, window: window.y..<window.y + window.height)
        let place = layout.picture
        try result.fill { (rows, range) throws(ImageError) in
            withUnsafeTemporaryAllocation(of: Float.self, capacity: window.width) { memory in
                let alphas = memory.baseAddress!
                for y in range {
                    let isBeside = y >= place.y && y < place.y + place.height
                    let left = isBeside ? place.x : window.width
                    let right = isBeside ? place.x + place.width : window.width
                    // The image hides the rest.
                    let scale = down[y] * (format == .rgba16 ? 65535 : Float(ScalarBlur.one))
                    for x in 0..<left { alphas[x] = across[x] * scale }
                    for x in right..<window.width { alphas[x] = across[x] * scale }
                    let index = y - range.lowerBound
                    if format == .rgba16 {
                        brush.draw(alphas, y: y, of: self, to: rows.row(index, as: RGBA16.self))
                    } else {
                        withUnsafeTemporaryAllocation(of: Int16.self, capacity: window.width) { values in
                            for x in 0..<left { values[x] = Int16(truncatingIfNeeded: Int32(alphas[x] + 0.5)) }
                            for x in right..<window.width {
                                values[x] = Int16(truncatingIfNeeded: Int32(alphas[x] + 0.5))
                            }
                            brush.draw(values.baseAddress!, y: y, of: self, to: rows.row(index, as: RGBA8.self))
                        }
                    }
                }
            }
        }
    }
}

/// Draws rows of a canvas: a shadow from its blurred alphas, and the image over it.
struct ShadowBrush: Sendable {
    let layout: ShadowLayout
    /// The colour, premultiplied, 0…1.
    private let color: SIMD4<Float>
    /// The colour as integers with 15 bits after the point.
    private let ink: SIMD4<Int16>

    init(_ color: RGBA8, _ layout: ShadowLayout) {
        self.layout = layout
        let straight = SIMD4<Float>(Float(color.red), Float(color.green), Float(color.blue), 255) / 255
        self.color = straight * (Float(color.alpha) / 255)
        var ink = SIMD4<Int16>()
        for channel in 0..<4 { ink[channel] = Int16(min(32767, (self.color[channel] * 32768).rounded())) }
        self.ink = ink
    }

    /// Draws row `y` of 16 bits; alphas are 0…65535, and not read where an opaque image hides the shadow.
    func draw(_ alphas: UnsafePointer<Float>, y: Int, of picture: Bitmap, to target: consuming MutableSpan<RGBA16>) {
        let place = layout.picture
        guard y >= place.y, y < place.y + place.height else {
            for x in target.indices { target[x] = RGBA16(rounding: color * max(0, min(65535, alphas[x]))) }
            return
        }
        for x in 0..<place.x { target[x] = RGBA16(rounding: color * max(0, min(65535, alphas[x]))) }
        for x in place.x + place.width..<target.count {
            target[x] = RGBA16(rounding: color * max(0, min(65535, alphas[x])))
        }
        let source = picture.rows.row(y - place.y, as: RGBA16.self)
        for x in source.indices {
            let pixel = source[x]
            guard pixel.alpha < 65535 else {
                target[place.x + x] = pixel
                continue
            }
            let values = pixel.levels
            let shadow = color * max(0, min(65535, alphas[place.x + x]))
            target[place.x + x] = RGBA16(rounding: values + shadow * (1 - values.w / 65535))
        }
    }

    /// Draws row `y` of 8 bits; alphas have 6 bits after the point, and aren't read where an opaque image hides the
    /// shadow.
    func draw(_ alphas: UnsafePointer<Int16>, y: Int, of picture: Bitmap, to target: consuming MutableSpan<RGBA8>) {
        let place = layout.picture
        let count = target.count
        target.withUnsafeMutableBufferPointer { target in
            // The canvas's row has as many pixels as there are alphas, and the image's row lies within it.
            let target = target.baseAddress!
            guard y >= place.y, y < place.y + place.height else {
                return BlurKernels.drawShadow(alphas, ink: ink, under: nil, to: target, count: count)
            }
            let end = place.x + place.width
            BlurKernels.drawShadow(alphas, ink: ink, under: nil, to: target, count: place.x)
            BlurKernels.drawShadow(alphas + end, ink: ink, under: nil, to: target + end, count: count - end)
            picture.rows.row(y - place.y, as: RGBA8.self).withUnsafeBufferPointer { source in
                BlurKernels.drawShadow(
                    alphas + place.x, ink: ink, under: source.baseAddress!, to: target + place.x, count: place.width)
            }
        }
    }
}

/// The blur of an opaque line. An opaque rectangle's blur is the product of its two sides' profiles.
enum ShadowProfile {
    /// The blurred coverage of a line from 0 to `length` at each place of `window`, 0…1.
    static func values(sigma: Double, length: Int, window: Range<Int>) -> [Float] {
        guard sigma > 0 else { return window.map { $0 >= 0 && $0 < length ? 1 : 0 } }
        // Beyond this distance the Gaussian's share is less than 1 in 100000.
        let reach = Int((4.5 * sigma).rounded(.up))
        var sums = [0.0]
        for distance in -reach...reach {
            sums.append(sums[sums.count - 1] + exp(-Double(distance * distance) / (2 * sigma * sigma)))
        }
        let all = sums[sums.count - 1]
        /// The sum of the weights before a distance.
        func before(_ distance: Int) -> Double { sums[min(max(0, distance + reach), sums.count - 1)] }
        return window.map { place in
            // The line starts at -place, relative to this pixel.
            Float((before(length - place) - before(-place)) / all)
        }
    }
}
