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
    package func take(_ pair: LevelStripFilling.Pair) throws(ImageError) { try take(pair, into: 1) }

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
