extension EncodingOptions {
    /// Options for AVIF.
    public struct AVIF: Hashable, Sendable {
        /// How fast to encode, 0 (small) to 10.
        public var speed: Int

        /// libavif's middle speed.
        public init(speed: Int = 6) {
            self.speed = speed
        }
    }
}
