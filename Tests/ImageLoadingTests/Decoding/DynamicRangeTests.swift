import Foundation
import ImageFormats
import ImageLoading
import ImageLoadingTestSupport
import Raster
import Testing

@Suite("Dynamic range of loaded images")
struct DynamicRangeTests {
    private static let metadata = GainMapMetadata(.init(minimum: 0, maximum: 2), alternateHeadroom: 2)

    private static func data() throws -> Data {
        let base = try TestPicture.bitmap(96, 64)
        let map = try base.resampled(to: PixelSize(width: 24, height: 16)).converted(to: .gray8)
        let image = Image(base).withGainMap(GainMap(Image(map), metadata))
        return Data(try image.data(as: .jpeg, quality: 0.95))
    }

    private static func request(_ range: DynamicRange, thumbnail: Bool) -> ImageRequest {
        var request = ImageRequest(url: URL(string: "https://example.com/bright.jpg")!)
        request.decoding.dynamicRange = range
        if thumbnail { request.thumbnail = .init(maxPixelSize: 48) }
        return request
    }

    private static func decode(_ range: DynamicRange, thumbnail: Bool) throws -> Image {
        let decoder = ImageDecoders.Default(
            context: ImageDecodingContext(request: request(range, thumbnail: thumbnail), data: Data()))
        return try decoder.decode(data()).image
    }

    @Test("Thumbnails and images keep their map when asked", arguments: [false, true])
    func kept(thumbnail: Bool) throws {
        let image = try Self.decode(.asStored, thumbnail: thumbnail)
        let map = try #require(image.gainMap)
        #expect(image.size.width == (thumbnail ? 48 : 96) && map.metadata == Self.metadata)
        #expect(map.image.size.width == (thumbnail ? 12 : 24))
        #expect(try Self.decode(.standard, thumbnail: thumbnail).gainMap == nil)
    }

    @Test("A high range applies the map", arguments: [false, true])
    func applied(thumbnail: Bool) throws {
        let image = try Self.decode(.high(headroom: 4), thumbnail: thumbnail)
        #expect(image.info.profile.isHighDynamicRange && image.info.format == .rgba16 && image.gainMap == nil)
        #expect(image.size.width == (thumbnail ? 48 : 96) && image.format == .jpeg)
    }

    @Test("A base in high dynamic range is loaded as its standard rendition", arguments: [false, true])
    func highBase(thumbnail: Bool) throws {
        guard CodecRegistry.default.canEncode(.avif) else { return }
        let base = try TestPicture.bitmap(96, 64)
        let map = try base.resampled(to: PixelSize(width: 24, height: 16)).converted(to: .gray8)
        let high = try Image(base).withGainMap(GainMap(Image(map), Self.metadata))
            .rendered(for: .high(headroom: .infinity))
        var back = GainMap(Image(map), Self.metadata, alternateProfile: .sRGB)
        (back.metadata.baseHeadroom, back.metadata.alternateHeadroom) = (2, 0)
        back.metadata.usesBaseColorSpace = false
        let file = Data(try high.withGainMap(back).data(as: .avif, quality: 0.95))
        let standard = try Image(data: file).rendered(for: .standard).bitmap()
        let expected = thumbnail ? try standard.resampled(to: PixelSize(width: 48, height: 32)) : standard
        let request = Self.request(.standard, thumbnail: thumbnail)
        let loaded = try ImageDecoders.Default(context: ImageDecodingContext(request: request, data: Data()))
            .decode(file).image.bitmap()
        #expect(loaded.profile == .sRGB && loaded.size == expected.size)
        let (pixels, others) = (Self.colors(of: loaded), Self.colors(of: try expected.converted(to: .rgba8)))
        let differences = zip(pixels, others).map { abs($0 - $1) }
        #expect(differences.max()! <= 2 && differences.reduce(0, +) < differences.count)
    }

    private static func colors(of bitmap: Bitmap) -> [Int] {
        var colors: [Int] = []
        for y in 0..<bitmap.height {
            let row = bitmap.rows.row(y, as: RGBA8.self)
            for x in row.indices { colors += [Int(row[x].red), Int(row[x].green), Int(row[x].blue)] }
        }
        return colors
    }

    @Test("A map that can't be used leaves the image as it is")
    func damaged() throws {
        let data = try Self.data()
        let decoder = ImageDecoders.Default(
            context: ImageDecodingContext(request: Self.request(.high(headroom: 4), thumbnail: true), data: Data()))
        let container = try decoder.decode(data.prefix(data.count - 300))
        #expect(container.image.info.profile == .sRGB && container.image.size.width == 48)
    }

    @Test("Ranges have entries of their own in the cache")
    func keys() {
        let ranges: [DynamicRange] = [.standard, .asStored, .high(headroom: 2), .high(headroom: 4)]
        let keys = Set(
            ranges.map { ImagePipeline.shared.cache.makeImageCacheKey(for: Self.request($0, thumbnail: true)) })
        #expect(keys.count == ranges.count)
    }
}
