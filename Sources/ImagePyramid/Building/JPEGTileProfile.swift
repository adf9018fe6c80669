internal import ImageFormats
internal import Raster

/// What a tile that is copied out of a JPEG has to have so as to show the picture's colours.
enum JPEGTileProfile {
    /// A larger profile isn't put into each tile.
    private static let largest = 4096

    /// Marker segments for the tiles of the JPEG with this header: none where its colours are sRGB's; nil where tiles can't
    /// be copied.
    static func segments(of header: ImageHeader) throws(ImageError) -> [UInt8]? {
        var info = BitmapInfo(size: header.storedSize, format: .rgba8, profile: header.profile)
        if header.colorModel == .gray { info.format = .gray8 }
        if try ColorConverter(from: info) == nil { return [] }
        guard case .icc(let profile) = header.profile, profile.count <= largest else { return nil }
        return segment(profile)
    }

    /// An ICC profile as the one APP2 segment that it fits in (ICC.1:2010, B.4).
    private static func segment(_ profile: [UInt8]) -> [UInt8] {
        let length = 2 + 12 + 2 + profile.count
        return [0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 255)] + "ICC_PROFILE".utf8 + [0, 1, 1] + profile
    }
}
