internal import CTesseraLibLCMS
internal import Raster

/// How pixels lie in memory before and after a conversion, as lcms2 describes it.
enum PixelLayout: Hashable {
    /// In place; alpha is left as it is.
    case rgba8
    /// In place; alpha is left as it is.
    case rgba16
    /// In place, to grey with sRGB's tone curve.
    case gray16
    /// From C, M, Y, K, 0 for no ink, to rgba8; alpha is left as it is.
    case cmyk8
    /// From C, M, Y, K, 255 for no ink as Adobe's JPEG files have it, to rgba8; alpha is left as it is.
    case invertedCMYK8

    /// What an input profile has to be for.
    var colorSpace: cmsColorSpaceSignature {
        switch self {
        case .rgba8, .rgba16: cmsSigRgbData
        case .gray16: cmsSigGrayData
        case .cmyk8, .invertedCMYK8: cmsSigCmykData
        }
    }

    /// The layout of what is converted.
    var input: cmsUInt32Number {
        switch self {
        case .rgba8: Self.layout(PT_RGB, channels: 3, extra: 1, bytes: 1)
        case .rgba16: Self.layout(PT_RGB, channels: 3, extra: 1, bytes: 2)
        case .gray16: Self.layout(PT_GRAY, channels: 1, bytes: 2)
        case .cmyk8: Self.layout(PT_CMYK, channels: 4, bytes: 1)
        case .invertedCMYK8: Self.layout(PT_CMYK, channels: 4, bytes: 1) | 1 << 13
        }
    }

    /// The layout of the result.
    var output: cmsUInt32Number {
        switch self {
        case .rgba8, .rgba16, .gray16: input
        case .cmyk8, .invertedCMYK8: Self.rgba8.input
        }
    }

    // lcms2 makes these numbers with macros that Swift doesn't see (lcms2.h, "Format of pixel is defined by").
    private static func layout(_ space: CInt, channels: CInt, extra: CInt = 0, bytes: CInt) -> cmsUInt32Number {
        cmsUInt32Number(space << 16 | extra << 7 | channels << 3 | bytes)
    }
}
