import ImageFormats
import ImageFormatsTestSupport
import Raster

extension DecoderSession {
    /// Sixteen bits where a file has them, unless `bits` says otherwise.
    init(
        png bytes: [UInt8], splits: [Int] = [], plan: DecodingPlan = .full, delivery: PassDelivery = .last,
        bits: Int = 16, limits: DecodingLimits = .standard
    ) {
        self.init(
            PNGCodec(), bytes, splits: splits, plan: plan, delivery: delivery,
            options: DecodingOptions(color: .asStored, maximumBitsPerChannel: bits, limits: limits))
    }
}
