package import Raster
internal import Synchronization

/// Converts rows of CMYK to sRGB.
package final class CMYKConverter: Sendable {
    private let transform: ICCTransform?
    private let isInverted: Bool

    /// Creates a converter from the CMYK that `profile` describes.
    ///
    /// If `profile` is nil, unusable or not for CMYK, it uses the plain formula R = (255 − C) × (255 − K) / 255,
    /// rounded, and the same for G and B.
    /// - Parameter isInverted: Whether 255 stands for no colourant, as in Adobe's JPEG files, instead of 0.
    package init(profile: [UInt8]?, isInverted: Bool) {
        self.isInverted = isInverted
        transform = profile.flatMap { Self.transform($0, isInverted ? .invertedCMYK8 : .cmyk8) }
    }

    /// Fills `row` with opaque pixels. Traps if there are fewer than four bytes for each.
    package func convert(_ inks: RawSpan, into row: inout MutableSpan<RGBA8>) {
        let count = row.count
        precondition(inks.byteCount >= 4 * count)
        guard let transform else { return Self.convertPlainly(inks, into: &row, mask: isInverted ? 0 : 255) }
        // lcms2 doesn't write alpha.
        for x in 0..<count { row[x] = RGBA8(0, 0, 0) }
        // Both have room for `count` pixels, as checked above.
        row.withUnsafeMutableBytes { row in
            inks.withUnsafeBytes { inks in
                transform.convert(inks.baseAddress!, to: row.baseAddress!, count: count)
            }
        }
    }

    private static func convertPlainly(_ inks: RawSpan, into row: inout MutableSpan<RGBA8>, mask: UInt8) {
        for x in 0..<row.count {
            // In bounds: the caller checked the length. After the exclusive or, the values are 255 − C and so on.
            let packed = inks.unsafeLoadUnaligned(fromByteOffset: 4 * x, as: SIMD4<UInt8>.self) ^ SIMD4(repeating: mask)
            let paper = UInt32(packed.w)
            // No product exceeds 65025.
            let red = (UInt32(packed.x) &* paper &+ 127) / 255
            let green = (UInt32(packed.y) &* paper &+ 127) / 255
            let blue = (UInt32(packed.z) &* paper &+ 127) / 255
            row[x] = RGBA8(
                UInt8(truncatingIfNeeded: red), UInt8(truncatingIfNeeded: green), UInt8(truncatingIfNeeded: blue))
        }
    }

    private struct Key: Hashable {
        let profile: [UInt8]
        let layout: PixelLayout
    }

    /// Creating a transform takes at least 30 ms; each takes up to 3 MiB.
    private static let cache = Mutex(RecentlyUsed<Key, ICCTransform?>(limit: 4))

    private static func transform(_ profile: [UInt8], _ layout: PixelLayout) -> ICCTransform? {
        let key = Key(profile: profile, layout: layout)
        if let known = cache.withLock({ $0.find(key) }) { return known }
        let made = ICCProfile(profile).flatMap { ICCTransform(from: $0, layout: layout) }
        cache.withLock { $0.insert(made, for: key) }
        return made
    }
}

extension DecodingOptions {
    /// Returns the ICC profile for converting CMYK to sRGB; nil if there is none, or colours stay as stored.
    func inkProfile(_ profile: ColorProfile) -> [UInt8]? {
        if color == .sRGB, case .icc(let bytes) = profile { bytes } else { nil }
    }
}
