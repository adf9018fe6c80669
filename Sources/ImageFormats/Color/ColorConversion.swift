internal import Raster
internal import Synchronization

/// What has to be done to pixels of one kind to make them sRGB.
enum ColorConversion: Sendable {
    /// Nothing: they are sRGB, or are taken for it.
    case none
    /// Each value by itself.
    case table(ToneTable)
    /// All of a pixel's values together.
    case transform(ICCTransform)

    /// Values this close to sRGB's (1 of 255) are left as they are.
    static let tolerance = 1.0 / 255

    /// Finds out what has to be done for `profile`, or remembers it.
    ///
    /// A profile that can't be used is taken for sRGB: one that is broken, of another colour space than the pixels, or
    /// with an impossible gamma. A grey profile suits RGB pixels that are grey with an alpha channel.
    static func find(_ profile: ColorProfile, _ format: PixelFormat) -> ColorConversion {
        guard profile != .sRGB else { return .none }
        let key = Key(profile: profile, format: format)
        if let known = cache.withLock({ $0.find(key) }) { return known }
        // Not under the lock: it takes milliseconds, and two threads that make the same do no harm.
        let made = make(profile, format)
        cache.withLock { $0.insert(made, for: key) }
        return made
    }

    private static func make(_ profile: ColorProfile, _ format: PixelFormat) -> ColorConversion {
        let bits = format.bitsPerChannel
        switch profile {
        case .sRGB: return .none
        case .icc(let bytes):
            if let table = grayTable(bytes, bits: bits) {
                return table.isIdentity(within: tolerance) ? .none : .table(table)
            }
            let layout: PixelLayout = bits == 8 ? .rgba8 : .rgba16
            guard !format.isGray, let transform = ICCTransform(profile: bytes, layout: layout) else { return .none }
            return isIdentity(profile) ? .none : .transform(transform)
        case .calibrated(let gamma, let chromaticities):
            guard gamma.isFinite, (0.01...100).contains(gamma) else { return .none }
            let hasOwnPrimaries = chromaticities.map { !$0.isSRGB } ?? false
            if hasOwnPrimaries, !format.isGray {
                let layout: PixelLayout = bits == 8 ? .rgba8 : .rgba16
                return ICCTransform(gamma: gamma, chromaticities!, layout: layout).map { .transform($0) } ?? .none
            }
            return abs(gamma - 1 / 2.2) <= gammaTolerance ? .none : .table(ToneTable(bits: bits, gamma: gamma))
        }
    }

    /// A gamma this close to 1/2.2, in sRGB's primaries, stands for sRGB.
    ///
    /// PNG's specification has writers of sRGB give 0.45455 for readers that know nothing better, and programs that
    /// write that alone mean sRGB too; readers such as libpng's simplified interface take it so.
    private static let gammaTolerance = 0.0005

    /// The table that a grey profile comes to; nil for any other.
    private static func grayTable(_ profile: [UInt8], bits: Int) -> ToneTable? {
        guard let transform = ICCTransform(profile: profile, layout: .gray16) else { return nil }
        var values = (0...65535).map { UInt16($0) }
        values.withUnsafeMutableBytes { values in
            // In place is what lcms2 allows where both sides have the same layout.
            transform.convert(values.baseAddress!, to: values.baseAddress!, count: 65536)
        }
        return ToneTable(bits: bits, words: values)
    }

    /// Whether a grid of colours comes out of an RGB profile as it went in.
    private static func isIdentity(_ profile: ColorProfile) -> Bool {
        guard case .icc(let bytes) = profile, let transform = ICCTransform(profile: bytes, layout: .rgba8) else {
            return false
        }
        let steps = stride(from: 0, through: 255, by: 15).map { UInt8($0) }
        var colors: [RGBA8] = (0...255).map { RGBA8(UInt8($0), UInt8($0), UInt8($0)) }
        for red in steps { for green in steps { for blue in steps { colors.append(RGBA8(red, green, blue)) } } }
        var converted = colors
        converted.withUnsafeMutableBytes { converted in
            // As above.
            transform.convert(converted.baseAddress!, to: converted.baseAddress!, count: colors.count)
        }
        func differs(_ a: UInt8, _ b: UInt8) -> Bool { abs(Int(a) - Int(b)) > 1 }
        return !zip(colors, converted).contains {
            differs($0.red, $1.red) || differs($0.green, $1.green) || differs($0.blue, $1.blue)
        }
    }
}

extension ColorConversion {
    private struct Key: Hashable {
        let profile: ColorProfile
        let format: PixelFormat
    }

    /// Making one takes 2 ms for a matrix profile and up to 30 ms for tables; each takes up to 1 MiB.
    private static let cache = Mutex(RecentlyUsed<Key, ColorConversion>(limit: 16))
}

extension ColorProfile.Chromaticities {
    /// sRGB's and ITU-R BT.709's: a white of D65 and the primaries of television.
    static let sRGB = ColorProfile.Chromaticities(
        white: Point(x: 0.3127, y: 0.329), red: Point(x: 0.64, y: 0.33), green: Point(x: 0.3, y: 0.6),
        blue: Point(x: 0.15, y: 0.06))

    /// Whether no coordinate is further than 0.001 from sRGB's: what rounding in other programs comes to.
    var isSRGB: Bool {
        zip([white, red, green, blue], [Self.sRGB.white, Self.sRGB.red, Self.sRGB.green, Self.sRGB.blue])
            .allSatisfy { abs($0.x - $1.x) <= 0.001 && abs($0.y - $1.y) <= 0.001 }
    }
}
