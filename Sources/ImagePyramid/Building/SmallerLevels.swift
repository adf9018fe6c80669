internal import CTesseraKernels
package import Raster

/// The strips of all levels except the full one, made from pairs of its rows.
///
/// Unchecked: used by one thread at a time, which may differ from the one that fills the full level's strips.
package final class SmallerLevels: @unchecked Sendable {
    private let plan: LevelStripPlan
    private let receive: LevelStrips.Receiver
    /// The levels from 1 on.
    private let levels: [LevelStripFilling]
    private let halving: LevelHalving

    init(_ plan: LevelStripPlan, extra: Int, receive: @escaping LevelStrips.Receiver) throws(ImageError) {
        self.plan = plan
        self.receive = receive
        halving = LevelHalving(averagesLight: plan.layout.averagesLight)
        var levels: [LevelStripFilling] = []
        for level in plan.geometry.levels.indices.dropFirst() {
            levels.append(try LevelStripFilling(plan, level: level, extra: extra))
        }
        self.levels = levels
    }

    /// Makes a row of level 1 from two rows of the full level, and the rows of further levels that it completes. Hands
    /// on whole strips.
    func take(_ pair: LevelStripFilling.Pair) throws(ImageError) { try take(pair, into: 1) }

    private func take(_ pair: LevelStripFilling.Pair, into level: Int) throws(ImageError) {
        let target = levels[level - 1]
        try target.begin()
        halving.halve(
            pair.upper, pair.lower, width: pair.width, bytesPerSample: plan.layout.planes[pair.plane].bytesPerSample,
            mirrors: plan.mirrorsX, to: target.planes[pair.plane].target)
        withExtendedLifetime(pair.owners) {}
        if let next = target.takeRow(pair.plane) { try take(next, into: level + 1) }
        try target.handComplete(to: receive)
    }

    /// The unfinished strip of `level`, 1 or more, whose first `filledRowCount` rows are final; nil if it has none yet.
    package func unfinishedStrip(_ level: Int) -> LevelStrip? { levels[level - 1].unfinishedStrip }

    /// Hands on unfinished strips, as `LevelStrips.finishPartially(blank:)` does.
    package func finishPartially(blank: [[UInt8]]) throws(ImageError) {
        for level in levels { try level.finishPartially(blank: blank, to: receive) }
    }
}

/// Makes a row of a level from two rows of the previous level.
package struct LevelHalving {
    private let light: [UInt16]
    private let values: [UInt8]

    /// Creates a halving that averages the stored values, or linear light by sRGB's transfer curve.
    package init(averagesLight: Bool) {
        light = averagesLight ? Self.light : []
        values = averagesLight ? Self.values : []
    }

    /// Linear light in 16 bits for each byte, and the byte for each 16-bit value.
    private static let light = (0...255).map {
        UInt16((TransferCurve.light(stored: Double($0) / 255) * 65535).rounded())
    }
    private static let values = (0...65535).map {
        UInt8((TransferCurve.stored(light: Double($0) / 65535) * 255).rounded())
    }

    /// Halves two rows of `width` samples, which may be the same row. The unpaired sample of an odd row is its last, or
    /// its first if `mirrors`.
    package func halve(
        _ upper: UnsafeRawPointer, _ lower: UnsafeRawPointer, width: Int, bytesPerSample: Int, mirrors: Bool,
        to target: UnsafeMutableRawPointer
    ) {
        let isOdd = !width.isMultiple(of: 2)
        let (skipped, skippedTargets) = isOdd && mirrors ? (1, 1) : (0, 0)
        halvePairs(
            upper + skipped * bytesPerSample, lower + skipped * bytesPerSample, count: width / 2, bytesPerSample,
            to: target + skippedTargets * bytesPerSample)
        guard isOdd else { return }
        // The unpaired sample is duplicated, so that one function computes all means.
        let source = mirrors ? 0 : width - 1
        withUnsafeTemporaryAllocation(byteCount: 16, alignment: 16) { pairs in
            for (index, row) in [upper, lower].enumerated() {
                for copy in 0..<2 {
                    (pairs.baseAddress! + (2 * index + copy) * bytesPerSample)
                        .copyMemory(from: row + source * bytesPerSample, byteCount: bytesPerSample)
                }
            }
            halvePairs(
                pairs.baseAddress!, pairs.baseAddress! + 2 * bytesPerSample, count: 1, bytesPerSample,
                to: target + (mirrors ? 0 : width / 2) * bytesPerSample)
        }
    }

    // Both rows have 2 × count samples; the target has room for count.
    private func halvePairs(
        _ upper: UnsafeRawPointer, _ lower: UnsafeRawPointer, count: Int, _ bytesPerSample: Int,
        to target: UnsafeMutableRawPointer
    ) {
        let first = upper.assumingMemoryBound(to: UInt8.self)
        let second = lower.assumingMemoryBound(to: UInt8.self)
        let result = target.assumingMemoryBound(to: UInt8.self)
        if bytesPerSample == 1 {
            tessera_halve_bytes(first, second, result, count)
        } else if light.isEmpty {
            tessera_halve_pixels(first, second, result, count)
        } else {
            tessera_halve_pixels_as_light(first, second, result, count, light, values)
        }
    }
}
