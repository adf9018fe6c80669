internal import ImageFormats
internal import Tessera

/// The work of `metadata set`, `remove` and `copy` on one file.
struct MetadataEdit: FileRewrite {
    let limits: DecodingLimits
    let change: @Sendable (inout FileMetadata) throws(ImageError) -> Void

    var verb: String { "changed" }

    func applied(to file: [UInt8], outputName name: String?) throws(ImageError) -> RewrittenFile {
        var metadata = try FileMetadata(file, limits: limits)
        try metadata.format.checkName(name)
        try change(&metadata)
        let bytes = try metadata.assembled()
        return RewrittenFile(bytes: bytes == file ? nil : bytes)
    }

    /// The formats whose files are found in folders.
    static var codecs: [any ImageCodec] {
        var codecs: [any ImageCodec] = [JPEGCodec(), PNGCodec()]
        #if WebP
        codecs.append(WebPCodec())
        #endif
        return codecs
    }
}
