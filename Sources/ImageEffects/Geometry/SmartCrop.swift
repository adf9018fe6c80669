public import Raster

extension Effects {
    /// Scales the picture until it covers a size, and crops it to that size where there is most to see.
    ///
    /// What counts is found on a small copy; equal pictures are always cropped alike.
    public struct SmartCrop: CodableEffect {
        /// What is looked for.
        public enum Strategy: String, Hashable, Sendable, Codable, CaseIterable {
            /// What the eye goes to: edges, saturated colours, skin.
            case attention
            /// The part with the most information: the highest entropy (Shannon, 1948) of its lightness.
            case entropy
        }

        /// What recipes call it.
        public static let name = "smartCrop"
        /// The width to reach.
        public var width: Double
        /// The height to reach.
        public var height: Double
        /// What is looked for.
        public var strategy: Strategy

        /// Fills `width` × `height` with what `strategy` finds.
        public init(width: Double, height: Double, strategy: Strategy = .attention) {
            self.width = width
            self.height = height
            self.strategy = strategy
        }

        /// Reads the effect; it looks for what draws attention unless said otherwise.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                width: try values.decode(Double.self, forKey: .width),
                height: try values.decode(Double.self, forKey: .height),
                strategy: try values.decodeIfPresent(Strategy.self, forKey: .strategy) ?? .attention)
        }

        /// Its name and its parameters.
        public var identity: EffectIdentity {
            EffectIdentity(Self.name, .number(width), .number(height), .text(strategy.rawValue))
        }

        /// The size in whole pixels.
        public func resultSize(of size: PixelSize, in context: EffectContext) throws(ImageError) -> PixelSize {
            let wanted = try context.pixelSize(width, height)
            return try context.snapped(wanted.width, wanted.height)
        }

        /// The scaling that comes first; once it is done, the effect only crops.
        var scaling: some ImageEffect { Scaling(crop: self) }

        private struct Scaling: PlacedEffect {
            let crop: SmartCrop
            var identity: EffectIdentity { EffectIdentity("smartCropScaling", [crop.identity]) }

            func place(_ size: PixelSize, in context: EffectContext) throws(ImageError) -> Placement {
                let covering = try crop.coveringSize(of: size, in: context)
                return Placement(canvas: covering, of: size, at: PixelRect(covering))
            }
        }

        /// The smallest size of the picture's proportions that covers the result: one side is the result's.
        private func coveringSize(of size: PixelSize, in context: EffectContext) throws(ImageError) -> PixelSize {
            let canvas = try resultSize(of: size, in: context)
            let (w, h) = (Double(size.width), Double(size.height))
            let factor = max(Double(canvas.width) / w, Double(canvas.height) / h)
            let covering = try context.snapped(w * factor, h * factor)
            return PixelSize(
                width: max(canvas.width, covering.width), height: max(canvas.height, covering.height))
        }

        /// The picture scaled and cropped.
        public func apply(to bitmap: Bitmap, in context: EffectContext) throws(ImageError) -> Bitmap {
            let canvas = try resultSize(of: bitmap.size, in: context)
            let whole = try scaling.apply(to: bitmap, in: context)
            guard whole.size != canvas else { return whole }
            let origin = try Interest(whole, strategy: strategy).origin(of: canvas)
            return try whole.cropped(to: PixelRect(x: origin.x, y: origin.y, size: canvas))
        }
    }
}

extension ImageEffect where Self == Effects.SmartCrop {
    /// Scales the picture until it covers a size, and crops it to that size where there is most to see.
    public static func smartCrop(
        width: Double, height: Double, strategy: Effects.SmartCrop.Strategy = .attention
    ) -> Self {
        Self(width: width, height: height, strategy: strategy)
    }
}
