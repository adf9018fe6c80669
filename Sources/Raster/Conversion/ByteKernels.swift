#if arch(x86_64) || arch(arm64)
internal import CTesseraKernels
#endif

/// Conversions of rows of RGBA bytes that have vector kernels. Every path gives the same results.
package enum ByteKernels {
    /// As `ScalarAlpha.premultiply(_:)`.
    package static func premultiply(_ row: inout MutableSpan<RGBA8>) {
        #if arch(x86_64) || arch(arm64)
        row.withUnsafeMutableBytes { bytes in
            // As many bytes as the row's pixels have; a row without pixels has no address and none is used.
            guard let base = bytes.baseAddress else { return }
            tessera_premultiply(base.assumingMemoryBound(to: UInt8.self), bytes.count / 4)
        }
        #else
        ScalarAlpha.premultiply(&row)
        #endif
    }

    /// As `ScalarAlpha.unpremultiply(_:)`.
    package static func unpremultiply(_ row: inout MutableSpan<RGBA8>) {
        #if arch(x86_64) || arch(arm64)
        row.withUnsafeMutableBytes { bytes in
            // As in premultiply(_:).
            guard let base = bytes.baseAddress else { return }
            tessera_unpremultiply(base.assumingMemoryBound(to: UInt8.self), bytes.count / 4)
        }
        #else
        ScalarAlpha.unpremultiply(&row)
        #endif
    }

    /// As `ScalarAlpha.flattenStraight(_:onto:)`.
    package static func flattenStraight(_ row: inout MutableSpan<RGBA8>, onto background: RGBA8) {
        #if arch(x86_64) || arch(arm64)
        let color = [background.red, background.green, background.blue]
        row.withUnsafeMutableBytes { bytes in
            // As in premultiply(_:); the colour has the three bytes that are read.
            guard let base = bytes.baseAddress else { return }
            tessera_flatten(base.assumingMemoryBound(to: UInt8.self), bytes.count / 4, color)
        }
        #else
        ScalarAlpha.flattenStraight(&row, onto: background)
        #endif
    }
}
