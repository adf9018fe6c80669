internal import Raster

/// Encoded bytes that a program reads by its own means, at any offset.
package protocol RandomAccessBytes: AnyObject, Sendable {
    /// Fills `buffer` from `offset` on, and returns the number of bytes, fewer only at the end. Called from any thread.
    /// - Throws: `inputOutput`.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(ImageError) -> Int

    /// Fills `buffer` from `offset` on as far as it is cheap, with at least one byte unless the end is reached.
    /// - Throws: `inputOutput`.
    func readSome(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(ImageError) -> Int

    /// Fills `buffer` with the bytes of all `ranges`, one after the other.
    /// - Returns: The number of bytes, fewer if a range ends beyond the bytes.
    /// - Throws: `inputOutput`.
    func read(_ ranges: [Range<Int>], into buffer: UnsafeMutableRawBufferPointer) throws(ImageError) -> Int
}

extension RandomAccessBytes {
    package func readSome(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(ImageError) -> Int {
        try read(into: buffer, at: offset)
    }

    package func read(_ ranges: [Range<Int>], into buffer: UnsafeMutableRawBufferPointer) throws(ImageError) -> Int {
        var filled = 0
        for range in ranges {
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<(filled + range.count)])
            let count = part.isEmpty ? 0 : try read(into: part, at: range.lowerBound)
            filled += count
            guard count == range.count else { break }
        }
        return filled
    }
}
