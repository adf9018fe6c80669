#if TIFF
internal import CTesseraTIFF
#endif
internal import Raster

/// The bytes of a TIFF file, readable at any offset: in memory, or from an open file in blocks.
package struct TIFFBytes {
    private let source: Source
    /// The bytes in memory; empty for a file.
    private let memory: [UInt8]
    /// The file; nil in memory.
    private let blocks: Blocks?
    /// The length of the file in bytes.
    var count: Int { source.length }

    /// Wraps bytes in memory.
    init(_ bytes: [UInt8]) {
        source = Source(bytes)
        memory = bytes
        blocks = nil
    }

    /// Wraps `source`; nil if it isn't seekable or starts in the middle of a file.
    package init?(_ source: Source) {
        guard source.memory != nil || source.fileNumber != nil else { return nil }
        self.source = source
        memory = source.memory ?? []
        blocks = source.memory == nil ? Blocks(source) : nil
    }

    /// Returns the byte at `offset`; 0 if it can't be read, for example because the file became shorter.
    subscript(offset: Int) -> UInt8 { blocks?.byte(at: offset) ?? memory[offset] }

    /// Returns the bytes in `range`; fewer if some can't be read.
    func bytes(in range: Range<Int>) -> [UInt8] { blocks?.bytes(in: range) ?? Array(memory[range]) }

    #if TIFF
    /// Lends the bytes to the shim for one call.
    func withInput<R>(_ body: (inout tessera_tiff_input) -> R) -> R {
        guard let number = source.fileNumber else {
            return memory.withUnsafeBufferPointer {
                var input = tessera_tiff_input(bytes: $0.baseAddress, length: UInt64(count), file: -1)
                return body(&input)
            }
        }
        // `source` keeps the file open.
        return withExtendedLifetime(source) {
            var input = tessera_tiff_input(bytes: nil, length: UInt64(count), file: number)
            return body(&input)
        }
    }
    #endif
}

extension TIFFBytes {
    /// A file and its most recently read block: directories are read a few bytes at a time.
    private final class Blocks {
        private let source: Source
        private var block: [UInt8] = []
        private var start = 0

        private static let byteCount = 1 << 14

        init(_ source: Source) { self.source = source }

        func byte(at offset: Int) -> UInt8 {
            if !(start..<(start + block.count)).contains(offset) {
                start = offset / Self.byteCount * Self.byteCount
                block = bytes(in: start..<(start + Self.byteCount))
            }
            return offset - start < block.count ? block[offset - start] : 0
        }

        func bytes(in range: Range<Int>) -> [UInt8] {
            (try? source.bytes(upTo: range.count, at: range.lowerBound)) ?? []
        }
    }
}
