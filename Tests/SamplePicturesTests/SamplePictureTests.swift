import Raster
import SamplePictures
import Testing

@Suite("Sample images")
struct SamplePictureTests {
    /// A checksum of the pixels (FNV-1a).
    private func checksum(_ bitmap: Bitmap) -> UInt64 {
        bitmap.tightBytes().reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    @Test(
        "A sample image has the same pixels on every machine",
        arguments: [
            (SamplePicture.fruit, UInt64(0x8fdd_7d2b_95d5_1684)), (.feather, 0x91726c55_f56bb98e),
            (.flame, 0x5c7c67d8_3a3b2687),
            (.valley, 0x397b5202_eb76acf6), (.cutout, 0x1251c8e8_d767fcaa),
        ])
    func isTheSameEverywhere(picture: SamplePicture, expected: UInt64) throws {
        let bitmap = try picture.makeBitmap(size: PixelSize(width: 96, height: 64))
        #expect(checksum(bitmap) == expected)
    }

    @Test("A sample image has the alpha that it declares", arguments: SamplePicture.allCases)
    func hasTheAlphaThatItSays(picture: SamplePicture) throws {
        let bitmap = try picture.makeBitmap(size: PixelSize(width: 240, height: 160))
        var counts = [Int](repeating: 0, count: 256)
        for y in 0..<bitmap.height {
            let row = bitmap.rows.row(y, as: RGBA8.self)
            for x in row.indices { counts[Int(row[x].alpha)] += 1 }
        }
        if picture.info.alpha.hasAlpha {
            // A cut-out: much of it clear, much of it not, and many steps between.
            #expect(counts[0] > 240 * 160 / 12)
            #expect(counts[0] < 240 * 160 * 9 / 10)
            #expect(counts.count { $0 > 0 } > 60)
        } else {
            #expect(counts[255] == 240 * 160)
        }
    }

    @Test("Rows don't depend on how many are read at a time", arguments: SamplePicture.allCases)
    func rowsDoNotDependOnHowManyAreRead(picture: SamplePicture) throws {
        let size = PixelSize(width: 61, height: 47)
        let whole = try picture.makeBitmap(size: size)
        let source = try picture.makeRowSource(size: size)
        var strip = try MutableBitmap(BitmapInfo(size: PixelSize(width: 61, height: 3), format: .rgba8))
        var next = 0
        while true {
            var rows = strip.mutableRows
            let count = try source.read(into: &rows)
            if count == 0 { break }
            for y in 0..<count {
                let same = (0..<61).allSatisfy { x in
                    strip.rows.row(y, as: RGBA8.self)[x] == whole.rows.row(next + y, as: RGBA8.self)[x]
                }
                #expect(same)
            }
            next += count
        }
        #expect(next == 47)
    }

    @Test("A sample image can be drawn at any size", arguments: SamplePicture.allCases)
    func anySizeWorks(picture: SamplePicture) throws {
        for (width, height) in [(1, 1), (2, 300), (300, 2), (5, 7), (37, 111)] {
            let size = PixelSize(width: width, height: height)
            #expect(try picture.makeBitmap(size: size).size == size)
        }
    }

    @Test("An empty size is refused", arguments: SamplePicture.allCases)
    func anEmptySizeIsRefused(picture: SamplePicture) {
        let error = #expect(throws: ImageError.self) {
            try picture.makeBitmap(size: PixelSize(width: 0, height: 5))
        }
        #expect(error?.code == .invalidParameter)
    }

    @Test(
        "A sample image that needs all its pixels in memory has a size limit",
        arguments: [SamplePicture.feather, .flame])
    func whatIsHeldWholeHasALimit(picture: SamplePicture) {
        let error = #expect(throws: ImageError.self) {
            try picture.makeRowSource(size: PixelSize(width: 1 << 20, height: 1 << 20))
        }
        #expect(error?.code == .limitExceeded)
    }
}
