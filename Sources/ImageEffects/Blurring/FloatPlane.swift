internal import Raster

/// Rows of floating point numbers in a bitmap's memory, one in each of its pixels of four bytes: so they come from the
/// pool, are aligned, and are filled from several threads.
enum FloatPlane {
    /// The bitmap for `height` rows of `count` numbers.
    static func info(count: Int, height: Int) -> BitmapInfo {
        BitmapInfo(size: PixelSize(width: count, height: height), format: .rgba8)
    }
}

extension MutablePixelRows {
    /// Lends row `y` of a float plane.
    mutating func withFloats<R>(_ y: Int, _ body: (UnsafeMutablePointer<Float>) -> R) -> R {
        var bytes = bytes(y)
        // Rows start at multiples of 64 bytes, and there are 4 for each number.
        return bytes.withUnsafeMutableBytes { body($0.baseAddress!.assumingMemoryBound(to: Float.self)) }
    }
}

extension Bitmap {
    /// Lends row `y` of a float plane.
    func withFloats<R>(_ y: Int, _ body: (UnsafePointer<Float>) -> R) -> R {
        // As above.
        rows.bytes(y).withUnsafeBytes { body($0.baseAddress!.assumingMemoryBound(to: Float.self)) }
    }
}
