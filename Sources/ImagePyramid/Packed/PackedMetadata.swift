internal import Raster

/// Words about a picture, as a packed file holds them: names and values in turn, each ended by a zero byte.
enum PackedMetadata {
    static let maximumByteCount = 1 << 24

    static func bytes(_ metadata: [String: String]) throws(ImageError) -> [UInt8] {
        var bytes: [UInt8] = []
        for (name, value) in metadata.sorted(by: { $0.key < $1.key }) {
            for text in [name, value] {
                guard !text.utf8.contains(0) else {
                    throw ImageError(.invalidParameter, "metadata can't contain a zero byte")
                }
                bytes += Array(text.utf8) + [0]
            }
        }
        guard bytes.count <= maximumByteCount else {
            throw ImageError(.limitExceeded, "metadata of \(bytes.count) bytes is too long")
        }
        return bytes
    }

    static func metadata(_ bytes: [UInt8]) -> [String: String] {
        let texts = bytes.split(separator: 0, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        var metadata: [String: String] = [:]
        for index in stride(from: 0, to: texts.count - 1, by: 2) where index + 1 < texts.count - 1 {
            metadata[texts[index]] = texts[index + 1]
        }
        return metadata
    }
}
