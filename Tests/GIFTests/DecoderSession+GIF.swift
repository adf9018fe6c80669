import ImageFormats
import ImageFormatsTestSupport
import Raster

extension DecoderSession {
    /// Three rows at a time, so that what is read before is kept in between.
    init(
        gif bytes: [UInt8], splits: [Int] = [], plan: DecodingPlan = .full, delivery: PassDelivery = .last,
        limits: DecodingLimits = .standard
    ) {
        self.init(
            GIFCodec(), bytes, splits: splits, plan: plan, delivery: delivery,
            options: DecodingOptions(color: .asStored, limits: limits), rowCount: 3)
    }
}
