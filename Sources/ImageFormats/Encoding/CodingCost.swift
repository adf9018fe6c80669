public import Raster

/// An upper estimate of the memory and the processor time that decoding or encoding takes.
///
/// A server adds them up before it starts the work. Each codec states its own figures, measured on photographs of 1, 6,
/// 24 and 64 megapixels with one processor at 2 to 3 GHz.
public struct CodingCost: Hashable, Sendable {
    /// Bytes of working memory and of encoded data, without the pixels that are passed in or handed out.
    public var byteCount: Int
    /// Seconds of one processor.
    public var seconds: Double
    /// Whether the work ends soon after its task is cancelled. Where a C library can't be interrupted, it runs to its end.
    public var endsWhenCancelled: Bool

    /// A cost of these amounts.
    public init(byteCount: Int = 0, seconds: Double = 0, endsWhenCancelled: Bool = true) {
        self.byteCount = byteCount
        self.seconds = seconds
        self.endsWhenCancelled = endsWhenCancelled
    }

    /// The cost of an image of `size`: so much for each pixel, and `baseByteCount` whatever its size.
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

    /// The cost of an image whose library codes all of it in one call, which nothing stops.
    static func inOneCall(
        _ size: PixelSize, bytesPerPixel: Double, secondsPerMegapixel: Double, baseByteCount: Int
    ) -> CodingCost {
        CodingCost(
            of: size, bytesPerPixel: bytesPerPixel, secondsPerMegapixel: secondsPerMegapixel,
            baseByteCount: baseByteCount, endsWhenCancelled: false)
    }

    /// The cost of both when they run one after the other and neither gives its memory back.
    public static func + (a: CodingCost, b: CodingCost) -> CodingCost {
        CodingCost(
            byteCount: a.byteCount + b.byteCount, seconds: a.seconds + b.seconds,
            endsWhenCancelled: a.endsWhenCancelled && b.endsWhenCancelled)
    }

    /// The cost of `count` images, one after the other, each in the memory of the one before.
    public func repeated(_ count: Int) -> CodingCost {
        CodingCost(byteCount: byteCount, seconds: seconds * Double(count), endsWhenCancelled: endsWhenCancelled)
    }
}

extension BitmapInfo {
    /// The same with straight alpha, if any, and an ICC profile or sRGB: what most formats can hold.
    var straight: BitmapInfo {
        var info = self
        if alpha.hasAlpha { info.alpha = .straight }
        if case .calibrated = profile { info.profile = .sRGB }
        return info
    }

    /// Bytes of a file that holds the pixels without compression, as a rate for each pixel.
    var storedBytesPerPixel: Double {
        Double(format.bitsPerChannel / 8 * (format.isGray ? 1 : alpha.hasAlpha ? 4 : 3))
    }
}
