#if WebP
import ImageFormats
import ImageFormatsTestSupport
import Raster

extension DecoderSession {
    /// A stream's bytes, unless `isStream` says otherwise.
    init(
        webP bytes: [UInt8], splits: [Int] = [], plan: DecodingPlan = .full, limits: DecodingLimits = .standard,
        rowCount: Int = 100, isStream: Bool = true
    ) {
        self.init(
            WebPCodec(), bytes, splits: splits, plan: plan, delivery: .every,
            options: DecodingOptions(color: .asStored, limits: limits), rowCount: rowCount, isStream: isStream)
    }
}
#endif
