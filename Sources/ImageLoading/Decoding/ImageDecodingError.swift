public import Raster

/// Why a decoder has no picture, or not all of it.
public enum ImageDecodingError: Error {
    /// The bytes end too early or are damaged. What could be decoded is in the container: rows that couldn't are
    /// transparent, or black where there is no alpha, and frames are missing at the end.
    case incomplete(ImageContainer, ImageError)
}

extension ImageDecodingError: CustomStringConvertible {
    /// What is wrong with the bytes.
    public var description: String {
        switch self {
        case .incomplete(_, let error): error.description
        }
    }
}
