internal import ImageFormats
internal import Raster

extension OpenedFile {
    /// A larger file isn't read into memory.
    private static let largestRead = 256 << 20

    /// All of the file.
    /// - Throws: `limitExceeded` for one of more than 256 MiB, `inputOutput` for one that can't be read.
    func bytes() throws(ImageError) -> [UInt8] {
        guard byteCount <= Self.largestRead else {
            throw ImageError(.limitExceeded, "the file has more than \(Self.largestRead) bytes")
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount)
        let source = try FileByteSource(path: path)
        var more = true
        while more, bytes.count <= Self.largestRead {
            // Used within the call only.
            more = try source.nextBytes { piece in piece.withUnsafeBytes { bytes.append(contentsOf: $0) } }
        }
        return bytes
    }
}
