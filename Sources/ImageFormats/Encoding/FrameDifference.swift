internal import Raster

/// Finds the changes between consecutive frames of an animation. Both must have the same size and pixel format.
enum FrameDifference {
    /// The smallest rectangle that contains all differing pixels; nil if there are none.
    static func region(_ before: Bitmap, _ after: Bitmap) -> PixelRect? {
        switch before.format {
        case .gray8: region(before, after, as: Gray8.self)
        case .gray16: region(before, after, as: Gray16.self)
        case .rgba8: region(before, after, as: RGBA8.self)
        case .rgba16: region(before, after, as: RGBA16.self)
        }
    }

    private static func region<P: Pixel>(_ before: Bitmap, _ after: Bitmap, as type: P.Type) -> PixelRect? {
        var (left, right, top, bottom) = (before.width, -1, -1, -1)
        for y in 0..<before.height {
            let old = before.rows.row(y, as: type)
            let new = after.rows.row(y, as: type)
            var first = 0
            while first < old.count, old[first] == new[first] { first += 1 }
            guard first < old.count else { continue }
            var last = old.count - 1
            while old[last] == new[last] { last -= 1 }
            (left, right) = (min(left, first), max(right, last))
            if top < 0 { top = y }
            bottom = y
        }
        guard top >= 0 else { return nil }
        return PixelRect(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
    }

    /// The differing pixels in `region`, with the others transparent, for drawing over the previous frame.
    ///
    /// Nil if all pixels differ, if a differing pixel isn't opaque, or if the format has no alpha.
    static func changes(_ before: Bitmap, _ after: Bitmap, in region: PixelRect) throws(ImageError) -> Bitmap? {
        switch after.format {
        case .gray8, .gray16: return nil
        case .rgba8:
            return try changes(before, after, region, transparent: RGBA8(0, 0, 0, 0)) { $0.alpha == 255 }
        case .rgba16:
            return try changes(before, after, region, transparent: RGBA16(0, 0, 0, 0)) { $0.alpha == 65535 }
        }
    }

    @inline(__always)
    private static func changes<P: Pixel>(
        _ before: Bitmap, _ after: Bitmap, _ region: PixelRect, transparent: P, isOpaque: (P) -> Bool
    ) throws(ImageError) -> Bitmap? {
        var info = after.info
        info.size = region.size
        info.alpha = .straight
        var result = try MutableBitmap(uninitialized: info)
        var rows = result.mutableRows
        var leavesAny = false
        for y in 0..<region.height {
            let old = before.rows.row(region.y + y, as: P.self)
            let new = after.rows.row(region.y + y, as: P.self)
            var row = rows.row(y, as: P.self)
            for x in 0..<region.width {
                let pixel = new[region.x + x]
                if pixel == old[region.x + x] {
                    leavesAny = true
                    row[x] = transparent
                } else {
                    guard isOpaque(pixel) else { return nil }
                    row[x] = pixel
                }
            }
        }
        return leavesAny ? result.freeze() : nil
    }
}
