internal import Raster

// Optional abilities of codecs beyond decoding a file from its first byte on. A caller checks for the protocol
// (`codec as? any TileAddressable`) and falls back if the codec doesn't conform. All but `SelfIsolating` read untrusted
// bytes in this process, so a codec that decodes in another process conforms to none of those.

/// A codec that reads files by random access, without loading them: decoding a region of a file of many gigabytes reads
/// only that region.
protocol InPlaceDecoding: ImageCodec {
    /// The image selected by the options, read row by row from `source`; nil if the file must be read sequentially.
    func makePicture(in source: Source, options: DecodingOptions) throws(ImageError) -> (any WholePicture)?
}

extension Source {
    /// Whether codecs may read the source by random access: a file, or memory within the input limit, against which bytes
    /// otherwise are counted when they arrive.
    func allowsRandomAccess(_ limits: DecodingLimits) -> Bool {
        memory.map { $0.count <= limits.maximumInputByteCount } ?? (isRegular && !isStream)
    }
}

/// A codec that can decode one tile without decoding the whole image.
package protocol TileAddressable: ImageCodec {
    /// The access to the tiles of a file with this header; nil if it must be decoded from its first row.
    func tileAccess(for header: ImageHeader) -> TileAccess?
}

/// The method of access to a file's tiles.
package enum TileAccess: Hashable, Sendable {
    /// Through an index of the entropy-coded data: a JPEG.
    case index
    /// As stored in the file, for the image and its reduced versions: a TIFF.
    case stored
}

/// A codec that delivers luma and chroma with the file's subsampling.
package protocol PlaneDecoding: ImageCodec {
    /// The planes of the image in `bytes`.
    /// - Throws: `unsupported` for components that aren't grey or Y, Cb and Cr; otherwise as the codec's decoders.
    func makePlanes(of bytes: any ByteReader, options: DecodingOptions) throws(ImageError) -> JPEGPlanarSource
}

/// A codec whose files convert to another format, and back to the same file, without decoding pixels.
package protocol Recompressing: ImageCodec {
    /// Converts `file` to `format`; nil if that format can't store its coefficients.
    func recompress(
        _ file: [UInt8], as format: ImageFormat, options: EncodingOptions
    ) throws(ImageError) -> [UInt8]?
}

/// A codec that reads the gain maps of its files.
protocol GainMapReading: ImageCodec {
    /// Whether a file with this header may have a gain map; false saves reading the file again.
    func mayHaveGainMap(_ header: ImageHeader) -> Bool

    /// The gain map of the image in `source`, as stored, before the header's orientation; nil if there is none.
    /// - Throws: `truncated`, `corrupt`, `unsupported` or `limitExceeded` for a map that can't be used.
    func gainMap(
        in source: Source, of header: ImageHeader, options: DecodingOptions
    ) throws(ImageError) -> GainMap?
}

/// A codec that writes gain maps too.
protocol GainMapCoding: GainMapReading {
    /// Writes a file with a base that `base` encodes, and `map`.
    ///
    /// A reader without knowledge of gain maps decodes the same pixels as without the map.
    /// - Parameter base: Writes the base with metadata that refers to the map, and with as many bytes less as the map
    ///   takes, if the options limit them.
    func encode(
        _ map: GainMap, options: EncodingOptions, output: any ByteSink,
        base: (EncodingOptions, any ByteSink) throws(ImageError) -> Void
    ) throws(ImageError)
}

/// A codec that decodes each image in a separate, confined process, whether or not other codecs are isolated.
package protocol SelfIsolating: ImageCodec {}
