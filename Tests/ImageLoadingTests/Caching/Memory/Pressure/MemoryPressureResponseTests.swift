import ImageFormats
import ImageLoading
import ImageLoadingTestSupport
import Raster
import TestSupport
import Testing

/// One at a time: pressure takes decoded pixels from the whole process.
@Suite("Memory pressure", .serialized)
struct MemoryPressureResponseTests {
    private static func file() throws -> [UInt8] {
        try ImageDestination(format: .png).encode(ImageContainer.ofRows(4).image.bitmap())
    }

    @Test("Caches shrink under pressure")
    func aCacheMakesRoom() throws {
        let pressure = ManualMemoryPressure()
        let cache = ImageCache(costLimit: 1 << 20, memoryPressure: pressure)
        for index in 0..<10 { cache[.named("\(index)")] = try .ofRows(1) }
        let image = try ImageSource.image(Self.file())
        _ = try image.bitmap()
        pressure.tell(.warning)
        #expect(cache.statistics.count == 5)
        #expect(!image.isDecoded)
        pressure.tell(.critical)
        #expect(cache.statistics.count == 0)
        cache[.named("again")] = try .ofRows(1)
        #expect(cache.statistics.count == 1)
    }

    @Test("A decoded image costs its pixels")
    func aDecodedPictureCostsItsPixels() throws {
        let file = try Self.file()
        let image = try ImageSource.image(file)
        #expect(image.byteCount == file.count)
        _ = try image.bitmap()
        #expect(image.byteCount == file.count + 4 * 64)
        image.removeDecodedPixels()
        #expect(image.byteCount == file.count)
    }

    @Test("Named images are removed under pressure", arguments: [.warning, .critical] as [MemoryPressure])
    func namedImagesGo(_ level: MemoryPressure) throws {
        let folder = try TemporaryFolder()
        try folder.write(Self.file(), to: "star.png")
        let pressure = ManualMemoryPressure()
        let images = NamedImages(folders: [folder.path], memoryPressure: pressure)
        let image = try images.image(named: "star")
        #expect(image.isDecoded)
        #expect(images.count == 1)
        pressure.tell(level)
        #expect(images.count == 0)
        #expect(!image.isDecoded)
        #expect(try image.bitmap().height == 4)
    }
}
