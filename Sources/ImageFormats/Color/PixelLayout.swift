internal import CTesseraLibLCMS
internal import Raster

/// The layout of pixels before and after a conversion by lcms2.
enum PixelLayout: Hashable {
    /// Converted in place; alpha doesn't change.
    case rgba8
    /// Converted in place; alpha doesn't change.
    case rgba16
    /// Converted in place to grey with sRGB's tone curve.
    case gray16
    /// From C, M, Y, K, with 0 for no colourant, to rgba8; alpha isn't written.
    case cmyk8
    /// From C, M, Y, K, with 255 for no colourant as in Adobe's JPEG files, to rgba8; alpha isn't written.
    case invertedCMYK8

    /// The colour space that the input profile must have.
    var colorSpace: cmsColorSpaceSignature {
        switch self {
        case .rgba8, .rgba16: cmsSigRgbData
        case .gray16: cmsSigGrayData
        case .cmyk8, .invertedCMYK8: cmsSigCmykData
        }
    }

    /// lcms2's code for the layout before the conversion.
    var input: cmsUInt32Number {
        switch self {
        case .rgba8: Self.layout(PT_RGB, channels: 3, extra: 1, bytes: 1)
        case .rgba16: Self.layout(PT_RGB, channels: 3, extra: 1, bytes: 2)
        case .gray16: Self.layout(PT_GRAY, channels: 1, bytes: 2)
        case .cmyk8: Self.layout(PT_CMYK, channels: 4, bytes: 1)
        case .invertedCMYK8: Self.layout(PT_CMYK, channels: 4, bytes: 1) | 1 << 13
        }
    }

    /// lcms2's code for the layout after the conversion.
    var output: cmsUInt32Number {
        switch self {
        case .rgba8, .rgba16, .gray16: input
        case .cmyk8, .invertedCMYK8: Self.rgba8.input
        }
    }

    // lcms2 defines these numbers with macros that Swift can't import (lcms2.h, "Format of pixel is defined by").
    private static func layout(_ space: CInt, channels: CInt, extra: CInt = 0, bytes: CInt) -> cmsUInt32Number {
        cmsUInt32Number(space << 16 | extra << 7 | channels << 3 | bytes)
    }
}
