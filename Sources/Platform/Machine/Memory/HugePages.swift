/// Pages of 2 MiB, which cost far less to fault in than 4 KiB pages.
package enum HugePages {
    /// The size of a huge page, and the alignment of buffers that should use them.
    package static let byteCount = 2 << 20

    /// Asks for huge pages wherever they fit whole into `memory`, whose content stays. Advice only, for speed, and taken by
    /// Linux alone.
    package static func advise(_ memory: UnsafeMutableRawBufferPointer) {
        #if os(Linux) && !TESSERA_POSIX
        guard let base = memory.baseAddress else { return }
        let start = (UInt(bitPattern: base) + UInt(byteCount - 1)) / UInt(byteCount) * UInt(byteCount)
        let end = UInt(bitPattern: base + memory.count) / UInt(byteCount) * UInt(byteCount)
        guard start < end, let first = UnsafeMutableRawPointer(bitPattern: start) else { return }
        madvise(first, Int(end - start), MADV_HUGEPAGE)
        #endif
    }
}
