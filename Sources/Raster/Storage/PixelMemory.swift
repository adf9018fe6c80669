internal import Platform

/// Aligned memory from the system.
enum PixelMemory {
    /// From this size on a buffer starts on a huge page and asks to be made of them.
    static let hugePageByteCount = 2 << 20

    /// `byteCount` rounded up so that buffers of nearly the same size can stand in for one another.
    static func roundedByteCount(_ byteCount: Int) -> Int {
        let unit = byteCount >= hugePageByteCount ? hugePageByteCount : 4096
        return (max(byteCount, 1) + unit - 1) / unit * unit
    }

    /// Fresh memory of `byteCount` bytes, a result of `roundedByteCount(_:)`.
    static func allocate(_ byteCount: Int) throws(ImageError) -> UnsafeMutableRawPointer {
        let alignment = byteCount >= hugePageByteCount ? hugePageByteCount : 64
        var base: UnsafeMutableRawPointer?
        guard posix_memalign(&base, alignment, byteCount) == 0, let base else {
            throw ImageError(.outOfMemory, "\(byteCount) bytes for pixels could not be had")
        }
        // Only advice: without huge pages everything works, more slowly.
        if byteCount >= hugePageByteCount { AllocatedMemory.adviseHugePages(base, byteCount) }
        return base
    }

    static func deallocate(_ base: UnsafeMutableRawPointer) {
        free(base)
    }
}
