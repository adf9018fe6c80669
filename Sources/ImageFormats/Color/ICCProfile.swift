internal import CTesseraLibLCMS
internal import Raster

extension Collection<UInt8> {
    /// Whether the bytes are an ICC profile for `colors`, judging by the colour space in bytes 16 to 19 of its header
    /// of 128 bytes (ICC.1:2010, 7.2). A profile for another colour space must not be used.
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

/// A profile opened with lcms2. Use it from one thread at a time.
final class ICCProfile {
    /// lcms2's handle, closed with the profile.
    let handle: cmsHPROFILE
    /// The context in which the profile was opened.
    let context: ICCContext

    /// The size of the largest profile that is opened. Profiles for printing presses have up to 3 MiB.
    static let maximumByteCount = 16 << 20

    /// Opens the profile in `bytes`; nil if it is invalid, or isn't for an image's colours.
    convenience init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.maximumByteCount, let context = ICCContext() else { return nil }
        let opened = bytes.withUnsafeBytes { bytes in
            // lcms2 copies the bytes.
            cmsOpenProfileFromMemTHR(context.handle, bytes.baseAddress, cmsUInt32Number(bytes.count))
        }
        guard let opened else { return nil }
        self.init(opened, context)
        // These exclude device links, abstract profiles and named colours.
        let classes = [cmsSigInputClass, cmsSigDisplayClass, cmsSigOutputClass, cmsSigColorSpaceClass]
        guard classes.contains(cmsGetDeviceClass(handle)) else { return nil }
    }

    /// Creates a profile for RGB with these primaries and white point, whose values are linear light raised to `gamma`;
    /// nil if the primaries are invalid.
    convenience init?(gamma: Double, _ chromaticities: ColorProfile.Chromaticities) {
        let points = [chromaticities.white, chromaticities.red, chromaticities.green, chromaticities.blue]
        guard points.allSatisfy({ $0.x.isFinite && $0.y.isFinite && $0.y != 0 }), let context = ICCContext(),
            let curve = cmsBuildGamma(context.handle, 1 / gamma)
        else { return nil }
        defer { cmsFreeToneCurve(curve) }
        guard let made = chromaticities.profile(curve, in: context) else { return nil }
        self.init(made, context)
    }

    /// Creates sRGB's profile; nil if memory runs out.
    static func sRGB(in context: ICCContext) -> ICCProfile? {
        cmsCreate_sRGBProfileTHR(context.handle).map { ICCProfile($0, context) }
    }

    /// Creates a profile for grey with sRGB's tone curve; nil if memory runs out.
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

    /// The colour space of the profile's device side.
    var colorSpace: cmsColorSpaceSignature { cmsGetColorSpace(handle) }

    /// The primaries' XYZ under D50 and their tone curves; nil for a profile with tables, or not for RGB.
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
            // The profile owns both, and checked their types when it read them.
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
    /// Creates a profile for RGB with `curve` for all channels. The caller must close it.
    func profile(_ curve: OpaquePointer, in context: ICCContext) -> cmsHPROFILE? {
        func point(_ point: Point) -> cmsCIExyY { cmsCIExyY(x: point.x, y: point.y, Y: 1) }
        var white = point(self.white)
        var primaries = cmsCIExyYTRIPLE(Red: point(red), Green: point(green), Blue: point(blue))
        return cmsCreateRGBProfileTHR(context.handle, &white, &primaries, [curve, curve, curve])
    }
}

/// A conversion of pixels from a profile's colour space to sRGB with lcms2.
///
/// The rendering intent is perceptual, without black point compensation, as in lcms2's own tools.
///
/// Unchecked: lcms2 never writes to a transform created with cmsFLAGS_NOCACHE.
final class ICCTransform: @unchecked Sendable {
    private let context: ICCContext
    private let transform: cmsHTRANSFORM

    /// Creates a transform for pixels of `layout`; nil for a profile of another colour space or without required tags.
    init?(from profile: ICCProfile, layout: PixelLayout) {
        context = profile.context
        guard profile.colorSpace == layout.colorSpace else { return nil }
        let target = layout == .gray16 ? ICCProfile.sRGBGray(in: context) : .sRGB(in: context)
        var flags = cmsUInt32Number(cmsFLAGS_NOCACHE)
        // lcms2's optimisation samples the curve, which is off by several levels near black.
        if layout == .gray16 { flags |= cmsUInt32Number(cmsFLAGS_NOOPTIMIZE) }
        guard let target,
            let transform = cmsCreateTransformTHR(
                context.handle, profile.handle, layout.input, target.handle, layout.output,
                cmsUInt32Number(INTENT_PERCEPTUAL), flags)
        else { return nil }
        self.transform = transform
    }

    /// Creates a transform from sRGB to the colours of `profile`, for pixels with 8 or 16 bits per channel; nil if the profile
    /// isn't one for RGB that can be written to.
    init?(to profile: ICCProfile, layout: PixelLayout) {
        context = profile.context
        guard profile.colorSpace == layout.colorSpace, layout.output == layout.input,
            let source = ICCProfile.sRGB(in: context),
            let transform = cmsCreateTransformTHR(
                context.handle, source.handle, layout.input, profile.handle, layout.output,
                cmsUInt32Number(INTENT_RELATIVE_COLORIMETRIC), cmsUInt32Number(cmsFLAGS_NOCACHE))
        else { return nil }
        self.transform = transform
    }

    deinit { cmsDeleteTransform(transform) }

    /// Converts rows in place.
    func convert(_ rows: inout MutablePixelRows) {
        let (width, count, stride) = (rows.width, rows.count, rows.bytesPerRow)
        rows.withUnsafeBase { base in
            // The rows have this width and stride; lcms2 keeps no pointer.
            cmsDoTransformLineStride(
                transform, base, base, cmsUInt32Number(width), cmsUInt32Number(count), cmsUInt32Number(stride),
                cmsUInt32Number(stride), 0, 0)
        }
    }

    /// Converts `count` pixels from `input` to `output`, both in the transform's layout.
    func convert(_ input: UnsafeRawPointer, to output: UnsafeMutableRawPointer, count: Int) {
        cmsDoTransform(transform, input, output, cmsUInt32Number(count))
    }
}

/// A context of lcms2's: separate memory for profiles and transforms, without an error handler.
///
/// Unchecked: nothing writes to a context after its creation, as no plug-in or handler is ever set.
final class ICCContext: @unchecked Sendable {
    /// lcms2's handle, deleted with the context.
    let handle: cmsContext

    /// Creates a context; nil if memory runs out.
    init?() {
        guard let handle = cmsCreateContext(nil, nil) else { return nil }
        self.handle = handle
    }

    deinit { cmsDeleteContext(handle) }

    /// Creates sRGB's curve (IEC 61966-2-1), which the caller must free.
    func makeSRGBCurve() -> OpaquePointer? {
        // lcms2's parametric type 4 (ICC.1, parametricCurveType): gamma, a, b, c, d.
        cmsBuildParametricToneCurve(handle, 4, [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045])
    }
}
