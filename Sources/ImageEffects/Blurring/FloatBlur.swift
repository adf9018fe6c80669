internal import Raster

/// A Gaussian blur in floating point, of 16-bit channels or linear light.
///
/// Values are those of `FloatRows`: premultiplied, stored values in their own scale, linear light 0…1.
struct FloatBlur: Sendable {
    /// The channels that are blurred.
    enum Channels: Sendable {
        /// All four channels.
        case all
        /// Alpha only.
        case alpha

        var count: Int { self == .all ? 4 : 1 }
    }

    /// The input of a stage.
    private enum Source {
        case picture(Bitmap)
        case plane(Bitmap)
    }

    let horizontal: BlurAxis
    let vertical: BlurAxis
    let channels: Channels
    let edges: BlurEdges
    let isLinear: Bool

    /// A blur of `sigma` pixels of an image of `size`, seen through `window`, which may extend beyond the image.
    init(
        sigma: Double, size: PixelSize, window: PixelRect, channels: Channels = .all, edges: BlurEdges = .repeated,
        isLinear: Bool = false
    ) {
        let stages = BlurStages(sigma: sigma)
        horizontal = BlurAxis(stages, length: size.width, window: window.x..<window.x + window.width)
        vertical = BlurAxis(stages, length: size.height, window: window.y..<window.y + window.height)
        self.channels = channels
        self.edges = edges
        self.isLinear = isLinear
    }

    /// Blurs `picture` and passes each row of the window to `finish`: its values, its number, and the rows and index of
    /// `result` to fill.
    func draw(
        _ picture: Bitmap, into result: inout MutableBitmap,
        finish: @Sendable (UnsafePointer<Float>, Int, inout MutablePixelRows, Int) -> Void
    ) throws(ImageError) {
        var source = Source.picture(picture)
        let isDirect = vertical.spacing == 1
        for index in vertical.levels.indices.dropLast(isDirect ? 1 : 0) {
            let count = horizontal.levels[index].count * channels.count
            var plane = try MutableBitmap(
                uninitialized: FloatPlane.info(count: count, height: vertical.levels[index].count))
            let before = source
            try plane.fill(touching: picture.byteCount) { (rows, range) throws(ImageError) in
                sum(index, of: before, targets: range, into: &rows)
            }
            source = .plane(plane.freeze())
        }
        let last = source
        try result.fill(touching: picture.byteCount) { (rows, range) throws(ImageError) in
            if isDirect {
                try drawDirectly(last, range: range, into: &rows, finish: finish)
            } else if case .plane(let plane) = last {
                enlarge(plane, range: range, into: &rows, finish: finish)
            }
        }
    }

    /// Sums as many rows at a time as the cache holds the sums of.
    private func drawDirectly(
        _ source: Source, range: Range<Int>, into rows: inout MutablePixelRows,
        finish: (UnsafePointer<Float>, Int, inout MutablePixelRows, Int) -> Void
    ) throws(ImageError) {
        let band = min(range.count, 64)
        var sums = try MutableBitmap(
            uninitialized: FloatPlane.info(count: horizontal.levels[0].count * channels.count, height: band))
        for start in stride(from: range.lowerBound, to: range.upperBound, by: band) {
            let targets = start..<min(start + band, range.upperBound)
            sums.withMutableRows(0..<targets.count) { sum(0, of: source, targets: targets, into: &$0) }
            for y in targets {
                sums.withMutableRows(y - start..<y - start + 1) { sums in
                    sums.withFloats(0) { finish(UnsafePointer($0), y, &rows, y - range.lowerBound) }
                }
            }
        }
    }

