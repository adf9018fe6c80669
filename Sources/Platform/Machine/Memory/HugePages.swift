/// Pages of 2 MiB, of which fresh memory costs a fraction of what as many of 4 KiB do.
package enum HugePages {
    /// How large one is, and how buffers are aligned that are to be made of them.
    package static let byteCount = 2 << 20

    /// Asks for huge pages wherever they fit whole into `memory`, whose content stays. Only advice: without them everything
    /// works, more slowly, and only Linux takes it.
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
