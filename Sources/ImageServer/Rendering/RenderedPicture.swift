internal import ImageFormats

/// An encoded picture as it is sent.
package struct RenderedPicture: Sendable {
    /// What it is encoded as.
    package let mediaType: String
    /// The file.
    package let bytes: ResponseBytes

    package init(mediaType: String, bytes: [UInt8]) {
        self.mediaType = mediaType
        self.bytes = ResponseBytes(bytes)
    }
}