    /// Sums the rows in `targets` of one stage.
    private func sum(_ index: Int, of source: Source, targets: Range<Int>, into rows: inout MutablePixelRows) {
        let (across, down) = (horizontal.levels[index], vertical.levels[index])
        for row in 0..<targets.count {
            rows.withFloats(row) { $0.update(repeating: 0, count: across.count * channels.count) }
        }
        // The source's row with the values beyond its ends, and the sums along it.
        let reach = across.reach(of: 0..<across.count)
        let (left, right) = (max(0, -reach.lowerBound), max(0, reach.upperBound - across.sourceCount))
        var line = [Float](repeating: 0, count: (left + across.sourceCount + right) * channels.count)
        var sums = [Float](repeating: 0, count: across.count * channels.count)
        let kernel = across.kernel.weights.map { Float($0) }
        let all = down.reach(of: targets)
        let last = down.sourceCount - 1
        let repeats = edges == .repeated
        let from = repeats ? min(last, max(0, all.lowerBound)) : max(0, all.lowerBound)
        let end = repeats ? max(1, min(last + 1, all.upperBound)) : min(last + 1, all.upperBound)
        guard from < end else { return }
        for y in from..<end {
            line.withUnsafeMutableBufferPointer { line in
                let start = line.baseAddress! + left * channels.count
                fill(start, from: source, y: y)
                if repeats {
                    for value in 0..<left * channels.count { line[value] = start[value % channels.count] }
                    let ending = start + (across.sourceCount - 1) * channels.count
                    for value in 0..<right * channels.count {
                        ending[channels.count + value] = ending[value % channels.count]
                    }
                }
            }
            sum(line, from: left + across.origin, step: across.step, by: kernel, to: &sums)
            add(sums, of: y, to: targets, of: down, rows: &rows)
        }
    }

    /// Fills `target` with the source's row `y`.
    private func fill(_ target: UnsafeMutablePointer<Float>, from source: Source, y: Int) {
        switch source {
        case .plane(let plane):
            plane.withFloats(y) { target.update(from: $0, count: plane.width) }
        case .picture(let picture):
            switch (picture.format, channels) {
            case (_, .all):
                FloatRows.fill(target, from: picture.rows, y, alpha: picture.alpha, isLinear: isLinear)
            case (.rgba16, .alpha):
                let row = picture.rows.row(y, as: RGBA16.self)
                for x in row.indices { target[x] = Float(row[x].alpha) }
            case (_, .alpha):
                let row = picture.rows.row(y, as: RGBA8.self)
                for x in row.indices { target[x] = Float(row[x].alpha) }
            }
        }
    }

    /// Sums along a row. The first sum lies around value `center`, each next one `step` values further.
    private func sum(_ line: [Float], from center: Int, step: Int, by kernel: [Float], to sums: inout [Float]) {
        let (count, reach) = (sums.count / channels.count, kernel.count - 1)
        precondition(center >= reach && (center + (count - 1) * step + reach + 1) * channels.count <= line.count)
        line.withUnsafeBufferPointer { line in
            sums.withUnsafeMutableBufferPointer { sums in
                kernel.withUnsafeBufferPointer { kernel in
                    // The line above checks that all values between the first sum's and the last one's are in bounds.
                    let (line, sums, kernel) = (line.baseAddress!, sums.baseAddress!, kernel.baseAddress!)
                    if channels == .alpha {
                        for x in 0..<count {
                            let values = line + center + x * step
                            var sum = values[0] * kernel[0]
                            for distance in 0..<reach {
                                sum += (values[-1 - distance] + values[1 + distance]) * kernel[1 + distance]
                            }
                            sums[x] = sum
                        }
                    } else {
                        for x in 0..<count {
                            let values = line + 4 * (center + x * step)
                            var sum = Self.pixel(values) * kernel[0]
                            var (before, after) = (values, values)
                            for distance in 0..<reach {
                                (before, after) = (before - 4, after + 4)
                                sum += (Self.pixel(before) + Self.pixel(after)) * kernel[1 + distance]
                            }
                            Self.store(sum, to: sums + 4 * x)
                        }
                    }
                }
            }
        }
    }

    @inline(__always) private static func pixel(_ values: UnsafePointer<Float>) -> SIMD4<Float> {
        UnsafeRawPointer(values).loadUnaligned(as: SIMD4<Float>.self)
    }

    @inline(__always) private static func store(_ pixel: SIMD4<Float>, to values: UnsafeMutablePointer<Float>) {
        UnsafeMutableRawPointer(values).storeBytes(of: pixel, as: SIMD4<Float>.self)
    }

