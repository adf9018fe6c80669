internal import CTesseraLibLCMS
internal import Raster

extension Collection<UInt8> {
    /// Whether the bytes are an ICC profile for such colours, as far as its header of 128 bytes tells, which names them in
    /// bytes 16 to 19 (ICC.1:2010, 7.2). A wrong profile does more harm than none.
    func isICCProfile(for colors: ImageHeader.ColorModel) -> Bool {
        let space =
            switch colors {
            case .gray: "GRAY"
            case .rgb, .indexed: "RGB "
            case .cmyk: "CMYK"
            }
        return count >= 128 && dropFirst(16).prefix(4).elementsEqual(space.utf8)
    }
}

/// A profile that lcms2 has opened. Used by one thread while something is made of it.
final class ICCProfile {
    /// lcms2's handle.
    let handle: cmsHPROFILE
    /// Where it was opened.
    let context: ICCContext

    /// Profiles larger than this are not opened. The largest in use, for printing presses, have 3 MiB.
    static let maximumByteCount = 16 << 20

    /// The profile in `bytes`; nil when it can't be opened or doesn't say what a picture's values mean.
    convenience init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.maximumByteCount, let context = ICCContext() else { return nil }
        let opened = bytes.withUnsafeBytes { bytes in
            // lcms2 copies the bytes.
            cmsOpenProfileFromMemTHR(context.handle, bytes.baseAddress, cmsUInt32Number(bytes.count))
        }
        guard let opened else { return nil }
        self.init(opened, context)
        // Not so device links, abstract profiles and named colours.
        let classes = [cmsSigInputClass, cmsSigDisplayClass, cmsSigOutputClass, cmsSigColorSpaceClass]
        guard classes.contains(cmsGetDeviceClass(handle)) else { return nil }
    }

    /// RGB in the primaries and white given, whose values are light raised to `gamma`; nil when such primaries can't
    /// tell colours apart.
    convenience init?(gamma: Double, _ chromaticities: ColorProfile.Chromaticities) {
        let points = [chromaticities.white, chromaticities.red, chromaticities.green, chromaticities.blue]
        guard points.allSatisfy({ $0.x.isFinite && $0.y.isFinite && $0.y != 0 }), let context = ICCContext(),
            let curve = cmsBuildGamma(context.handle, 1 / gamma)
        else { return nil }
        defer { cmsFreeToneCurve(curve) }
        guard let made = chromaticities.profile(curve, in: context) else { return nil }
        self.init(made, context)
    }

    /// sRGB.
    static func sRGB(in context: ICCContext) -> ICCProfile? {
        cmsCreate_sRGBProfileTHR(context.handle).map { ICCProfile($0, context) }
    }

    /// Grey with sRGB's tone curve.
    static func sRGBGray(in context: ICCContext) -> ICCProfile? {
        guard let curve = context.makeSRGBCurve() else { return nil }
        defer { cmsFreeToneCurve(curve) }
        return cmsCreateGrayProfileTHR(context.handle, cmsD50_xyY(), curve).map { ICCProfile($0, context) }
    }

    private init(_ handle: cmsHPROFILE, _ context: ICCContext) {
        self.handle = handle
        self.context = context
    }

    deinit { cmsCloseProfile(handle) }

    /// What kind of values it is for.
    var colorSpace: cmsColorSpaceSignature { cmsGetColorSpace(handle) }

    /// The primaries' XYZ under D50 and the tone curves, where that is all that the profile has for RGB.
    var primaries: [(xyz: SIMD3<Double>, curve: (Float) -> Float)]? {
        guard colorSpace == cmsSigRgbData, cmsIsMatrixShaper(handle) != 0,
            cmsIsTag(handle, cmsSigAToB0Tag) == 0, cmsIsTag(handle, cmsSigDToB0Tag) == 0
        else { return nil }
        let tags = [
            (cmsSigRedColorantTag, cmsSigRedTRCTag), (cmsSigGreenColorantTag, cmsSigGreenTRCTag),
            (cmsSigBlueColorantTag, cmsSigBlueTRCTag),
        ]
        var primaries: [(SIMD3<Double>, (Float) -> Float)] = []
        for (colorant, curve) in tags {
            // Both stay the profile's, which checked their types when it read them.
            guard let colorant = cmsReadTag(handle, colorant)?.assumingMemoryBound(to: cmsCIEXYZ.self).pointee,
                let curve = cmsReadTag(handle, curve)
            else { return nil }
            let curvePointer = OpaquePointer(curve)
            primaries.append(
                (
                    SIMD3(colorant.X, colorant.Y, colorant.Z),
                    { [self] value in
                        withExtendedLifetime(self) { cmsEvalToneCurveFloat(curvePointer, value) }
                    }
                ))
        }
        return primaries
    }
}

extension ColorProfile.Chromaticities {
    /// A profile of RGB with these primaries, which whoever asks closes; `curve` makes light of each channel.
    func profile(_ curve: OpaquePointer, in context: ICCContext) -> cmsHPROFILE? {
        func point(_ point: Point) -> cmsCIExyY { cmsCIExyY(x: point.x, y: point.y, Y: 1) }
        var white = point(self.white)
        var primaries = cmsCIExyYTRIPLE(Red: point(red), Green: point(green), Blue: point(blue))
        return cmsCreateRGBProfileTHR(context.handle, &white, &primaries, [curve, curve, curve])
    }
}

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

/// What lcms2 keeps beside its profiles and transforms: a memory of its own for each, without an error handler.
///
/// Unchecked: nothing writes to a context after it is made, as no plug-in or handler is ever set.
final class ICCContext: @unchecked Sendable {
    /// lcms2's handle.
    let handle: cmsContext

    /// A new context; nil for want of memory.
    init?() {
        guard let handle = cmsCreateContext(nil, nil) else { return nil }
        self.handle = handle
    }

    deinit { cmsDeleteContext(handle) }

    /// sRGB's curve (IEC 61966-2-1), which whoever asks frees.
    func makeSRGBCurve() -> OpaquePointer? {
        // The parametric curve of type 4 (ICC.1, parametricCurveType): gamma, a, b, c, d.
        cmsBuildParametricToneCurve(handle, 4, [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045])
    }
}
