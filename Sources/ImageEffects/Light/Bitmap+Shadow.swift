internal import Raster

extension Bitmap {
    /// The picture over its shadow of `color`.
    func shadowed(by color: RGBA8, _ layout: ShadowLayout) throws(ImageError) -> Bitmap {
        var info = info
        info.size = layout.canvas
        info.alpha = .premultiplied
        var result = try MutableBitmap(uninitialized: info)
        let brush = ShadowBrush(color, layout)
        // So narrow a Gaussian leaves everything as it is.
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

    /// The alphas of a picture of 8 bits as grey.
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

    /// Draws an opaque picture and what is seen of its shadow, which is known without looking at the picture.
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
                    // The picture hides the rest.
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
