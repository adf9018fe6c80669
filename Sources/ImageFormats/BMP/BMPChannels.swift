internal import Raster

/// Where in a pixel of 16 or 32 bits the channels are.
struct BMPChannels {
    /// One channel: consecutive bits, or none.
    struct Channel {
        let mask: UInt32
        let shift: UInt32
        /// The largest value, 0 for a channel that isn't there.
        let maximum: UInt32
        /// The value of eight bits for each stored one, where there are at most 256.
        let table: [UInt8]

        /// - Throws: `corrupt` for bits with gaps.
        init(_ mask: UInt32, _ name: String) throws(ImageError) {
            self.mask = mask
            shift = mask == 0 ? 0 : UInt32(mask.trailingZeroBitCount)
            maximum = mask >> shift
            guard maximum & (maximum &+ 1) == 0 else {
                throw ImageError(.corrupt, "the bits of the BMP's \(name) channel aren't consecutive")
            }
            let maximum = maximum
            table = maximum <= 255 ? (0...255).map { Self.scaled(min($0, maximum), maximum, to: 255, UInt8.self) } : []
        }

        /// value × largest / maximum, rounded to the nearest.
        static func scaled<Result: FixedWidthInteger>(
            _ value: UInt32, _ maximum: UInt32, to largest: UInt64, _: Result.Type
        ) -> Result {
            maximum == 0
                ? 0 : Result(truncatingIfNeeded: (UInt64(value) * largest + UInt64(maximum / 2)) / UInt64(maximum))
        }

        /// The channel of `pixel`, up to `largest`.
        func value<Result: FixedWidthInteger>(_ pixel: UInt32, to largest: UInt64, _ type: Result.Type) -> Result {
            Self.scaled((pixel & mask) >> shift, maximum, to: largest, type)
        }
    }

    let red: Channel
    let green: Channel
    let blue: Channel
    let alpha: Channel

    /// - Throws: `corrupt` for bits with gaps, or none at all.
    init(red: UInt32, green: UInt32, blue: UInt32, alpha: UInt32) throws(ImageError) {
        guard red | green | blue != 0 else { throw ImageError(.corrupt, "the BMP gives its colours no bits") }
        self.red = try Channel(red, "red")
        self.green = try Channel(green, "green")
        self.blue = try Channel(blue, "blue")
        self.alpha = try Channel(alpha, "alpha")
    }

    private static func known(_ red: UInt32, _ green: UInt32, _ blue: UInt32, _ alpha: UInt32) -> BMPChannels {
        // Each mask is without gaps.
        try! BMPChannels(red: red, green: green, blue: blue, alpha: alpha)
    }

    /// What 16 bits without masks are.
    static let rgb555 = known(0x7C00, 0x3E0, 0x1F, 0)
    /// What 32 bits without masks are.
    static let rgb888 = known(0xFF0000, 0xFF00, 0xFF, 0)
    /// What 32 bits without masks are in an icon.
    static let rgba8888 = known(0xFF0000, 0xFF00, 0xFF, 0xFF00_0000)

    /// The bits of the widest channel.
    var maximumBitCount: Int {
        [red, green, blue, alpha].map { 32 - $0.maximum.leadingZeroBitCount }.max()!
    }
}
