internal import Raster

// What some codecs can do with a file beside decoding it from its first byte on. A caller asks for the protocol
// (`codec as? any TileAddressable`) and goes without where the codec doesn't conform. Each of these reads a stranger's
// bytes in this process: a codec whose decoders are elsewhere conforms to none.

/// A codec whose files are read here and there, and so needn't be in memory: a part of a file of many gigabytes is
/// decoded by reading that part.
protocol InPlaceDecoding: ImageCodec {
    /// The picture that the options ask for, read from `source` as its rows are; nil where it can only be read from
    /// one end to the other.
    func makePicture(in source: Source, options: DecodingOptions) throws(ImageError) -> (any WholePicture)?
}

/// A codec whose pictures needn't be decoded as a whole for one of their tiles.
package protocol TileAddressable: ImageCodec {
    /// How the tiles of a file with this header are reached; nil where the file is decoded from its first row on.
    func tileAccess(for header: ImageHeader) -> TileAccess?
}

/// How tiles are reached in a file.
package enum TileAccess: Hashable, Sendable {
    /// By an index of its entropy-coded data: a JPEG of one scan.
    case index
    /// As the file has them, of the picture and of its reduced forms: a TIFF.
    case stored
}

/// A codec that delivers luma and chroma as a file samples them.
package protocol PlaneDecoding: ImageCodec {
    /// The planes of the picture that `bytes` begin with.
    /// - Throws: `unsupported` for components that aren't grey or Y, Cb and Cr; otherwise as its decoders.
    func makePlanes(of bytes: any ByteReader, options: DecodingOptions) throws(ImageError) -> JPEGPlanarSource
}

/// A codec whose files become those of another format, and the same again, with no pixel decoded in between.
package protocol Recompressing: ImageCodec {
    /// `file` as a file of `format`; nil where its coefficients aren't that format's.
    func recompress(
        _ file: [UInt8], as format: ImageFormat, options: EncodingOptions
    ) throws(ImageError) -> [UInt8]?
}
