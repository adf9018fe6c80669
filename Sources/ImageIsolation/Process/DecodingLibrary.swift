package import ImageFormats

/// The library that a worker loads before it confines itself, as nothing can be loaded afterwards.
package enum DecodingLibrary: String, Hashable, Sendable, CaseIterable {
    /// None: what is linked is enough.
    case linked
    /// libheif.
    case heif
    /// libavif.
    case avif
    /// libjxl.
    case jpegXL

    /// The library that `format` takes.
    package init(for format: ImageFormat) {
        switch format {
        case .heic, .heif: self = .heif
        case .avif: self = .avif
        case .jpegXL: self = .jpegXL
        default: self = .linked
        }
    }

    /// A format that takes it.
    package var format: ImageFormat? {
        switch self {
        case .linked: nil
        case .heif: .heic
        case .avif: .avif
        case .jpegXL: .jpegXL
        }
    }
}
