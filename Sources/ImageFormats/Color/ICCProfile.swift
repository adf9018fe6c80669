internal import CTesseraLibLCMS
internal import Raster

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
        func point(_ point: ColorProfile.Chromaticities.Point) -> cmsCIExyY {
            cmsCIExyY(x: point.x, y: point.y, Y: 1)
        }
        let points = [chromaticities.white, chromaticities.red, chromaticities.green, chromaticities.blue]
        guard points.allSatisfy({ $0.x.isFinite && $0.y.isFinite && $0.y != 0 }), let context = ICCContext(),
            let curve = cmsBuildGamma(context.handle, 1 / gamma)
        else { return nil }
        defer { cmsFreeToneCurve(curve) }
        var white = point(chromaticities.white)
        var primaries = cmsCIExyYTRIPLE(
            Red: point(chromaticities.red), Green: point(chromaticities.green), Blue: point(chromaticities.blue))
        guard let made = cmsCreateRGBProfileTHR(context.handle, &white, &primaries, [curve, curve, curve]) else {
            return nil
        }
        self.init(made, context)
    }

    /// sRGB.
    static func sRGB(in context: ICCContext) -> ICCProfile? {
        cmsCreate_sRGBProfileTHR(context.handle).map { ICCProfile($0, context) }
    }

    /// Grey with sRGB's tone curve.
    static func sRGBGray(in context: ICCContext) -> ICCProfile? {
        // IEC 61966-2-1, as the parametric curve of type 4 (ICC.1, parametricCurveType): gamma, a, b, c, d.
        let parameters = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]
        guard let curve = cmsBuildParametricToneCurve(context.handle, 4, parameters) else { return nil }
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
