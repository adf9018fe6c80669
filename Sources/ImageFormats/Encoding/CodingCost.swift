public import Raster

/// An upper estimate of the memory and processor time that decoding or encoding takes.
///
/// A server adds up these estimates before it accepts work. Each codec supplies its own figures, measured on
/// photographs of 1, 6, 24 and 64 megapixels with one core at 2 to 3 GHz.
public struct CodingCost: Hashable, Sendable {
    /// Bytes of working memory and encoded data, excluding the pixels passed in or out.
    public var byteCount: Int
    /// Seconds on one core.
    public var seconds: Double
    /// Whether the work ends soon after its task is cancelled. Calls to some C libraries can't be interrupted.
    public var endsWhenCancelled: Bool

    /// A cost with the given amounts.
    public init(byteCount: Int = 0, seconds: Double = 0, endsWhenCancelled: Bool = true) {
        self.byteCount = byteCount
        self.seconds = seconds
        self.endsWhenCancelled = endsWhenCancelled
    }

    /// The cost of an image of `size`: an amount per pixel plus a fixed `baseByteCount`.
    public init(
        of size: PixelSize, bytesPerPixel: Double, secondsPerMegapixel: Double, baseByteCount: Int = 1 << 20,
        endsWhenCancelled: Bool = true
    ) {
        // No size has more than 2⁶⁰ pixels; a Double holds their product, and the conversion clamps.
        let pixelCount = Double(size.width) * Double(size.height)
        byteCount = baseByteCount + Int(min(pixelCount * bytesPerPixel, 1e18))
        seconds = pixelCount / 1e6 * secondsPerMegapixel
        self.endsWhenCancelled = endsWhenCancelled
    }

    /// The cost of an image that a library codes in one uninterruptible call.
    static func inOneCall(
        _ size: PixelSize, bytesPerPixel: Double, secondsPerMegapixel: Double, baseByteCount: Int
    ) -> CodingCost {
        CodingCost(
            of: size, bytesPerPixel: bytesPerPixel, secondsPerMegapixel: secondsPerMegapixel,
            baseByteCount: baseByteCount, endsWhenCancelled: false)
    }

    /// The cost of both when they run in sequence and neither frees its memory.
    public static func + (a: CodingCost, b: CodingCost) -> CodingCost {
        CodingCost(
            byteCount: a.byteCount + b.byteCount, seconds: a.seconds + b.seconds,
            endsWhenCancelled: a.endsWhenCancelled && b.endsWhenCancelled)
    }

    /// The cost of `count` images in sequence, each reusing the memory of the previous one.
    public func repeated(_ count: Int) -> CodingCost {
        CodingCost(byteCount: byteCount, seconds: seconds * Double(count), endsWhenCancelled: endsWhenCancelled)
    }
}

extension BitmapInfo {
    /// The same with straight alpha, if any, and an ICC or sRGB profile, which most formats can store.
    var straight: BitmapInfo {
        var info = self
        if alpha.hasAlpha { info.alpha = .straight }
        if case .calibrated = profile { info.profile = .sRGB }
        return info
    }

    /// Bytes per pixel of a file that stores the pixels without compression.
    var storedBytesPerPixel: Double {
        Double(format.bitsPerChannel / 8 * (format.isGray ? 1 : alpha.hasAlpha ? 4 : 3))
    }
}
