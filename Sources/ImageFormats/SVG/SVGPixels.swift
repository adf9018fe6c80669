#if SVG
internal import Platform
internal import Raster

/// Pixels that the worker has drawn, in memory shared with it: premultiplied, a 32-bit number each with alpha in its
/// highest eight bits, then red, green and blue.
final class SVGPixels {
    private let base: UnsafeMutableRawPointer
    private let size: PixelSize

    /// Maps the pixels in `file`, of which there are at least as many as `size` says.
    init(_ file: borrowing FileDescriptor, size: PixelSize) throws(ImageError) {
        let mapped = mmap(nil, 4 * size.pixelCount, PROT_READ, MAP_SHARED, file.number, 0)
        guard let mapped, mapped != MAP_FAILED else {
            throw ImageError(.outOfMemory, "no memory for the \(size) pixels of an SVG picture")
        }
        base = mapped
        self.size = size
    }

    deinit { munmap(base, 4 * size.pixelCount) }

    /// Copies row `y`, which there must be.
    func copyRow(_ y: Int, to row: consuming MutableSpan<RGBA8>) {
        precondition(y >= 0 && y < size.height && row.count == size.width)
        // Within the mapping: it holds width × height numbers, and y and x are below those.
        let source = base.advanced(by: 4 * size.width * y).assumingMemoryBound(to: UInt32.self)
        for x in 0..<size.width {
            let value = source[x]
            row[x] = RGBA8(
                UInt8(truncatingIfNeeded: value >> 16), UInt8(truncatingIfNeeded: value >> 8),
                UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 24))
        }
    }
}
#endif
