internal import Raster

/// Converts rows of 8-bit YCbCr in 4:2:0 to RGB (ITU-T H.273, 8.3).
///
/// Chroma's samples lie where AVC and HEVC place them by default: on luma's even columns, and midway between two rows. They
/// are interpolated linearly.
struct YCbCrConverter {
    /// Factors times 2¹⁶: of luma, and of an eighth of chroma for each colour.
    private let luma: Int32
    private let redOfCr: Int32
    private let greenOfCb: Int32
    private let greenOfCr: Int32
    private let blueOfCb: Int32
    private let black: Int32

    /// nil for a matrix that can't be applied to 4:2:0 or isn't linear.
    ///
    /// An unspecified matrix is that of BT.601, as in libheif and FFmpeg.
    init?(_ colors: VideoColors) {
        /// The parts of red and of blue in luma.
        let parts: (red: Double, blue: Double)? =
            switch colors.matrix {
            case 1: (0.2126, 0.0722)
            case 2, 5, 6: (0.299, 0.114)
            case 4: (0.30, 0.11)
            case 7: (0.212, 0.087)
            case 9: (0.2627, 0.0593)
            default: nil
            }
        guard let (red, blue) = parts else { return nil }
        let scale = colors.isFullRange ? 1 : 255.0 / 224
        func factor(_ value: Double) -> Int32 { Int32((value * scale * 8192).rounded()) }
        let green = 1 - red - blue
        redOfCr = factor(2 * (1 - red))
        blueOfCb = factor(2 * (1 - blue))
        greenOfCb = factor(-2 * (1 - blue) * blue / green)
        greenOfCr = factor(-2 * (1 - red) * red / green)
        (luma, black) = Self.luma(colors)
    }

    /// Luma's factor times 2¹⁶, and its black.
    private static func luma(_ colors: VideoColors) -> (Int32, Int32) {
        colors.isFullRange ? (65536, 0) : (Int32((65536 * 255.0 / 219).rounded()), 16)
    }

    /// Luma as grey.
    static func gray(_ luma: Span<UInt8>, _ colors: VideoColors, into row: inout MutableSpan<Gray8>, from x: Int) {
        let (factor, black) = Self.luma(colors)
        for index in row.indices { row[index] = Gray8(clamped((Int32(luma[x + index]) &- black) &* factor)) }
    }

    /// Converts the pixels from `x` on.
    /// - Parameters:
    ///   - luma: A row of luma.
    ///   - cb: The sums of three times the row of Cb that is nearer to luma's and once the other.
    ///   - cr: The same of Cr.
    func convert(
        luma: Span<UInt8>, cb: Span<UInt16>, cr: Span<UInt16>, into row: inout MutableSpan<RGBA8>, from x: Int
    ) {
        for index in row.indices {
            let (column, near) = (x + index, (x + index) / 2)
            // Between two samples there, or on one; at the end there is no next one.
            let far = min(near + column % 2, cb.count - 1)
            // Eight times the sample less that of grey, 128. No product exceeds 2²⁵, and no sum 2²⁷.
            let blue = Int32(cb[near]) &+ Int32(cb[far]) &- 1024
            let red = Int32(cr[near]) &+ Int32(cr[far]) &- 1024
            let y = (Int32(luma[column]) &- black) &* self.luma
            row[index] = RGBA8(
                Self.clamped(y &+ redOfCr &* red), Self.clamped(y &+ greenOfCb &* blue &+ greenOfCr &* red),
                Self.clamped(y &+ blueOfCb &* blue))
        }
    }

    /// A sum times 2¹⁶, rounded.
    @inline(__always) private static func clamped(_ value: Int32) -> UInt8 {
        UInt8(truncatingIfNeeded: max(0, min(255, (value &+ 32768) >> 16)))
    }
}
