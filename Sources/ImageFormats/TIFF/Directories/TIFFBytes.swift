#if TIFF
internal import CTesseraTIFF
#endif
internal import Raster

/// A TIFF file's bytes, read at offsets: in memory, or in an open file by blocks.
package struct TIFFBytes {
    private let source: Source
    /// The bytes, where they are in memory.
    private let memory: [UInt8]
    /// The file; nil in memory.
    private let blocks: Blocks?
    /// How many there are.
    var count: Int { source.length }

    /// Bytes in memory.
    init(_ bytes: [UInt8]) {
        source = Source(bytes)
        memory = bytes
        blocks = nil
    }

    /// The bytes of `source`; nil for one that can't be read at offsets, or that begins within a file.
    package init?(_ source: Source) {
        guard source.memory != nil || source.fileNumber != nil else { return nil }
        self.source = source
        memory = source.memory ?? []
        blocks = source.memory == nil ? Blocks(source) : nil
    }

    /// The byte at `offset`; 0 where it can't be read, as of a file that has become shorter.
    subscript(offset: Int) -> UInt8 { blocks?.byte(at: offset) ?? memory[offset] }

    /// The bytes in `range`; fewer where they can't be read.
    func bytes(in range: Range<Int>) -> [UInt8] { blocks?.bytes(in: range) ?? Array(memory[range]) }

    #if TIFF
    /// Lends the bytes to the shim, for one call.
    func withInput<R>(_ body: (inout tessera_tiff_input) -> R) -> R {
        guard let number = source.fileNumber else {
            return memory.withUnsafeBufferPointer {
                var input = tessera_tiff_input(bytes: $0.baseAddress, length: UInt64(count), file: -1)
                return body(&input)
            }
        }
        // The file stays open as long as `source` lives.
        return withExtendedLifetime(source) {
            var input = tessera_tiff_input(bytes: nil, length: UInt64(count), file: number)
            return body(&input)
        }
    }
    #endif
}

extension TIFFBytes {
    /// A file, and the block of it that was read last: directories are read a few bytes at a time.
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
