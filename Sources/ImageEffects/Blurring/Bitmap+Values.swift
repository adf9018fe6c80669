internal import Raster

extension Bitmap {
    /// Lends row `y` of a bitmap of 16-bit grey as blurred values, none of which is as large as 32768.
    func withValues<R>(_ y: Int, _ body: (UnsafePointer<Int16>) -> R) -> R {
        // Rows start at multiples of 64 bytes.
        rows.bytes(y).withUnsafeBytes { body($0.baseAddress!.assumingMemoryBound(to: Int16.self)) }
    }
}

extension MutablePixelRows {
    /// Lends row `y` of a bitmap of 16-bit grey to be filled with blurred values.
    mutating func withValues<R>(_ y: Int, _ body: (UnsafeMutablePointer<Int16>) -> R) -> R {
        var bytes = bytes(y)
        // As above.
        return bytes.withUnsafeMutableBytes { body($0.baseAddress!.assumingMemoryBound(to: Int16.self)) }
    }

    /// Lends row `y` of a bitmap of 8 bits as single channels.
    mutating func withChannels<R>(_ y: Int, _ body: (UnsafeMutablePointer<UInt8>) -> R) -> R {
        var bytes = bytes(y)
        return bytes.withUnsafeMutableBytes { body($0.baseAddress!.assumingMemoryBound(to: UInt8.self)) }
    }
}
