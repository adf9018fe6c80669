internal import Raster

/// The chunks of a complete PNG file, as ranges of its bytes.
struct PNGChunkList {
    /// A chunk.
    struct Chunk: Hashable {
        let type: PNGChunkType
        /// The data, without length, type and checksum.
        let data: Range<Int>
    }

    let file: [UInt8]
    private(set) var chunks: [Chunk] = []
    /// The bytes after the last chunk.
    private(set) var trailing: Range<Int> = 0..<0

    /// Finds the chunks up to IEND.
    /// - Throws: `corrupt` or `truncated` with the offset; `limitExceeded` for over a million chunks.
    init(_ file: [UInt8]) throws(ImageError) {
        self.file = file
        guard file.starts(with: PNGChunkReader.signature) else {
            throw ImageError(.corrupt, "not a PNG file", byteOffset: 0)
        }
        var position = PNGChunkReader.signature.count
        while chunks.last?.type != .end {
            guard let length = file.bigEndian(at: position, byteCount: 4),
                let code = file.bigEndian(at: position + 4, byteCount: 4), length <= file.count - position - 12
            else {
                throw ImageError(.truncated, "the PNG file ends within a chunk", byteOffset: position)
            }
            let data = (position + 8)..<(position + 8 + length)
            guard let stored = file.bigEndian(at: data.upperBound, byteCount: 4),
                CRC32.of(file[(position + 4)..<data.upperBound]) == UInt32(stored)
            else {
                throw ImageError(
                    .corrupt, "the checksum of the PNG chunk \(PNGChunkType(code: UInt32(code))) is wrong",
                    byteOffset: data.upperBound)
            }
            chunks.append(Chunk(type: PNGChunkType(code: UInt32(code)), data: data))
            guard chunks.count <= Self.maximumCount else {
                throw ImageError(
                    .limitExceeded, "the PNG file has over \(Self.maximumCount) chunks", byteOffset: position)
            }
            position = data.upperBound + 4
        }
        trailing = position..<file.count
    }

    /// Large files have a chunk of image data for each 8 KB.
    private static let maximumCount = 1 << 20

    /// The data of a chunk.
    func data(_ chunk: Chunk) -> [UInt8] { Array(file[chunk.data]) }

    /// Whether there is a chunk of this type.
    func contains(_ type: PNGChunkType) -> Bool { chunks.contains { $0.type == type } }
}
