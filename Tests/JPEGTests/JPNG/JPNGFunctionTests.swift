import ImageFormats
import JPNGContainer
import Raster
import SamplePictures
import Testing

@Suite("JPNG: functions of its own")
struct JPNGFunctionTests {
    typealias Fixture = JPNGFixture

    @Test("An image from data is decoded when its pixels are used")
    func aPictureFromDataIsDecodedWhenItsPixelsAreWanted() throws {
        let data = try Fixture.encode(Fixture.cutout(40, 20))
        let image = try Image(jpngData: data, scale: 2, orientation: .right)
        #expect(!image.isDecoded)
        #expect(image.hasAlpha)
        #expect(image.scale == 2)
        #expect(image.size == PixelSize(width: 20, height: 40))
        #expect(try image.storedBitmap().size == PixelSize(width: 40, height: 20))
        #expect(try image.bitmap().size == image.size)
        #expect(image.isDecoded)
    }

    @Test("Decoding can be forced")
    func decompressionCanBeForced() throws {
        let data = try Fixture.encode(Fixture.cutout(40, 20))
        #expect(try Image(jpngData: data, forcesDecompression: true).isDecoded)
    }

    @Test("A scale of zero means the display's")
    func aScaleOfZeroIsTheDisplays() throws {
        let data = try Fixture.encode(Fixture.cutout(40, 20))
        #expect(try Image(jpngData: data, scale: 0).scale == DisplayScale.current)
    }

    @Test("Data that isn't JPNG is refused")
    func whatIsNoJPNGIsRefused() throws {
        let jpeg = try Fixture.encode(Fixture.cutout(40, 20), .jpeg)
        for (data, code) in [
            (jpeg, ImageError.Code.unknownFormat), ([], .truncated),
            ([UInt8](repeating: 0, count: 100), .unknownFormat),
        ] {
            let error = #expect(throws: ImageError.self) { try Image(jpngData: data) }
            #expect(error?.code == code)
        }
        var damaged = try Fixture.encode(Fixture.cutout(40, 20))
        damaged[damaged.count - 13] = 0xFF
        #expect(throws: ImageError.self) { try Image(jpngData: damaged) }
    }

    @Test("An image is encoded to data", arguments: [1, 2])
    func aPictureGivesItsData(version: Int) throws {
        let bitmap = try Fixture.cutout(40, 20)
        let data = try Image(bitmap, orientation: .left).jpngData(quality: 0.9, version: version)
        let container = try Fixture.container(data)
        #expect(container.footer.majorVersion == version)
        // Turned as it is shown.
        let turned = try Image(jpngData: data)
        #expect(turned.size == PixelSize(width: 20, height: 40))
        if version == 1 {
            #expect(Fixture.alpha(try turned.bitmap()) == Fixture.alpha(try bitmap.oriented(by: .left)))
        }
        #expect(throws: ImageError.self) { try bitmap.jpngData(quality: 1.01) }
        #expect(throws: ImageError.self) { try bitmap.jpngData(version: 0) }
    }

    @Test("The type identifier is public")
    func theIdentifierIsPublic() {
        #expect(JPNGIdentifier == 0x4A50_4E47)
    }

    @Test("The smaller of two formats is chosen")
    func theSmallerOfTwoFormatsIsChosen() throws {
        let photograph = try JPNG.smallestData(of: Fixture.cutout(200, 150))
        #expect(photograph.format == .jpng)
        #expect(try Fixture.decode(photograph.bytes).header.format == .jpng)
        let flat = try JPNG.smallestData(of: Fixture.color(64, 64) { x, _ in RGBA8(200, 10, 10, x < 32 ? 255 : 0) })
        #expect(flat.format == .png)
        #expect(try Fixture.decode(flat.bytes).header.format == .png)
    }

    /// In a process of their own, since the settings hold for all of one.
    @Test("Automatic loading can be turned off")
    func automaticLoadingCanBeTurnedOff() async {
        await #expect(processExitsWith: .success) {
            let data = try JPNGFixture.encode(JPNGFixture.cutout(40, 20))
            precondition(JPNG.isLoadedAutomatically)
            let automatic = try ImageSource.decode(data)
            precondition(automatic.header.format == .jpng)

            JPNG.isLoadedAutomatically = false
            let plain = try ImageSource.decode(data)
            precondition(plain.header.format == .jpeg && !plain.bitmap.alpha.hasAlpha && plain.error == nil)
            let own = try Image(jpngData: data)
            precondition(own.hasAlpha)
            let written = try own.jpngData()
            precondition(JPNGContainer.isJPNG(written))

            JPNG.isLoadedAutomatically = true
            let again = try ImageSource.decode(data)
            precondition(again.header.format == .jpng)
        }
    }

    @Test("A setting forces every decoding")
    func decompressionCanAlwaysBeForced() async {
        await #expect(processExitsWith: .success) {
            let data = try JPNGFixture.encode(JPNGFixture.cutout(40, 20))
            precondition(!JPNG.alwaysForcesDecompression)
            JPNG.alwaysForcesDecompression = true
            let forced = try Image(jpngData: data)
            let loaded = try ImageSource.image(data)
            let deferred = try Image(jpngData: data, forcesDecompression: false)
            precondition(forced.isDecoded && loaded.isDecoded && !deferred.isDecoded)
        }
    }
}

extension JPNGContainer {
    fileprivate static func isJPNG(_ bytes: [UInt8]) -> Bool { (try? find(in: bytes.span.bytes)) != nil }
}
