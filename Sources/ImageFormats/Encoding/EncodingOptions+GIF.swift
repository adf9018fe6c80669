extension EncodingOptions {
    /// Options for GIF.
    public struct GIF: Hashable, Sendable {
        /// Colours in a palette, 2 to 256, transparency included.
        public var maximumColorCount: Int
        /// Whether colours that the palette lacks are mixed from neighbouring pixels.
        public var isDithered: Bool

        /// As many colours as there can be, dithered.
        public init(maximumColorCount: Int = 256, isDithered: Bool = true) {
            self.maximumColorCount = maximumColorCount
            self.isDithered = isDithered
        }
    }
}
