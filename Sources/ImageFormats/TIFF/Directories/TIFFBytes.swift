#if TIFF
internal import CTesseraTIFF
#endif
internal import Raster

/// A TIFF file's bytes: in memory, or read from an open file here and there.
package struct TIFFBytes {
    private enum Place {
        case memory([UInt8])
        case file(Blocks)
    }

    private let place: Place
    /// How many there are.
    let count: Int

    /// Bytes in memory.
    init(_ bytes: [UInt8]) {
        place = .memory(bytes)
        count = bytes.count
    }

    /// The bytes of an open file; nil of one without a length.
    package init?(_ file: FileByteSource) {
        guard let count = file.byteCount, file.isAtStart else { return nil }
        place = .file(Blocks(file))
        self.count = count
    }

    /// The byte at `offset`; 0 where it can't be read, as of a file that has become shorter.
    subscript(offset: Int) -> UInt8 {
        switch place {
        case .memory(let bytes): bytes[offset]
        case .file(let blocks): blocks.byte(at: offset)
        }
    }

    /// The bytes in `range`; fewer where they can't be read.
    func bytes(in range: Range<Int>) -> [UInt8] {
        switch place {
        case .memory(let bytes): Array(bytes[range])
        case .file(let blocks): blocks.bytes(in: range)
        }
    }

    #if TIFF
    /// Lends the bytes to the shim, for one call.
    func withInput<R>(_ body: (inout tessera_tiff_input) -> R) -> R {
        switch place {
        case .memory(let bytes):
            bytes.withUnsafeBufferPointer {
                var input = tessera_tiff_input(bytes: $0.baseAddress, length: UInt64(count), file: -1)
                return body(&input)
            }
        case .file(let blocks):
            // The file stays open as long as `blocks` has it.
            withExtendedLifetime(blocks) {
                var input = tessera_tiff_input(bytes: nil, length: UInt64(count), file: blocks.file.number)
                return body(&input)
            }
        }
    }
    #endif
}

extension TIFFBytes {
    /// A file, and the block of it that was read last: directories are read a few bytes at a time.
    private final class Blocks {
        let file: FileByteSource
        private var block: [UInt8] = []
        private var start = 0

        private static let byteCount = 1 << 14

        init(_ file: FileByteSource) { self.file = file }

        func byte(at offset: Int) -> UInt8 {
            if !(start..<(start + block.count)).contains(offset) {
                start = offset / Self.byteCount * Self.byteCount
                block = bytes(in: start..<(start + Self.byteCount))
            }
            return offset - start < block.count ? block[offset - start] : 0
        }

        func bytes(in range: Range<Int>) -> [UInt8] {
            (try? file.bytes(from: range.lowerBound, count: range.count)) ?? []
        }
    }
}
