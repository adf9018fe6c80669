import ImageFormats
import ImageFormatsTestSupport
import Raster
import SamplePictures
import Testing
import TestSupport

/// Pictures made to fit: into so many pixels, into so many bytes, and with a small one inside.
@Suite("Writing images of a limited size")
struct ImageDestinationSizeTests {
    private func picture(_ width: Int = 400, _ height: Int = 300) throws -> Bitmap {
        // Grain keeps a JPEG's size up, so that quality has something to save.
        var generator = SeededGenerator(7)
        var bitmap = try MutableBitmap(BitmapInfo(size: PixelSize(width: width, height: height), format: .rgba8))
        bitmap.withMutableRows(0..<height) { rows in
            for y in 0..<height {
                var row = rows.row(y, as: RGBA8.self)
                for x in 0..<width {
                    let grain = UInt8.random(in: 0...40, using: &generator)
                    row[x] = RGBA8(UInt8(x % 200) + grain, UInt8(y % 200) + grain, 90 + grain)
                }
            }
        }
        return bitmap.freeze()
    }

    @Test(
        "The longer side is limited",
        arguments: [(100, 100, 75), (150, 150, 113), (400, 400, 300), (5000, 400, 300), (1, 1, 1)])
    func theLongerSideIsReduced(maximum: Int, width: Int, height: Int) throws {
        let picture = try picture()
        let destination = try ImageDestination(format: .png, options: EncodingOptions(maximumPixelSize: maximum))
        let size = PixelSize(width: width, height: height)
        let expected = try picture.resampled(to: size)
        let streamed = ByteBuffer()
        try destination.encode(picture.makeRowSource(), to: streamed)
        for bytes in [try destination.encode(picture), streamed.bytes] {
            #expect(try ImageSource.decode(bytes).bitmap.tightBytes() == expected.tightBytes())
        }
    }

    @Test("The quality is searched for a file size", arguments: [5_000, 12_000, 30_000])
    func qualityIsSearchedForASize(maximum: Int) throws {
        let picture = try picture()
        let limited = try ImageDestination(
            format: .jpeg, options: EncodingOptions(quality: 0.95, maximumByteCount: maximum))
        let bytes = try limited.encode(picture)
        #expect(bytes.count <= maximum)
        #expect(try ImageSource.header(of: bytes).size == picture.size)
        let streamed = ByteBuffer()
        try limited.encode(picture.makeRowSource(), to: streamed)
        #expect(streamed.bytes == bytes)
        // It is the file of one of the hundredths, and that of the next one is too long.
        let files = try (0...95).map {
            try ImageDestination(format: .jpeg, options: EncodingOptions(quality: Double($0) / 100)).encode(picture)
        }
        let quality = try #require(files.lastIndex(of: bytes))
        #expect(files[quality + 1].count > maximum)
    }

    @Test("A file below the limit keeps its quality")
    func aFileThatIsShortEnoughKeepsItsQuality() throws {
        let picture = try picture()
        let plain = try ImageDestination(format: .jpeg, options: EncodingOptions(quality: 0.777)).encode(picture)
        let options = EncodingOptions(quality: 0.777, maximumByteCount: plain.count)
        #expect(try ImageDestination(format: .jpeg, options: options).encode(picture) == plain)
    }

    @Test("A file size that can't be reached is an error")
    func aSizeThatCantBeReachedIsAnError() throws {
        let picture = try picture()
        for (format, words) in [(ImageFormat.jpeg, "lowest quality"), (.png, "without loss")] {
            let destination = try ImageDestination(format: format, options: EncodingOptions(maximumByteCount: 600))
            let buffer = ByteBuffer()
            let error = #expect(throws: ImageError.self) { try destination.encode(picture, to: buffer) }
            #expect(error?.code == .limitExceeded)
            #expect(error?.message.contains(words) ?? false)
            #expect(error?.message.contains("600") ?? false)
            #expect(buffer.bytes.isEmpty)
        }
        // Fewer pixels make it possible.
        let options = EncodingOptions(maximumPixelSize: 8, maximumByteCount: 1_000)
        #expect(try ImageDestination(format: .jpeg, options: options).encode(picture).count <= 1_000)
    }

