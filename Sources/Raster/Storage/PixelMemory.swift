internal import Platform

/// Aligned memory from the system.
enum PixelMemory {
    /// `byteCount` rounded up so that buffers of nearly the same size are interchangeable.
    static func roundedByteCount(_ byteCount: Int) -> Int {
        let unit = byteCount >= HugePages.byteCount ? HugePages.byteCount : 4096
        return (max(byteCount, 1) + unit - 1) / unit * unit
    }

    /// Fresh memory of `byteCount` bytes, a result of `roundedByteCount(_:)`.
    static func allocate(_ byteCount: Int) throws(ImageError) -> UnsafeMutableRawPointer {
        let alignment = byteCount >= HugePages.byteCount ? HugePages.byteCount : 64
        var base: UnsafeMutableRawPointer?
        guard posix_memalign(&base, alignment, byteCount) == 0, let base else {
            throw ImageError(.outOfMemory, "out of memory: \(byteCount) bytes for pixels can't be allocated")
        }
        HugePages.advise(UnsafeMutableRawBufferPointer(start: base, count: byteCount))
        return base
    }

    static func deallocate(_ base: UnsafeMutableRawPointer) {
        free(base)
    }
}
