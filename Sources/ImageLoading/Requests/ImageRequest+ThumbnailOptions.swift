extension ImageRequest {
    /// A smaller picture that the decoder makes: far cheaper, in time and memory, than decoding in full and scaling.
    public struct ThumbnailOptions: Hashable, Sendable {
        /// How the picture is brought to the size.
        public enum ContentMode: String, Hashable, Sendable {
            /// It lies wholly within the size.
            case aspectFit
            /// It covers the size and is cropped to it, about its middle.
            case aspectFill
        }

        /// What the size counts.
        public enum Unit: Hashable, Sendable {
            /// Points of the request's scale.
            case points
            /// Pixels.
            case pixels
        }

        /// Width in `unit`s.
        public var width: Double
        /// Height in `unit`s.
        public var height: Double
        /// What the size counts.
        public var unit: Unit
        /// How the picture is brought to the size. It is never made larger.
        public var contentMode: ContentMode

        /// A picture no side of which is longer than `maxPixelSize`.
        public init(maxPixelSize: Double) {
            self.init(width: maxPixelSize, height: maxPixelSize, unit: .pixels)
        }

        /// A picture of this size.
        public init(
            width: Double, height: Double, unit: Unit = .points, contentMode: ContentMode = .aspectFit
        ) {
            self.width = width
            self.height = height
            self.unit = unit
            self.contentMode = contentMode
        }
    }
}
