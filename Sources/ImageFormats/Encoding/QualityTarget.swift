internal import Raster

/// How much a lossy file must look like the image that it is written from.
public enum QualityTarget: Hashable, Sendable {
    /// A score of `SSIMULACRA2`, from 1 to 100: with 90 nearly nobody sees a difference, 70 is high quality, 50 medium.
    case ssimulacra2(Double)

    /// A score of 90: nearly nobody sees a difference, even where one image is shown in place of the other.
    public static let visuallyLossless = QualityTarget.ssimulacra2(90)

    /// The score.
    var score: Double {
        switch self {
        case .ssimulacra2(let score): score
        }
    }

    /// - Throws: `invalidParameter` for a score that isn't between 1 and 100.
    func validate() throws(ImageError) {
        guard score >= 1, score <= 100 else {
            throw ImageError(.invalidParameter, "a SSIMULACRA2 score of \(score) is not between 1 and 100")
        }
    }
}

/// The search for the lowest quality at which a file reaches a target.
///
/// Assumes that a higher quality scores higher.
struct QualitySearch {
    private let target: QualityTarget
    /// The qualities that differ, in steps from 0 to 1.
    private let stepCount: Int
    /// Writes a file of a quality, and compares what is read from it.
    private let score: (Double) throws(ImageError) -> Double

    init(_ target: QualityTarget, stepCount: Int, score: @escaping (Double) throws(ImageError) -> Double) {
        self.target = target
        self.stepCount = stepCount
        self.score = score
    }

    /// The lowest quality, and nil if the highest isn't enough.
    func quality() throws(ImageError) -> Double? {
        var (low, high): ((place: Int, score: Double)?, (place: Int, score: Double)?)
        // A JPEG's quality is near its score. From there two steps of a hundredth for each point that is missing, and more
        // each time, lead to a place beyond the target.
        var (place, reach) = (Int((target.score / 100 * Double(stepCount)).rounded()), 2.0)
        while true {
            let score = try score(Double(place) / Double(stepCount))
            if score < target.score { low = (place, score) } else { high = (place, score) }
            let step = max(1, Int((abs(target.score - score) * reach / 100 * Double(stepCount)).rounded(.up)))
            switch (low, high) {
            case (let low?, let high?):
                if high.place - low.place == 1 { return Double(high.place) / Double(stepCount) }
                // Scores are nearly on a line between qualities close to each other.
                let share = (target.score - low.score) / max(high.score - low.score, 0.001)
                let guess = low.place + Int((share * Double(high.place - low.place)).rounded())
                place = min(max(guess, low.place + 1), high.place - 1)
            case (let low?, nil):
                if low.place == stepCount { return nil }
                place = min(stepCount, low.place + step)
            case (nil, let high?):
                if high.place == 0 { return 0 }
                place = max(0, high.place - step)
            case (nil, nil): return nil
            }
            reach *= 2
        }
    }
}

extension ImageDestination {
    /// The options with which `bitmap`, which already matches the codec, reaches the options' target at the lowest quality.
    ///
    /// A JPEG is progressive and takes trellis quantisation, as a JPNG's does, and its quality is one of four in each hundredth:
    /// two next to each other differ by a hundredth of the size. Its colours are kept in 4:4:4 for scores from
    /// 85 on, and for those that 4:2:0 doesn't reach.
    /// - Throws: `limitExceeded` if even the highest quality doesn't reach it, and `unsupported` for pixels of high dynamic
    ///   range.
    func reaching(
        _ target: QualityTarget, _ bitmap: Bitmap, _ options: EncodingOptions
    ) throws(ImageError) -> EncodingOptions {
        guard !bitmap.info.profile.isHighDynamicRange else {
            throw ImageError(.unsupported, "a target can't be reached in high dynamic range; give a quality instead")
        }
        let isJPEG = [.jpeg, .jpng].contains(format)
        var best = 0.0
        func found(_ options: EncodingOptions) throws(ImageError) -> EncodingOptions? {
            var trial = options
            trial.metadata = ImageMetadata()
            let search = QualitySearch(target, stepCount: isJPEG ? 400 : 100) { (quality) throws(ImageError) in
                trial.quality = quality
                let score = try self.score(of: bitmap, trial)
                best = max(best, score)
                return score
            }
            guard let quality = try search.quality() else { return nil }
            var options = options
            options.quality = quality
            return options
        }
        var options = options
        if isJPEG { (options.jpeg.usesTrellis, options.jpeg.isProgressive) = (true, true) }
        var full = options
        full.jpeg.subsampling = .yuv444
        let subsamples = isJPEG && options.jpeg.subsampling != .yuv444
        if !subsamples || target.score < 85, let options = try found(options) { return options }
        if subsamples, let options = try found(full) { return options }
        throw ImageError(
            .limitExceeded,
            "the \(format) file's score at the highest quality is \((best * 10).rounded(.down) / 10); the target is "
                + "\(target.score): lower it, or write without loss")
    }

    /// The score of a file written with `options`.
    private func score(of bitmap: Bitmap, _ options: EncodingOptions) throws(ImageError) -> Double {
        try Interruption.check()
        let bytes = try file(bitmap, options)
        let decoded = try ImageRowSource(
            Source(bytes), options: DecodingOptions(maximumBitsPerChannel: 16), registry: CodecRegistry([codec]))
        return try SSIMULACRA2.score(of: decoded, comparedTo: inSRGB(bitmap.makeRowSource()))
    }
}
