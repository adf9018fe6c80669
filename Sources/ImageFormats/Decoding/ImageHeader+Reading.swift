package import Raster

extension ImageHeader {
    /// Reads as much of `bytes` as the header takes.
    /// - Throws: `unknownFormat`; `truncated`, `corrupt` or `limitExceeded` for what the header says.
    package init(
        reading bytes: any ByteSource, options: DecodingOptions, registry: CodecRegistry
    ) throws(ImageError) {
        self = try DecodingSession(bytes, options: options, registry: registry).header
    }
}
