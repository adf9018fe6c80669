import ImageFormats
import Raster

extension ImageFormat {
    /// A format of the tests' own: a head of 20 bytes and a profile, then the rows of each pass as they are in memory.
    static let rows = ImageFormat(
        typeIdentifier: "test.rows", name: "Rows", mimeTypes: ["image/x-rows"], filenameExtensions: ["rows"])
}

/// The head of a file of rows.
///
/// "ROWS", width and height (two bytes each, little-endian), format, alpha, orientation, passes, flags, the row that
/// fails (255: none), the profile's length (two bytes), four bytes of nothing, the profile.
struct RowsHead {
    static let byteCount = 20

    var info: BitmapInfo
    var orientation = Orientation.up
    var passCount = 1
    /// Whether the first pass is opaque, and what follows it isn't.
    var restarts = false
    /// Whether the session says that it likes all bytes first.
    var prefersWholeInput = false
    /// The row of the last pass that can't be decoded.
    var failingRow: Int?

    var encoded: [UInt8] {
        var profile: [UInt8] = []
        if case .icc(let bytes) = info.profile { profile = bytes }
        let (width, height, length) = (info.size.width, info.size.height, profile.count)
        let alpha: UInt8 = info.alpha == .none ? 0 : info.alpha == .straight ? 1 : 2
        return Array("ROWS".utf8) + [
            UInt8(width & 255), UInt8(width >> 8), UInt8(height & 255), UInt8(height >> 8),
            UInt8(PixelFormat.allCases.firstIndex(of: info.format)!), alpha, orientation.rawValue, UInt8(passCount),
            (restarts ? 1 : 0) | (prefersWholeInput ? 2 : 0), UInt8(failingRow ?? 255), UInt8(length & 255),
            UInt8(length >> 8), 0, 0, 0, 0,
        ] + profile
    }

    init(_ info: BitmapInfo) { self.info = info }

    /// Reads a head; nil while bytes are missing.
    init?(_ bytes: [UInt8]) throws(ImageError) {
        guard bytes.count >= Self.byteCount else { return nil }
        let length = Int(bytes[14]) | Int(bytes[15]) << 8
        guard bytes.count >= Self.byteCount + length else { return nil }
        guard bytes[8] < 4, bytes[9] < 3, bytes[11] > 0, let orientation = Orientation(rawValue: bytes[10]) else {
            throw ImageError(.corrupt, "the head makes no sense", byteOffset: 8)
        }
        let alphas: [AlphaMode] = [.none, .straight, .premultiplied]
        let profile = Array(bytes[Self.byteCount..<(Self.byteCount + length)])
        info = BitmapInfo(
            size: PixelSize(width: Int(bytes[4]) | Int(bytes[5]) << 8, height: Int(bytes[6]) | Int(bytes[7]) << 8),
            format: PixelFormat.allCases[Int(bytes[8])], alpha: alphas[Int(bytes[9])],
            profile: profile.isEmpty ? .sRGB : .icc(profile))
        self.orientation = orientation
        passCount = Int(bytes[11])
        restarts = bytes[12] & 1 != 0
        prefersWholeInput = bytes[12] & 2 != 0
        failingRow = bytes[13] == 255 ? nil : Int(bytes[13])
    }

    /// A file whose passes hold `bitmaps`.
    func file(_ bitmaps: [Bitmap]) -> [UInt8] { encoded + bitmaps.flatMap { $0.tightBytes() } }
}
