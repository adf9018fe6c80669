internal import Raster

/// A codec whose files are read here and there, and so needn't be in memory: a part of a file of many gigabytes is
/// decoded by reading that part.
protocol InPlaceCodec: ImageCodec {
    /// The picture that the options ask for, read from `file` as its rows are; nil where the file can only be read from
    /// one end to the other.
    func makePicture(in file: FileByteSource, options: DecodingOptions) throws(ImageError) -> (any WholePicture)?
}
