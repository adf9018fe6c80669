#if WebP
internal import Raster

/// The chunks of a complete WebP file or of one of its frames, as ranges of its bytes (RFC 9649, section 2).
struct WebPChunkList {
    /// A chunk.
    struct Chunk {
        /// The four-letter code.
        let code: String
        /// The chunk with its header and padding.
        let range: Range<Int>
        /// The contents, without header and padding.
        let data: Range<Int>

        var type: WebPChunkType? { WebPChunkType(rawValue: code) }
    }

    let file: [UInt8]
    private(set) var chunks: [Chunk] = []
    /// The end of the last chunk that can exist; further bytes don't belong to the container.
    let end: Int

    /// Finds the chunks of a file.
    /// - Throws: `corrupt` or `truncated` with the offset.
    init(_ file: [UInt8]) throws(ImageError) {
        guard file.starts(with: "RIFF".utf8), file.dropFirst(8).starts(with: "WEBP".utf8),
            let length = file.littleEndian(at: 4, byteCount: 4)
        else { throw ImageError(.corrupt, "not a WebP file", byteOffset: 0) }
        guard length + 8 <= file.count else {
            throw ImageError(
                .truncated, "the WebP file ends at byte \(file.count), expected \(length + 8)", byteOffset: file.count)
        }
        try self.init(file, in: min(12, length + 8)..<(length + 8))
    }

    /// Finds the chunks in a part of a file.
    /// - Throws: `corrupt` for a chunk that ends beyond the part.
    init(_ file: [UInt8], in part: Range<Int>) throws(ImageError) {
        self.file = file
        end = part.upperBound
        var position = part.lowerBound
        while position + 8 <= end {
            let count = file.littleEndian(at: position + 4, byteCount: 4) ?? 0
            guard count <= end - position - 8 else {
                throw ImageError(.corrupt, "a chunk of the WebP file ends beyond it", byteOffset: position)
            }
            // The last chunk's padding is missing in some files.
            let next = min(end, position + 8 + (count + 1) / 2 * 2)
            let code = String(decoding: file[position..<(position + 4)], as: UTF8.self)
            chunks.append(Chunk(code: code, range: position..<next, data: (position + 8)..<(position + 8 + count)))
            position = next
        }
    }

    /// The contents of a chunk.
    func data(_ chunk: Chunk) -> [UInt8] { Array(file[chunk.data]) }

    /// A chunk as it is stored, with the padding that some files lack.
    func stored(_ chunk: Chunk) -> [UInt8] {
        Array(file[chunk.range]) + (chunk.range.count % 2 == 1 ? [0] : [])
    }
}
#endif
