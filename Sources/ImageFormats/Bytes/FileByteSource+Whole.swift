internal import Raster

extension FileByteSource {
    /// All bytes of the file at `path`.
    /// - Throws: `inputOutput`, and `limitExceeded` for more than `limit` bytes.
    package static func bytes(ofFile path: String, limit: Int) throws(ImageError) -> [UInt8] {
        let source = try FileByteSource(path: path)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(source.byteCount ?? 0, limit))
        while bytes.count <= limit,
            try source.nextBytes({ piece in piece.withUnsafeBytes { bytes.append(contentsOf: $0) } })
        {}
        guard bytes.count <= limit else { throw ImageError(.limitExceeded, "\(path) has more than \(limit) bytes") }
        return bytes
    }
}
