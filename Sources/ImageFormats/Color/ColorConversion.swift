internal import Raster
internal import Synchronization

/// The conversion of pixels of one profile and format to sRGB, or to PQ for high dynamic range.
enum ColorConversion: Sendable {
    /// No conversion: the values are sRGB, or treated as sRGB.
    case none
    /// A table for each channel.
    case table(ToneTable)
    /// Tone curves, a matrix, and sRGB's curve.
    case matrix(MatrixShaper)
    /// A transform of lcms2's.
    case transform(ICCTransform)
    /// PQ or HLG in colour, compressed to a smaller range.
    case toneMapper(ToneMapper)

    /// The largest difference from sRGB that is ignored: 1 of 255.
    static let tolerance = 1.0 / 255

    /// Returns the conversion for `profile`, cached from earlier calls if possible.
    ///
    /// A profile that can't be used is treated as sRGB: a broken one, one for another colour space than the pixels', or
    /// one with an impossible gamma. A grey profile applies to RGB pixels too, which are grey with an alpha channel.
    static func find(_ profile: ColorProfile, _ format: PixelFormat, for range: DynamicRange) -> ColorConversion {
        guard profile != .sRGB else { return .none }
        let space = HighDynamicRangeSpace(profile)
        // Other profiles have one conversion for all ranges.
        let key = Key(profile: profile, format: format, range: space == nil ? .standard : range)
        if let known = cache.withLock({ $0.find(key) }) { return known }
        // Made outside the lock, since it takes milliseconds; two threads that make the same conversion do no harm.
        let made = space.flatMap { make($0, of: profile, format, for: range) } ?? make(profile, format)
        cache.withLock { $0.insert(made, for: key) }
        return made
    }

    /// Returns the conversion of PQ or HLG; nil if the primaries are unknown.
    private static func make(
        _ space: HighDynamicRangeSpace, of profile: ColorProfile, _ format: PixelFormat, for range: DynamicRange
    ) -> ColorConversion? {
        let target: ToneMapper.Target
        switch range {
        case .asStored: return ColorConversion.none
        case .standard: target = .sRGB
        case .high:
            let result = space.limited(to: range, isGray: profile.isForGray)
            // Only a lower peak or another space changes values.
            guard result != space else { return ColorConversion.none }
            target = .pq(peak: result.assumedPeak)
        }
        guard profile.isForGray || format.isGray else {
            return ToneMapper(space, of: profile, to: target, bits: format.bitsPerChannel).map { .toneMapper($0) }
        }
        return .table(ToneTable(space, to: target, bits: format.bitsPerChannel))
    }

    private static func make(_ profile: ColorProfile, _ format: PixelFormat) -> ColorConversion {
        switch profile {
        case .sRGB: return .none
        case .icc(let bytes):
            guard let profile = ICCProfile(bytes) else { return .none }
            return make(profile, format)
        case .calibrated(let gamma, let chromaticities):
            guard gamma.isFinite, (0.01...100).contains(gamma) else { return .none }
            if let chromaticities, !chromaticities.isSRGB, !format.isGray {
                guard let profile = ICCProfile(gamma: gamma, chromaticities) else { return .none }
                return make(profile, format)
            }
            guard abs(gamma - 1 / 2.2) > gammaTolerance else { return .none }
            return .table(ToneTable(bits: format.bitsPerChannel, gamma: gamma))
        }
    }

    private static func make(_ profile: ICCProfile, _ format: PixelFormat) -> ColorConversion {
        let bits = format.bitsPerChannel
        if let transform = ICCTransform(from: profile, layout: .gray16) {
            let table = ToneTable(bits: bits, transform)
            return table.isIdentity(within: tolerance) ? .none : .table(table)
        }
        guard !format.isGray, let conversion = colors(of: profile, bits: 8), !conversion.isIdentity else {
            return .none
        }
        return bits == 8 ? conversion : colors(of: profile, bits: bits) ?? .none
    }

    private static func colors(of profile: ICCProfile, bits: Int) -> ColorConversion? {
        if let primaries = profile.primaries { return MatrixShaper(primaries, bits: bits).map { .matrix($0) } }
        return ICCTransform(from: profile, layout: bits == 8 ? .rgba8 : .rgba16).map { .transform($0) }
    }

