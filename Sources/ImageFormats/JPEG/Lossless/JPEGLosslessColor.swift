internal import JPEGBitstream
internal import Raster

/// The colours that a lossless JPEG's components stand for.
///
/// Lossless coding usually keeps RGB, so three components are RGB without a JFIF or Adobe segment, as in
/// libjpeg-turbo 3: a JFIF header means YCbCr, and an Adobe segment names the colour space. Components of different
/// sampling are YCbCr too, since RGB is never subsampled.
enum JPEGLosslessColor {
    case gray, rgb, ycc, cmyk, ycck

    /// - Parameters:
    ///   - structure: The structure, at least up to the first scan.
    ///   - bytes: The file from its first byte on, at least up to that scan.
    /// - Throws: `unsupported` for any number of components but one, three and four.
    init(_ structure: JPEGStructure, _ frame: JPEGFrame, in bytes: Span<UInt8>) throws(ImageError) {
        let segments = structure.segments.prefix { $0.marker != .startOfScan }
        // The last of the segment's 12 bytes is the transform.
        let adobe = segments.lastIndex { Self.isAdobe($0, in: bytes) }
        let transform = adobe.map { bytes[segments[$0].payload.lowerBound + 11] }
        switch frame.components.count {
        case 1: self = .gray
        case 3:
            let first = frame.components[0]
            let isSubsampled = !frame.components.allSatisfy {
                $0.horizontalSampling == first.horizontalSampling && $0.verticalSampling == first.verticalSampling
            }
            let hasJFIF = segments.contains { $0.isJFIF(in: bytes) }
            self = hasJFIF || isSubsampled || transform.map { $0 != 0 } == true ? .ycc : .rgb
        case 4: self = transform.map { $0 != 0 } == true ? .ycck : .cmyk
        case let count:
            throw ImageError(.unsupported, "a lossless JPEG of \(count) components, which have no known colour space")
        }
    }

    private static func isAdobe(_ segment: JPEGSegment, in bytes: Span<UInt8>) -> Bool {
        segment.marker == .application(14) && segment.payload.count >= 12
            && bytes.starts(with: Array("Adobe".utf8), at: segment.payload.lowerBound)
    }

    /// The colour model of the stored values.
    var model: ImageHeader.ColorModel {
        switch self {
        case .gray: .gray
        case .rgb, .ycc: .rgb
        case .cmyk, .ycck: .cmyk
        }
    }
}

extension JPEGSegment {
    /// Whether this is a JFIF header.
    func isJFIF(in bytes: Span<UInt8>) -> Bool {
        marker == .application(0) && payload.count >= 14
            && bytes.starts(with: Array("JFIF".utf8) + [0], at: payload.lowerBound)
    }
}

extension Span<UInt8> {
    /// Whether the bytes from an offset on, which must be in bounds, begin with the given ones.
    fileprivate func starts(with prefix: [UInt8], at offset: Int) -> Bool {
        prefix.indices.allSatisfy { self[offset + $0] == prefix[$0] }
    }
}
