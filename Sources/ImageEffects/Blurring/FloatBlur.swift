internal import Raster

/// A Gaussian blur in floating point numbers: of 16-bit channels, and of light.
///
/// Numbers are as `FloatRows` makes them of pixels: premultiplied, stored values by their own scale, light 0…1.
struct FloatBlur: Sendable {
    /// What of a picture is blurred.
    enum Channels: Sendable {
        /// All channels.
        case all
        /// Alpha alone.
        case alpha

        var count: Int { self == .all ? 4 : 1 }
    }

    /// Where a stage's values come from.
    private enum Source {
        case picture(Bitmap)
        case plane(Bitmap)
    }

    let horizontal: BlurAxis
    let vertical: BlurAxis
    let channels: Channels
    let edges: BlurEdges
    let isLinear: Bool

    /// A blur of `sigma` pixels of a picture of `size`, as seen in `window` of it, which may reach beyond.
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

    /// Blurs `picture` and hands each row of the window to `finish`, with its number and the row of `result` that is
    /// to be filled with what becomes of it.
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

    /// Sums up so many rows at a time that their sums stay in the cache.
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

    /// Sums up the rows in `targets` of one stage.
    private func sum(_ index: Int, of source: Source, targets: Range<Int>, into rows: inout MutablePixelRows) {
        let (across, down) = (horizontal.levels[index], vertical.levels[index])
        for row in 0..<targets.count {
            rows.withFloats(row) { $0.update(repeating: 0, count: across.count * channels.count) }
        }
        // The source's row with what it reaches beyond its ends, and the sums along it.
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
            case (.rgba16, .all):
                FloatRows.fill(
                    target, from: picture.rows.row(y, as: RGBA16.self), alpha: picture.alpha, isLinear: isLinear)
            case (.rgba16, .alpha):
                let row = picture.rows.row(y, as: RGBA16.self)
                for x in row.indices { target[x] = Float(row[x].alpha) }
            case (_, .all):
                FloatRows.fill(
                    target, from: picture.rows.row(y, as: RGBA8.self), alpha: picture.alpha, isLinear: isLinear)
            case (_, .alpha):
                let row = picture.rows.row(y, as: RGBA8.self)
                for x in row.indices { target[x] = Float(row[x].alpha) }
            }
        }
    }

    /// Sums along a row: the first sum lies around value `center`, the next ones `step` values further each.
    private func sum(_ line: [Float], from center: Int, step: Int, by kernel: [Float], to sums: inout [Float]) {
        let (line, kernel) = (line.span, kernel.span)
        if channels == .alpha {
            for x in sums.indices {
                let center = center + x * step
                var sum = line[center] * kernel[0]
                for distance in 1..<kernel.count {
                    sum += (line[center - distance] + line[center + distance]) * kernel[distance]
                }
                sums[x] = sum
            }
        } else {
            for x in 0..<sums.count / 4 {
                let center = 4 * (center + x * step)
                var sum = Self.pixel(line, center) * kernel[0]
                for distance in 1..<kernel.count {
                    let both = Self.pixel(line, center - 4 * distance) + Self.pixel(line, center + 4 * distance)
                    sum += both * kernel[distance]
                }
                for channel in 0..<4 { sums[4 * x + channel] = sum[channel] }
            }
        }
    }

    @inline(__always) private static func pixel(_ line: Span<Float>, _ index: Int) -> SIMD4<Float> {
        SIMD4(line[index], line[index + 1], line[index + 2], line[index + 3])
    }

    /// Adds the sums along row `y` to the rows that it counts for.
    private func add(
        _ sums: [Float], of y: Int, to targets: Range<Int>, of level: BlurAxis.Level, rows: inout MutablePixelRows
    ) {
        let last = level.sourceCount - 1
        for row in 0..<targets.count {
            let center = level.origin + (targets.lowerBound + row) * level.step
            let reach = level.kernel.reach
            var weight = 0.0
            if edges == .repeated, y == 0 || y == last {
                // All rows beyond the edge are this one.
                for distance in -reach...reach where min(max(0, center + distance), last) == y {
                    weight += level.kernel.weights[abs(distance)]
                }
            } else if abs(y - center) <= reach {
                weight = level.kernel.weights[abs(y - center)]
            }
            guard weight > 0 else { continue }
            let factor = Float(weight)
            rows.withFloats(row) { target in
                for x in sums.indices { target[x] += sums[x] * factor }
            }
        }
    }

    /// Enlarges the last stage's values to the rows in `range`.
    private func enlarge(
        _ plane: Bitmap, range: Range<Int>, into rows: inout MutablePixelRows,
        finish: (UnsafePointer<Float>, Int, inout MutablePixelRows, Int) -> Void
    ) {
        let width = plane.width
        var between = [Float](repeating: 0, count: width)
        var line = [Float](repeating: 0, count: rows.width * channels.count)
        let (spacing, count) = (horizontal.spacing, channels.count)
        for y in range {
            let weights = BSpline.weights(at: Double(y % spacing) / Double(spacing))
            let (a, b, c, d) = (Float(weights.0), Float(weights.1), Float(weights.2), Float(weights.3))
            for x in between.indices { between[x] = 0 }
            for (tap, weight) in [a, b, c, d].enumerated() {
                plane.withFloats(y / spacing + tap) { row in
                    for x in between.indices { between[x] += row[x] * weight }
                }
            }
            for x in 0..<line.count / count {
                let weights = BSpline.weights(at: Double(x % spacing) / Double(spacing))
                let first = x / spacing * count
                for channel in 0..<count {
                    let near =
                        between[first + channel + count] * Float(weights.1)
                        + between[first + channel + 2 * count] * Float(weights.2)
                    let far =
                        between[first + channel] * Float(weights.0)
                        + between[first + channel + 3 * count] * Float(weights.3)
                    line[x * count + channel] = near + far
                }
            }
            line.withUnsafeBufferPointer { finish($0.baseAddress!, y, &rows, y - range.lowerBound) }
        }
    }
}
