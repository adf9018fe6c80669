internal import Raster

/// Encoded bytes that a program reads by its own means, at any offset.
package protocol RandomAccessBytes: AnyObject, Sendable {
    /// Fills `buffer` from `offset` on, and returns the number of bytes, fewer only at the end. Called from any thread.
    /// - Throws: `inputOutput`.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(ImageError) -> Int
}
