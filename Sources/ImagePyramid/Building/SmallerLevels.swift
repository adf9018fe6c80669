internal import CTesseraKernels
package import Raster

/// The strips of all levels but the full one, made of pairs of that one's rows.
///
/// Unchecked: used by one thread at a time, which needn't be the one that fills the full level's strips.
package final class SmallerLevels: @unchecked Sendable {
    private let plan: LevelStripPlan
    private let receive: LevelStrips.Receiver
    /// Level 1 and what follows.
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

    /// Makes a row of level 1 of two rows of the full level, and of each further level what that completes; hands on strips
    /// that are whole.
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

    /// The strip of `level`, 1 or more, that rows are being written to, of which `filledRowCount` rows are there and won't
    /// change; nil where there is none. For who has use for rows before their strip is whole.
    package func unfinishedStrip(_ level: Int) -> LevelStrip? { levels[level - 1].unfinishedStrip }

    /// As `LevelStrips.finishPartially(blank:)`.
    package func finishPartially(blank: [[UInt8]]) throws(ImageError) {
        for level in levels { try level.finishPartially(blank: blank, to: receive) }
    }
}

/// Makes a row of a level from two of the level before.
package struct LevelHalving {
    private let light: [UInt16]
    private let values: [UInt8]

    /// Halving by the mean of the stored values, or of the light that they stand for in sRGB.
    package init(averagesLight: Bool) {
        light = averagesLight ? Self.light : []
        values = averagesLight ? Self.values : []
    }

    /// Light of 16 bits for each byte, and the byte for each light.
    private static let light = (0...255).map {
        UInt16((TransferCurve.light(stored: Double($0) / 255) * 65535).rounded())
    }
    private static let values = (0...65535).map {
        UInt8((TransferCurve.stored(light: Double($0) / 65535) * 255).rounded())
    }

    /// Halves two rows of `width` samples, which may be the same row. An odd row's single sample is its last, or its
    /// first where `mirrors`.
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
        // The single sample beside itself, so that there is one way to make a mean.
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

    // Both rows have 2 × count samples, the target room for count.
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