    /// Adds the sums along row `y` to the rows that they contribute to.
    private func add(
        _ sums: [Float], of y: Int, to targets: Range<Int>, of level: BlurAxis.Level, rows: inout MutablePixelRows
    ) {
        let last = level.sourceCount - 1
        for row in 0..<targets.count {
            let center = level.origin + (targets.lowerBound + row) * level.step
            let reach = level.kernel.reach
            var weight = 0.0
            if edges == .repeated, y == 0 || y == last {
                // All rows beyond the edge equal this one.
                for distance in -reach...reach where min(max(0, center + distance), last) == y {
                    weight += level.kernel.weights[abs(distance)]
                }
            } else if abs(y - center) <= reach {
                weight = level.kernel.weights[abs(y - center)]
            }
            guard weight > 0 else { continue }
            let factor = Float(weight)
            sums.withUnsafeBufferPointer { sums in
                // The row has as many values as `sums`.
                rows.withFloats(row) { target in for x in sums.indices { target[x] += sums[x] * factor } }
            }
        }
    }

    /// Enlarges the last stage's values to the rows in `range`.
    private func enlarge(
        _ plane: Bitmap, range: Range<Int>, into rows: inout MutablePixelRows,
        finish: (UnsafePointer<Float>, Int, inout MutablePixelRows, Int) -> Void
    ) {
        let (width, count) = (rows.width, channels.count)
        let spacing = vertical.spacing
        // The weights of each pixel between two values, or of all pixels if those are fewer.
        let run = min(spacing, width)
        let across = (0..<run).map { SIMD4<Float>(BSpline.weights(at: Double($0) / Double(spacing))) }
        var between = [Float](repeating: 0, count: plane.width)
        var line = [Float](repeating: 0, count: width * count)
        for y in range {
            let down = SIMD4<Float>(BSpline.weights(at: Double(y % spacing) / Double(spacing)))
            let first = y / spacing
            plane.withFloats(first) { a in
                plane.withFloats(first + 1) { b in
                    plane.withFloats(first + 2) { c in
                        plane.withFloats(first + 3) { d in
                            // All four rows have plane.width values.
                            for x in between.indices {
                                let (near, far) = (a[x] * down.x + b[x] * down.y, c[x] * down.z + d[x] * down.w)
                                between[x] = near + far
                            }
                        }
                    }
                }
            }
            between.withUnsafeBufferPointer { between in
                line.withUnsafeMutableBufferPointer { line in
                    // There are three values more than runs, and the line has room for all pixels.
                    for start in stride(from: 0, to: width, by: run) {
                        let values = between.baseAddress! + start / run * count
                        let target = line.baseAddress! + start * count
                        Self.enlarge(values, across, to: target, pixels: min(run, width - start), channels: count)
                    }
                }
            }
            line.withUnsafeBufferPointer { finish($0.baseAddress!, y, &rows, y - range.lowerBound) }
        }
    }

    /// Fills the pixels between the second and third of four values.
    @inline(__always) private static func enlarge(
        _ values: UnsafePointer<Float>, _ weights: [SIMD4<Float>], to target: UnsafeMutablePointer<Float>, pixels: Int,
        channels: Int
    ) {
        guard channels == 4 else {
            for x in 0..<pixels { target[x] = (pixel(values) * weights[x]).sum() }
            return
        }
        let (a, b, c, d) = (pixel(values), pixel(values + 4), pixel(values + 8), pixel(values + 12))
        for x in 0..<pixels {
            let weights = weights[x]
            let (near, far) = (a * weights.x + b * weights.y, c * weights.z + d * weights.w)
            store(near + far, to: target + 4 * x)
        }
    }
}

/// Rows of floating point numbers in a bitmap's memory, each in one of its pixels of four bytes, so that they come from
/// the pool, are aligned, and are filled by several threads.
enum FloatPlane {
    /// The bitmap for `height` rows of `count` numbers.
    static func info(count: Int, height: Int) -> BitmapInfo {
        BitmapInfo(size: PixelSize(width: count, height: height), format: .rgba8)
    }
}

extension MutablePixelRows {
    /// Lends row `y` of a float plane.
    mutating func withFloats<R>(_ y: Int, _ body: (UnsafeMutablePointer<Float>) -> R) -> R {
        var bytes = bytes(y)
        // Rows start at multiples of 64 bytes and have 4 bytes for each number.
        return bytes.withUnsafeMutableBytes { body($0.baseAddress!.assumingMemoryBound(to: Float.self)) }
    }
}

extension Bitmap {
    /// Lends row `y` of a float plane.
    func withFloats<R>(_ y: Int, _ body: (UnsafePointer<Float>) -> R) -> R {
        // Rows start at multiples of 64 bytes.
        rows.bytes(y).withUnsafeBytes { body($0.baseAddress!.assumingMemoryBound(to: Float.self)) }
    }
}
