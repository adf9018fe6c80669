internal import Raster

/// A Gaussian blur of 8-bit RGBA or single-channel images, in integers.
///
/// Blurred values have the form described at `ScalarBlur`. Between the stages they are stored in bitmaps of 16-bit
/// grey, one value to a pixel, so that they come from the pool, are aligned, and are filled by several threads.
struct FixedBlur: Sendable {
    private let horizontal: BlurAxis
    private let vertical: BlurAxis
    private let kernels: [FixedKernel]
    private let spline: FixedSpline
    private let verticalSpline: FixedSpline
    private let channels: Int
    private let edges: BlurEdges
    private let window: PixelSize

    /// The number of rows summed at a time, so that rows they share are read from memory once.
    private static let group = 4

    /// Receives each row of blurred values: its values, its number, and the rows and index of the result to fill.
    typealias Finish = @Sendable (UnsafePointer<Int16>, Int, inout MutablePixelRows, Int) -> Void

    /// A blur of `sigma` pixels of an image of `size` with 1 or 4 `channels`, seen through `window`, which may extend
    /// beyond the image.
    init(sigma: Double, size: PixelSize, window: PixelRect, channels: Int = 4, edges: BlurEdges = .repeated) {
        let stages = BlurStages(sigma: sigma)
        horizontal = BlurAxis(stages, length: size.width, window: window.x..<window.x + window.width)
        vertical = BlurAxis(stages, length: size.height, window: window.y..<window.y + window.height)
        kernels = horizontal.levels.map { FixedKernel($0.kernel) }
        spline = FixedSpline(spacing: stages.spacing, count: window.width)
        verticalSpline = FixedSpline(spacing: stages.spacing, count: window.height)
        self.channels = channels
        self.edges = edges
        self.window = PixelSize(width: window.width, height: window.height)
    }

