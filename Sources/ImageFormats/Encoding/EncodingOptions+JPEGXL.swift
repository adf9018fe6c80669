extension EncodingOptions {
    /// Options for JPEG XL.
    public struct JPEGXL: Hashable, Sendable {
        /// How hard to look for a small file, 1 (fast) to 9.
        public var effort: Int

        /// libjxl's default effort.
        public init(effort: Int = 7) {
            self.effort = effort
        }
    }
}