    @Test("A thumbnail is embedded", arguments: [ImageFormat.jpeg, .png])
    func aThumbnailIsEmbedded(format: ImageFormat) throws {
        let picture = try picture()
        let options = EncodingOptions(
            embeddedThumbnailSize: 160, metadata: ImageMetadata(orientation: .right, resolution: nil))
        let bytes = try ImageDestination(format: format, options: options).encode(picture)
        let metadata = try ImageSource.header(of: bytes).metadata
        #expect(metadata.orientation == .right)
        let thumbnail = try ImageSource.decode(try #require(metadata.embeddedThumbnail))
        #expect(thumbnail.error == nil && thumbnail.header.format == .jpeg)
        // Stored as the picture is: lying down.
        #expect(thumbnail.bitmap.size == PixelSize(width: 160, height: 120))
        let small = try picture.resampled(to: thumbnail.bitmap.size).converted(to: .rgba8, alpha: AlphaMode.none)
        let differences = zip(small.tightBytes(), thumbnail.bitmap.tightBytes()).map { abs(Int($0) - Int($1)) }
        #expect(differences.reduce(0, +) / differences.count < 6)
    }

    @Test("A new thumbnail replaces the old one")
    func aNewThumbnailTakesTheOldOnesPlace() throws {
        let (first, second) = (try picture(200, 100), try picture(100, 200))
        let options = EncodingOptions(embeddedThumbnailSize: 64)
        let old = try ImageSource.header(of: ImageDestination(format: .jpeg, options: options).encode(first)).metadata
        var again = options
        again.metadata = old
        let new = try ImageSource.header(of: ImageDestination(format: .jpeg, options: again).encode(second)).metadata
        let (before, after) = (try #require(old.embeddedThumbnail), try #require(new.embeddedThumbnail))
        #expect(try ImageSource.header(of: after).size == PixelSize(width: 32, height: 64))
        // Nothing is left of what was replaced.
        let end = before.suffix(40)
        #expect(!(try #require(new.exif)).windows(ofCount: 40).contains { $0.elementsEqual(end) })
    }

    @Test("A thumbnail never pushes EXIF beyond its segment")
    func aThumbnailNeverPushesEXIFOutOfItsSegment() throws {
        // As large as the picture, which doesn't fit in 64 KiB as it is, beside 50,000 bytes of other EXIF.
        let picture = try picture(1200, 900)
        let block: [UInt8] =
            [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0]
            + [UInt8](repeating: 0x55, count: 50_000)
        for size in [300, 1200] {
            let options = EncodingOptions(
                embeddedThumbnailSize: size, metadata: ImageMetadata(orientation: .down, exif: block))
            let bytes = try ImageDestination(format: .jpeg, options: options).encode(picture)
            let metadata = try ImageSource.header(of: bytes).metadata
            #expect(metadata.orientation == .down)
            #expect((metadata.exif?.count ?? 0) >= block.count)
            #expect((metadata.embeddedThumbnail != nil) == (size == 300))
        }
    }

    @Test("Files without a thumbnail have none")
    func thumbnailsThatArentThereAreNotFound() throws {
        let bytes = try ImageDestination(format: .jpeg, options: EncodingOptions(embeddedThumbnailSize: 20))
            .encode(picture(40, 30))
        let exif = try #require(try ImageSource.header(of: bytes).metadata.exif)
        #expect(ImageMetadata(exif: exif).embeddedThumbnail != nil)
        // Cut short anywhere, and with any one byte of the directories wrong: an answer, never a trap.
        for count in 0..<exif.count { #expect(ImageMetadata(exif: Array(exif.prefix(count))).embeddedThumbnail == nil) }
        for index in 0..<80 {
            for value in [0, 1, 0x7F, 0xFF] as [UInt8] {
                var damaged = exif
                damaged[index] = value
                let options = EncodingOptions(
                    embeddedThumbnailSize: 8, metadata: ImageMetadata(orientation: .left, exif: damaged))
                _ = ImageMetadata(exif: damaged).embeddedThumbnail
                #expect(throws: Never.self) {
                    try ImageDestination(format: .jpeg, options: options).encode(Bitmap.pattern(9, 7))
                }
            }
        }
    }
}

extension Array {
    /// Every run of `count` elements.
    fileprivate func windows(ofCount count: Int) -> [ArraySlice<Element>] {
        self.count < count ? [] : (0...(self.count - count)).map { self[$0..<($0 + count)] }
    }
}
