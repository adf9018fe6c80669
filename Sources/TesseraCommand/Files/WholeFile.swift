internal import Tessera

/// A file in memory, where its bytes are needed all at once.
enum WholeFile {
    /// The bytes of the file at `path`; `-` is standard input.
    /// - Throws: `inputOutput`, and `limitExceeded` beyond the largest input that decoders take.
    static func read(_ path: String) throws(ImageError) -> [UInt8] {
        let source = path == "-" ? try FileByteSource.standardInput() : try FileByteSource(path: path)
        return try read(source, name: path)
    }

    /// The bytes of `source`, called `name` in messages.
    static func read(_ source: some ByteSource, name: String) throws(ImageError) -> [UInt8] {
        let limit = DecodingLimits.standard.maximumInputByteCount
        var bytes: [UInt8] = []
        if let count = source.byteCount, count <= limit { bytes.reserveCapacity(count) }
        var more = true
        while more {
            // Used within the call only.
            more = try source.nextBytes { piece in piece.withUnsafeBytes { bytes.append(contentsOf: $0) } }
            guard bytes.count <= limit else {
                throw ImageError(.limitExceeded, "\(name) has more than \(limit) bytes")
            }
        }
        return bytes
    }
}
