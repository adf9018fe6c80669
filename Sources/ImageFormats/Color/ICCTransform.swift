internal import CTesseraLibLCMS
internal import Raster

/// A conversion of pixels from a profile's colour space to sRGB, made by lcms2.
///
/// The rendering intent is perceptual, without black point compensation, as with lcms2's own tools.
///
/// Unchecked: lcms2 doesn't write to a transform made with cmsFLAGS_NOCACHE after it is made.
final class ICCTransform: @unchecked Sendable {
    private let context: ICCContext
    private let transform: cmsHTRANSFORM

    /// A transform for pixels of `layout`; nil when the profile is for another kind of pixels or lacks what is needed.
    init?(from profile: ICCProfile, layout: PixelLayout) {
        context = profile.context
        guard profile.colorSpace == layout.colorSpace else { return nil }
        let target = layout == .gray16 ? ICCProfile.sRGBGray(in: context) : .sRGB(in: context)
        var flags = cmsUInt32Number(cmsFLAGS_NOCACHE)
        // A curve that lcms2 samples for speed is off by several levels near black.
        if layout == .gray16 { flags |= cmsUInt32Number(cmsFLAGS_NOOPTIMIZE) }
        guard let target,
            let transform = cmsCreateTransformTHR(
                context.handle, profile.handle, layout.input, target.handle, layout.output,
                cmsUInt32Number(INTENT_PERCEPTUAL), flags)
        else { return nil }
        self.transform = transform
    }

    deinit { cmsDeleteTransform(transform) }

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
