internal import CTesseraKernels

/// Some columns of two images, which one thread compares at all scales.
///
/// Unchecked: one thread at a time uses it, as `Rounds` hands it on.
final class SSIMULACRA2Columns: @unchecked Sendable {
    /// From the images' size to the smallest.
    let scales: [SSIMULACRA2Scale]
    /// The columns to read: more than those to compare, by what the smallest scale's filter reaches.
    private let read: Range<Int>
    private let imageWidth: Int

    /// The columns `core`, one of `ranges(width:count:)`.
    init(_ core: Range<Int>, of size: PixelSize) {
        imageWidth = size.width
        read = max(0, core.lowerBound - Self.margin)..<min(size.width, core.upperBound + Self.margin)
        var (core, read, size) = (core, read, size)
        var scales: [SSIMULACRA2Scale] = []
        while true {
            let place = core.lowerBound - read.lowerBound
            scales.append(SSIMULACRA2Scale(size: size, width: read.count, core: place..<place + core.count))
            guard scales.count < 6, size.width >= 8, size.height >= 8 else { break }
            core = core.lowerBound / 2..<(core.upperBound + 1) / 2
            read = read.lowerBound / 2..<(read.upperBound + 1) / 2
            size = PixelSize(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
        }
        self.scales = scales
    }

    /// Four pixels at the smallest scale.
    private static let margin = 128

    /// Divides images into at most `count` ranges of columns, at multiples of 32, so that every scale divides there.
    static func ranges(width: Int, count: Int) -> [Range<Int>] {
        let count = max(1, min(count, width / (4 * margin)))
        let bounds = (0..<count).map { width * $0 / count & ~31 } + [width]
        return zip(bounds, bounds.dropFirst()).map { $0..<$1 }
    }

    /// Adds rows in linear light, each of six as wide as the images: red, green and blue of both.
    func add(_ linear: [Float], rowCount: Int) {
        var row: [Float] = []
        row.reserveCapacity(6 * read.count)
        for y in 0..<rowCount {
            row.removeAll(keepingCapacity: true)
            for plane in 0..<6 {
                let start = (6 * y + plane) * imageWidth
                row += linear[start + read.lowerBound..<start + read.upperBound]
            }
            add(row, to: 0)
        }
    }

    private func add(_ row: [Float], to index: Int) {
        scales[index].add(row)
        guard index + 1 < scales.count, let half = scales[index].halved(with: row) else { return }
        add(half, to: index + 1)
    }

    /// Compares the rows that others below them were awaited for.
    func finish() {
        for (index, scale) in scales.enumerated() {
            if index + 1 < scales.count, let half = scale.halvedLast() { add(half, to: index + 1) }
            scale.finish()
        }
    }
}

/// Some columns of two images at one scale.
final class SSIMULACRA2Scale {
    /// The images' size at this scale.
    let size: PixelSize
    /// For each channel: the sums of the errors of structure, of added and of lost edges, each followed by that of their
    /// fourth powers.
    private(set) var sums = [Double](repeating: 0, count: 18)

    private let width: Int
    private let core: Range<Int>
    /// The number of rows added.
    private var rowCount = 0
    /// The last five rows of X, Y and B - Y of both images, with four zeros beside each.
    private var values: [Float]
    /// The last nine rows, blurred across: for each channel both images, their squares, and their product.
    private var blurred: [Float]
    /// The upper of two rows that make one of the next scale.
    private var upper: [Float]?

    /// - Parameters:
    ///   - width: The number of columns read.
    ///   - core: Those of them that are compared.
    init(size: PixelSize, width: Int, core: Range<Int>) {
        self.size = size
        self.width = width
        self.core = core
        values = Array(repeating: 0, count: 5 * 6 * (width + 2 * Self.reach))
        blurred = Array(repeating: 0, count: 9 * 15 * width)
    }

    private static let reach = 4

    /// The Gaussian of sigma 1.5 in libjxl's form, a sum of cosines that ends after four pixels; from the middle outwards.
    private static let weights: [Float] = [0.264621105, 0.212928592, 0.109335373, 0.036011115, 0.009414368]

    /// Adds a row in linear light: red, green and blue of both images.
    func add(_ row: [Float]) {
        let stride = width + 2 * Self.reach
        let start = rowCount % 5 * 6 * stride + Self.reach
        row.withUnsafeBufferPointer { row in
            values.withUnsafeMutableBufferPointer { values in
                let row = row.baseAddress!
                let values = values.baseAddress! + start
                for plane in [0, 3] {
                    tessera_similarity_xyb(
                        row + plane * width, row + (plane + 1) * width, row + (plane + 2) * width,
                        values + plane * stride, values + (plane + 1) * stride, values + (plane + 2) * stride, width)
                }
                blurred.withUnsafeMutableBufferPointer { blurred in
                    var target = blurred.baseAddress! + rowCount % 9 * 15 * width
                    for channel in 0..<3 {
                        let (first, second) = (values + channel * stride, values + (channel + 3) * stride)
                        for (one, other) in [
                            (first, nil), (second, nil), (first, first), (second, second), (first, second),
                        ] {
                            tessera_similarity_blur(one, other, Self.weights, target, width)
                            target += width
                        }
                    }
                }
            }
        }
        rowCount += 1
        compare(rowCount - 1 - Self.reach)
    }

    /// Compares the rows that others below them were awaited for: there is nothing below.
    func finish() {
        for y in rowCount..<rowCount + Self.reach {
            let start = y % 9 * 15 * width
            for place in start..<start + 15 * width { blurred[place] = 0 }
            compare(y - Self.reach)
        }
    }

    /// Compares a row, if there is one of that number: four rows below it have been added.
    private func compare(_ y: Int) {
        guard y >= 0, y < rowCount else { return }
        let stride = width + 2 * Self.reach
        let start = y % 5 * 6 * stride + Self.reach + core.lowerBound
        values.withUnsafeBufferPointer { values in
            blurred.withUnsafeBufferPointer { blurred in
                sums.withUnsafeMutableBufferPointer { sums in
                    for channel in 0..<3 {
                        let first = values.baseAddress! + start + channel * stride
                        tessera_similarity_compare(
                            blurred.baseAddress! + 5 * channel * width + core.lowerBound, width, 15 * width,
                            (y + 9 - Self.reach) % 9, Self.weights, first, first + 3 * stride, core.count,
                            sums.baseAddress! + 6 * channel)
                    }
                }
            }
        }
    }

    /// A row of the next scale, from a row and the one before it; nil if this is the upper one.
    func halved(with row: [Float]) -> [Float]? {
        guard let upper else {
            upper = row
            return nil
        }
        self.upper = nil
        let halfWidth = (width + 1) / 2
        return [Float](unsafeUninitializedCapacity: 6 * halfWidth) { half, count in
            upper.withUnsafeBufferPointer { upper in
                row.withUnsafeBufferPointer { row in
                    for plane in 0..<6 {
                        tessera_similarity_halve(
                            upper.baseAddress! + plane * width, row.baseAddress! + plane * width,
                            half.baseAddress! + plane * halfWidth, width)
                    }
                }
            }
            count = 6 * halfWidth
        }
    }

    /// The next scale's last row, where the last of this scale has none to share it with.
    func halvedLast() -> [Float]? { upper.flatMap(halved(with:)) }
}