    /// Blurs `picture`, which has 8-bit channels, and passes each row of the window to `finish`. Without `finish`,
    /// `result` gets the values rounded to bytes, no colour above its alpha.
    func draw(_ picture: Bitmap, into result: inout MutableBitmap, finish: Finish? = nil) throws(ImageError) {
        let isDirect = vertical.spacing == 1
        var source = picture
        for index in vertical.levels.indices.dropLast(isDirect ? 1 : 0) {
            let size = PixelSize(
                width: horizontal.levels[index].count * channels, height: vertical.levels[index].count)
            var plane = try MutableBitmap(uninitialized: BitmapInfo(size: size, format: .gray16))
            let before = source
            try plane.fill(touching: before.byteCount) { (rows, range) throws(ImageError) in
                let sums = try BlurredRows(self, level: index)
                for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.group) {
                    let targets = start..<min(start + Self.group, range.upperBound)
                    sums.sum(before, targets: targets)
                    for target in targets {
                        rows.withValues(target - range.lowerBound) { sums.finish(target - start, to: $0) }
                    }
                }
            }
            source = plane.freeze()
        }
        let last = source
        try result.fill(touching: max(picture.byteCount, window.pixelCount * channels)) {
            (rows, range) throws(ImageError) in
            if isDirect {
                try drawDirectly(last, range: range, into: &rows, finish: finish)
            } else {
                try enlarge(last, range: range, into: &rows, finish: finish)
            }
        }
    }

    private func drawDirectly(
        _ picture: Bitmap, range: Range<Int>, into rows: inout MutablePixelRows, finish: Finish?
    ) throws(ImageError) {
        let sums = try BlurredRows(self, level: 0)
        let count = window.width * channels
        let line = try ScratchMemory(bytesPerRow: count * 2 + 64, rowCount: 1)
        let values = line.base.assumingMemoryBound(to: Int16.self)
        for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.group) {
            let targets = start..<min(start + Self.group, range.upperBound)
            sums.sum(picture, targets: targets)
            for y in targets {
                sums.finish(y - start, to: values)
                if let finish {
                    finish(values, y, &rows, y - range.lowerBound)
                } else {
                    rows.withChannels(y - range.lowerBound) {
                        BlurKernels.round(values, to: $0, count: count, limitsToAlpha: channels == 4)
                    }
                }
            }
        }
    }

    /// Enlarges the last stage's values to the rows in `range`.
    private func enlarge(
        _ plane: Bitmap, range: Range<Int>, into rows: inout MutablePixelRows, finish: Finish?
    ) throws(ImageError) {
        let count = window.width * channels
        let (weights, stride) = spline.table(channels: channels)
        let runs = (window.width - 1) / spline.spacing + 1
        // The four enlarged rows around the current one, and a row for their sum.
        let valuesPerRow = (runs * spline.spacing * channels + 63) / 32 * 32
        let memory = try ScratchMemory(bytesPerRow: valuesPerRow * 2, rowCount: 5)
        let lines = memory.base.assumingMemoryBound(to: Int16.self)
        let step = verticalSpline.spacing
        var made = range.lowerBound / step
        for y in range {
            let first = y / step
            while made < first + 4 {
                plane.withValues(made) { row in
                    BlurKernels.enlarge(
                        row, weights, stride: stride, spacing: spline.spacing, channels: channels,
                        to: lines + made % 4 * valuesPerRow, count: runs)
                }
                made += 1
            }
            let four: [UnsafePointer<Int16>] = (first..<first + 4).map { (line: Int) -> UnsafePointer<Int16> in
                UnsafePointer(lines + line % 4 * valuesPerRow)
            }
            let weights = verticalSpline.pixels[y % step]
            if let finish {
                let sums = lines + 4 * valuesPerRow
                BlurKernels.sum(four, weights, to: sums, count: count)
                finish(sums, y, &rows, y - range.lowerBound)
            } else {
                rows.withChannels(y - range.lowerBound) {
                    BlurKernels.sumToBytes(four, weights, to: $0, count: count, limitsToAlpha: channels == 4)
                }
            }
        }
    }

    /// Sums some rows of one stage: down the columns first, then along the rows. Used by one task at a time.
    private final class BlurredRows {
        private let across: BlurAxis.Level
        private let down: BlurAxis.Level
        private let kernel: FixedKernel
        private let channels: Int
        private let edges: BlurEdges
        /// Sums down the columns, with the values needed beyond their ends.
        private let columns: ScratchMemory
        private let columnValues: Int
        /// The number of values before the first column's.
        private let before: Int
        /// One row's pixels, regrouped so that those a step apart are adjacent.
        private let parts: ScratchMemory
        private let partValues: Int
        private let pixelsPerPart: Int
        /// A row of zeros, as long as the source's.
        private let empty: ScratchMemory
        private var rows: [UnsafeRawPointer] = []

        init(_ blur: FixedBlur, level: Int) throws(ImageError) {
            (across, down) = (blur.horizontal.levels[level], blur.vertical.levels[level])
            (kernel, channels, edges) = (blur.kernels[level], blur.channels, blur.edges)
            let reach = across.reach(of: 0..<across.count)
            pixelsPerPart = (reach.count - 1) / across.step + 1
            before = (max(0, -reach.lowerBound) * channels + 31) / 32 * 32
            let end = max(across.sourceCount, reach.lowerBound + pixelsPerPart * across.step)
            columnValues = (before + end * channels + 127) / 32 * 32
            columns = try ScratchMemory(bytesPerRow: columnValues * 2, rowCount: FixedBlur.group)
            partValues = (pixelsPerPart * channels + 63) / 32 * 32
            parts = try ScratchMemory(bytesPerRow: partValues * 2 * across.step + 64, rowCount: 1)
            let emptyBytes = (across.sourceCount * channels * 2 + 127) / 64 * 64
            empty = try ScratchMemory(bytesPerRow: emptyBytes, rowCount: 1)
            empty.base.initializeMemory(as: UInt8.self, repeating: 0, count: emptyBytes)
            // Values past the ends don't affect the sums but must be readable.
            columns.base.initializeMemory(as: Int16.self, repeating: 0, count: columnValues * FixedBlur.group)
            parts.base.initializeMemory(as: Int16.self, repeating: 0, count: partValues * across.step + 32)
        }

        /// Sums down the columns for `targets`, at most one group.
        func sum(_ source: Bitmap, targets: Range<Int>) {
            let count = across.sourceCount * channels
            let line = columns.base.assumingMemoryBound(to: Int16.self) + before
            source.rows.withUnsafeBase { base in
                rows.removeAll(keepingCapacity: true)
                for y in down.reach(of: targets) {
                    let nearest = min(max(0, y), down.sourceCount - 1)
                    rows.append(
                        y == nearest || edges == .repeated
                            ? base + nearest * source.bytesPerRow : UnsafeRawPointer(empty.base))
                }
                // Rows have room for whole blocks, since they start at multiples of 64 bytes; so do the columns.
                if source.format.bitsPerChannel == 8 {
                    BlurKernels.blurBytes(
                        rows, step: down.step, kernel.weights, reach: kernel.reach, to: line, stride: columnValues,
                        sums: targets.count, count: count)
                } else {
                    rows.withUnsafeBufferPointer { rows in
                        for index in 0..<targets.count {
                            BlurKernels.blur(
                                rows.baseAddress! + index * down.step, kernel.weights, reach: kernel.reach,
                                to: line + index * columnValues, count: count)
                        }
                    }
                }
            }
        }

        /// Sums along row `index` of those last summed down the columns.
        func finish(_ index: Int, to target: UnsafeMutablePointer<Int16>) {
            let line = columns.base.assumingMemoryBound(to: Int16.self) + index * columnValues + before
            extend(line)
            let start = across.origin - kernel.reach
            rows.removeAll(keepingCapacity: true)
            if across.step == 1 {
                for distance in 0...2 * kernel.reach {
                    rows.append(UnsafeRawPointer(line + (start + distance) * channels))
                }
            } else {
                let parts = parts.base.assumingMemoryBound(to: Int16.self)
                BlurKernels.part(
                    line + start * channels, step: across.step, channels: channels, to: parts, stride: partValues,
                    count: pixelsPerPart)
                for distance in 0...2 * kernel.reach {
                    let (pixel, part) = distance.quotientAndRemainder(dividingBy: across.step)
                    rows.append(UnsafeRawPointer(parts + part * partValues + pixel * channels))
                }
            }
            BlurKernels.blur(rows, kernel.weights, reach: kernel.reach, to: target, count: across.count * channels)
        }

        /// Fills the values beyond a row's ends.
        private func extend(_ line: UnsafeMutablePointer<Int16>) {
            let end = line + across.sourceCount * channels
            let after = columnValues - before - across.sourceCount * channels
            if edges == .transparent {
                (line - before).update(repeating: 0, count: before)
                end.update(repeating: 0, count: after)
            } else {
                for value in stride(from: -1, through: -before, by: -1) { line[value] = line[value + channels] }
                for value in 0..<after { end[value] = end[value - channels] }
            }
        }
    }
}
