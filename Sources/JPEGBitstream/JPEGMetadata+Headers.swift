extension JPEGMetadata {
    /// A JFIF header: what its density means.
    public struct JFIF: Hashable, Sendable {
        /// The major version, 1 as a rule.
        public let majorVersion: UInt8
        /// The minor version.
        public let minorVersion: UInt8
        /// The unit of the densities: 0 none (an aspect ratio only), 1 dots per inch, 2 dots per centimetre.
        public let densityUnit: UInt8
        /// The horizontal density.
        public let horizontalDensity: UInt16
        /// The vertical density.
        public let verticalDensity: UInt16

        init?(_ payload: Range<Int>, in data: RawSpan) {
            guard payload.count >= 12, data.starts(with: Array("JFIF\0".utf8), in: payload) else { return nil }
            let start = payload.lowerBound
            majorVersion = data.byte(at: start + 5)
            minorVersion = data.byte(at: start + 6)
            densityUnit = data.byte(at: start + 7)
            horizontalDensity = UInt16(data.byte(at: start + 8)) << 8 | UInt16(data.byte(at: start + 9))
            verticalDensity = UInt16(data.byte(at: start + 10)) << 8 | UInt16(data.byte(at: start + 11))
        }
    }

    /// The colour transform that an Adobe segment states; the raw value is the byte as stored.
    public struct AdobeTransform: RawRepresentable, Hashable, Sendable {
        /// The byte as stored.
        public let rawValue: UInt8

        /// The transform of the given byte.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// No transform: RGB, or CMYK (inverted, as Adobe writes it).
        public static let none = AdobeTransform(rawValue: 0)
        /// YCbCr of three components.
        public static let yCbCr = AdobeTransform(rawValue: 1)
        /// YCCK of four components.
        public static let ycck = AdobeTransform(rawValue: 2)

        init?(_ payload: Range<Int>, in data: RawSpan) {
            guard payload.count >= 12, data.starts(with: Array("Adobe".utf8), in: payload) else { return nil }
            rawValue = data.byte(at: payload.lowerBound + 11)
        }
    }
}
