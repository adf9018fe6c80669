extension EncodingOptions {
    /// Options for WebP.
    public struct WebP: Hashable, Sendable {
        /// How hard to look for a small file, 0 (fast) to 6.
        public var method: Int

        /// libwebp's default method.
        public init(method: Int = 4) {
            self.method = method
        }
    }
}
