import ImageFormatsTestSupport
import ImagePyramid
import Raster
import Testing

@Suite("A snapshot of the tiles so far")
struct TileSnapshotTests {
    private let size = PixelSize(width: 700, height: 900)

    private func upright(_ snapshot: TileSnapshot) throws -> Bitmap {
        try snapshot.image.bitmap()
    }

    @Test("A complete image's snapshot is the requested part", arguments: Orientation.allCases)
    func whole(orientation: Orientation) throws {
        let stored = try Bitmap.pattern(size.width, size.height, alpha: .none)
        let store = try RawTileStore.filled(with: stored, orientation: orientation)
        let levels = try stored.oriented(by: orientation).halves(count: 3)
        for (level, rect) in [
            (0, PixelRect(x: 250, y: 3, width: 270, height: 600)), (1, PixelRect(x: 0, y: 0, width: 1, height: 1)),
            (2, PixelRect(levels[2].size)),
        ] {
            let snapshot = try store.snapshot(of: rect, level: level)
            #expect(snapshot.missing.isEmpty && snapshot.image.size == rect.size)
            #expect(snapshot.image.orientation == orientation && !snapshot.image.hasAlpha)
            #expect(try upright(snapshot).tightBytes() == levels[level].cropped(to: rect).tightBytes())
        }
    }

    @Test("Missing tiles are reported, and transparent")
    func missing() throws {
        let picture = try Bitmap.pattern(size.width, size.height, alpha: .none)
        let store = try RawTileStore(size: size)
        let writer = try RawTileWriter(store, rows: picture.info)
        try writer.write(picture, rows: 0..<512)
        writer.finish(because: ImageError(.truncated, "no more"))
        let snapshot = try store.snapshot(of: PixelRect(x: 200, y: 500, width: 100, height: 300), level: 0)
        #expect(
            Set(snapshot.missing) == [
                PixelRect(x: 0, y: 12, width: 56, height: 256), PixelRect(x: 56, y: 12, width: 44, height: 256),
                PixelRect(x: 0, y: 268, width: 56, height: 32), PixelRect(x: 56, y: 268, width: 44, height: 32),
            ])
        let pixels = try snapshot.image.bitmap()
        #expect(pixels.alpha == .premultiplied)
        #expect(pixels.rows.row(11, as: RGBA8.self)[4] == picture.rows.row(511, as: RGBA8.self)[204])
        #expect(pixels.rows.row(12, as: RGBA8.self)[4] == RGBA8(0, 0, 0, 0))
    }

    @Test("An overview grows with the rows, from any level", arguments: Orientation.allCases)
    func overview(orientation: Orientation) throws {
        let stored = try Bitmap.smooth(PixelSize(width: 1500, height: 2100))
        let store = try RawTileStore(size: orientation.applied(to: stored.size), orientation: orientation)
        let empty = try store.overview(maxSide: 100)
        #expect(empty.missing.count == 1 && empty.image.size == store.geometry.size.fitted(within: .square(100)))
        let writer = try RawTileWriter(store, rows: stored.info)
        try writer.write(stored, rows: 0..<1290)
        writer.waitForTiles()
        let level = try stored.oriented(by: orientation).halves(count: 4)[3]
        let half = try store.overview(maxSide: 263)
        let picture = try upright(half)
        #expect(picture.size == level.size)
        var (seen, blank) = (0, 0)
        for y in 0..<picture.height {
            for x in 0..<picture.width {
                let (pixel, expected) = (
                    picture.rows.row(y, as: RGBA8.self)[x], level.rows.row(y, as: RGBA8.self)[x]
                )
                guard pixel.alpha > 0 else {
                    blank += 1
                    continue
                }
                seen += 1
                // Rounding once in each level, or once in all.
                guard abs(Int(pixel.red) - Int(expected.red)) <= 2, abs(Int(pixel.green) - Int(expected.green)) <= 2
                else {
                    Issue.record("(\(x), \(y)) is \(pixel), not \(expected)")
                    return
                }
            }
        }
        #expect(blank > 0 && seen > 0)
        let missing = half.missing.reduce(0) { $0 + $1.width * $1.height }
        #expect(missing == blank)
        // Whole rows of 256 of the 1290.
        #expect(Double(seen) / Double(seen + blank) > (1290.0 - 256) / 2100 - 0.01)
        try writer.write(stored, rows: 1290..<2100)
        try writer.finish()
        let whole = try store.overview(maxSide: 263)
        #expect(whole.missing.isEmpty)
        #expect(try upright(whole).tightBytes() == level.tightBytes())
    }

    @Test("Parts of no level are refused")
    func refusals() throws {
        let store = try RawTileStore(size: size)
        for (rect, level) in [
            (PixelRect(x: 0, y: 0, width: 701, height: 1), 0), (PixelRect(x: 0, y: 0, width: 1, height: 1), 3),
            (PixelRect(x: 0, y: 0, width: 0, height: 1), 0), (PixelRect(x: 0, y: 0, width: 1, height: 1), -1),
        ] {
            #expect { try store.snapshot(of: rect, level: level) } throws: {
                ($0 as? ImageError)?.code == .invalidParameter
            }
        }
        #expect { try store.overview(maxSide: 0) } throws: { ($0 as? ImageError)?.code == .invalidParameter }
    }
}

extension PixelSize {
    fileprivate static func square(_ side: Int) -> PixelSize { PixelSize(width: side, height: side) }
}

extension Bitmap {
    /// Colours that change slowly from place to place.
    fileprivate static func smooth(_ size: PixelSize) throws -> Bitmap {
        var bitmap = try MutableBitmap(BitmapInfo(size: size, format: .rgba8))
        var rows = bitmap.mutableRows
        for y in 0..<size.height {
            var row = rows.row(y, as: RGBA8.self)
            for x in 0..<size.width {
                row[x] = RGBA8(UInt8(x * 255 / size.width), UInt8(y * 255 / size.height), 7)
            }
        }
        return bitmap.freeze()
    }
}
