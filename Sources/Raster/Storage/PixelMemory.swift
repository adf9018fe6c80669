internal import Platform

/// Aligned memory from the system.
enum PixelMemory {
    /// `byteCount` rounded up so that buffers of nearly the same size can stand in for one another.
    static func roundedByteCount(_ byteCount: Int) -> Int {
        let unit = byteCount >= HugePages.byteCount ? HugePages.byteCount : 4096
        return (max(byteCount, 1) + unit - 1) / unit * unit
    }

    /// Fresh memory of `byteCount` bytes, a result of `roundedByteCount(_:)`.
    static func allocate(_ byteCount: Int) throws(ImageError) -> UnsafeMutableRawPointer {
        let alignment = byteCount >= HugePages.byteCount ? HugePages.byteCount : 64
        var base: UnsafeMutableRawPointer?
        guard posix_memalign(&base, alignment, byteCount) == 0, let base else {
            throw ImageError(.outOfMemory, "\(byteCount) bytes for pixels could not be had")
        }
        HugePages.advise(UnsafeMutableRawBufferPointer(start: base, count: byteCount))
        return base
    }

    static func deallocate(_ base: UnsafeMutableRawPointer) {
        free(base)
    }
}
