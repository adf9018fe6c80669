internal import CTesseraLibLCMS
internal import Raster

/// A conversion of pixels from a profile's colour space to sRGB, made by lcms2.
///
/// The rendering intent is perceptual, without black point compensation, as with lcms2's own tools.
///
/// Unchecked: lcms2 doesn't write to a transform made with cmsFLAGS_NOCACHE, nor to its context, after it is made; the
/// context is this transform's own and has no error handler, so errors are only return values.
final class ICCTransform: @unchecked Sendable {
    private let context: cmsContext
    private let transform: cmsHTRANSFORM

    /// Profiles larger than this are not opened. The largest in use, for printing presses, have 3 MiB.
    static let maximumProfileByteCount = 16 << 20

    /// A transform for pixels of `layout` from the colour space that the bytes of an ICC profile describe; nil when the
    /// profile can't be opened, isn't for pictures, or is for another kind of pixels.
    convenience init?(profile bytes: [UInt8], layout: PixelLayout) {
        guard bytes.count <= Self.maximumProfileByteCount else { return nil }
        self.init(layout: layout) { context in
            bytes.withUnsafeBytes { bytes in
                // Copies the bytes.
                cmsOpenProfileFromMemTHR(context, bytes.baseAddress, cmsUInt32Number(bytes.count))
            }
        }
    }

    /// A transform for pixels of `layout` in the primaries and white given, whose values are light raised to `gamma`;
    /// nil when no colours can be told apart by such primaries.
    convenience init?(gamma: Double, _ chromaticities: ColorProfile.Chromaticities, layout: PixelLayout) {
        func point(_ point: ColorProfile.Chromaticities.Point) -> cmsCIExyY {
            cmsCIExyY(x: point.x, y: point.y, Y: 1)
        }
        self.init(layout: layout) { context in
            guard let curve = cmsBuildGamma(context, 1 / gamma) else { return nil }
            defer { cmsFreeToneCurve(curve) }
            var white = point(chromaticities.white)
            var primaries = cmsCIExyYTRIPLE(
                Red: point(chromaticities.red), Green: point(chromaticities.green), Blue: point(chromaticities.blue))
            return cmsCreateRGBProfileTHR(context, &white, &primaries, [curve, curve, curve])
        }
    }

    private init?(layout: PixelLayout, makeProfile: (cmsContext) -> cmsHPROFILE?) {
        guard let context = cmsCreateContext(nil, nil) else { return nil }
        var transform: cmsHTRANSFORM?
        if let source = makeProfile(context) {
            if Self.suits(source, layout), let target = layout.makeTarget(context) {
                transform = cmsCreateTransformTHR(
                    context, source, layout.input, target, layout.output, cmsUInt32Number(INTENT_PERCEPTUAL),
                    cmsUInt32Number(cmsFLAGS_NOCACHE))
                cmsCloseProfile(target)
            }
            cmsCloseProfile(source)
        }
        guard let transform else {
            cmsDeleteContext(context)
            return nil
        }
        self.context = context
        self.transform = transform
    }

    deinit {
        cmsDeleteTransform(transform)
        cmsDeleteContext(context)
    }

    private static func suits(_ profile: cmsHPROFILE, _ layout: PixelLayout) -> Bool {
        guard cmsGetColorSpace(profile) == layout.colorSpace else { return false }
        // Device links, abstract and named colour profiles don't say what a pixel's values mean.
        return [cmsSigInputClass, cmsSigDisplayClass, cmsSigOutputClass, cmsSigColorSpaceClass]
            .contains(cmsGetDeviceClass(profile))
    }

    /// Converts rows in place.
    func convert(_ rows: inout MutablePixelRows) {
        let (width, count, stride) = (rows.width, rows.count, rows.bytesPerRow)
        rows.withUnsafeBase { base in
            // The rows are there, of the width and distance that are given; lcms2 keeps no pointer.
            cmsDoTransformLineStride(
                transform, base, base, cmsUInt32Number(width), cmsUInt32Number(count), cmsUInt32Number(stride),
                cmsUInt32Number(stride), 0, 0)
        }
    }

    /// Converts `count` pixels from `input` to `output`, each as long as the layout says.
    func convert(_ input: UnsafeRawPointer, to output: UnsafeMutableRawPointer, count: Int) {
        cmsDoTransform(transform, input, output, cmsUInt32Number(count))
    }
}