    /// Converts rows in place; they must have the format that the conversion was made for.
    func convert(_ rows: inout MutablePixelRows) {
        switch self {
        case .none: break
        case .table(let table): table.convert(&rows)
        case .matrix(let shaper): shaper.convert(&rows)
        case .transform(let transform): transform.convert(&rows)
        case .toneMapper(let mapper): mapper.convert(&rows)
        }
    }

    /// The largest difference from 1/2.2 of a gamma that stands for sRGB, if the primaries are sRGB's.
    ///
    /// PNG's specification asks writers of sRGB to add a gamma of 0.45455 for simple readers. Programs that write only
    /// the gamma mean sRGB too, and libpng's simplified interface reads it so.
    private static let gammaTolerance = 0.0005

    /// Whether all 8-bit greys and a grid of colours stay the same, to within 1 of 255.
    private var isIdentity: Bool {
        let steps = stride(from: 0, through: 255, by: 15).map { UInt8($0) }
        var colors: [RGBA8] = (0...255).map { RGBA8(UInt8($0), UInt8($0), UInt8($0)) }
        for red in steps { for green in steps { for blue in steps { colors.append(RGBA8(red, green, blue)) } } }
        let info = BitmapInfo(size: PixelSize(width: colors.count, height: 1), format: .rgba8)
        guard var bitmap = try? MutableBitmap(uninitialized: info) else { return false }
        var rows = bitmap.mutableRows
        var row = rows.row(0, as: RGBA8.self)
        for x in colors.indices { row[x] = colors[x] }
        convert(&rows)
        let converted = bitmap.rows.row(0, as: RGBA8.self)
        func differs(_ a: UInt8, _ b: UInt8) -> Bool { abs(Int(a) - Int(b)) > 1 }
        return !colors.indices.contains { x in
            let (old, new) = (colors[x], converted[x])
            return differs(old.red, new.red) || differs(old.green, new.green) || differs(old.blue, new.blue)
        }
    }
}

extension ColorConversion {
    private struct Key: Hashable {
        let profile: ColorProfile
        let format: PixelFormat
        let range: DynamicRange
    }

    /// Creating a conversion takes a millisecond for a matrix and up to 30 for tables; each takes up to 1 MiB.
    private static let cache = Mutex(RecentlyUsed<Key, ColorConversion>(limit: 16))
}

extension ColorProfile.Chromaticities {
    /// The primaries and the white point, D65, of sRGB and ITU-R BT.709.
    static let sRGB = ColorProfile.Chromaticities(
        white: Point(x: 0.3127, y: 0.329), red: Point(x: 0.64, y: 0.33), green: Point(x: 0.3, y: 0.6),
        blue: Point(x: 0.15, y: 0.06))

    /// Whether every coordinate is within 0.001 of sRGB's, which allows for other programs' rounding.
    var isSRGB: Bool {
        zip([white, red, green, blue], [Self.sRGB.white, Self.sRGB.red, Self.sRGB.green, Self.sRGB.blue])
            .allSatisfy { abs($0.x - $1.x) <= 0.001 && abs($0.y - $1.y) <= 0.001 }
    }
}

/// A cache of a few values, from which the least recently used is dropped.
///
/// Looking up a key compares it with every key in the cache.
package struct RecentlyUsed<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var entries: [(key: Key, value: Value)] = []
    private let limit: Int

    /// Creates a cache of at most `limit` values.
    package init(limit: Int) {
        self.limit = limit
    }

    /// Returns the value for `key`, and marks it as most recently used.
    package mutating func find(_ key: Key) -> Value? {
        guard let index = entries.firstIndex(where: { $0.key == key }) else { return nil }
        let entry = entries.remove(at: index)
        entries.append(entry)
        return entry.value
    }

    /// Stores `value`, in place of the one with the same key or, in a full cache, of the least recently used one.
    package mutating func insert(_ value: Value, for key: Key) {
        entries.removeAll { $0.key == key }
        if entries.count == limit { entries.removeFirst() }
        entries.append((key, value))
    }
}
