import Foundation
import ImageEffects
import ImageFormats
import ImageFormatsTestSupport
import ImageLoading
import ImageLoadingTestSupport
import ImageViews
import Raster
import TestSupport
import Testing

/// A drawing of 40 × 20 asked for at 400 wide is drawn there, whichever way it is asked for.
@MainActor @Suite("Sizes of drawings in views")
struct DrawingSizeTests {
    nonisolated private static let oracle = CommandLineTool("rsvg-convert")
    nonisolated private static let drawing = Data(
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="40" height="20">
        <rect width="40" height="20" fill="#fff"/><circle cx="12" cy="10" r="8" fill="#c00"/>
        <path d="M22 18 L38 2 L38 18 Z" fill="none" stroke="#036" stroke-width="0.5"/></svg>
        """.utf8)

    /// A way to ask for it.
    enum Way: String, CaseIterable, Sendable {
        case thumbnail, thumbnailInPoints, resizeProcessor, resizeByHeight, composition, effectsProcessor
        case thumbnailAndEffects, applying, applyingWhenDecoded, croppedTwice, plannedBitmap, effectView
        case effectViewOfFile, effectViewAtTwice, effectViewCentred, largerCachedImage
    }

    private func image(_ way: Way, _ folder: TemporaryFolder) async throws -> Image? {
        let fixture = EffectFixture()
        // The fixture's own waits for a script.
        let pipeline = ImagePipeline()
        func load(
            _ processors: [any ImageProcessing] = [], thumbnail: ImageRequest.ThumbnailOptions? = nil,
            scale: Double = 1, options: ImageRequest.Options = []
        ) async throws -> Image {
            var request = ImageRequest(
                url: URL(fileURLWithPath: folder.file("drawing.svg")), processors: processors, options: options)
            request.thumbnail = thumbnail
            request.scale = scale
            return try await pipeline.image(for: request)
        }
        let deferred = try ImageSource.image([UInt8](Self.drawing))
        let view = fixture.view()
        view.contentMode = .aspectFit
        view.size = ViewSize(width: 400, height: 400)
        switch way {
        case .thumbnail: return try await load(thumbnail: .init(maxPixelSize: 400))
        case .thumbnailInPoints: return try await load(thumbnail: .init(width: 200, height: 200), scale: 2)
        case .resizeProcessor: return try await load([.resize(width: 400)])
        case .resizeByHeight: return try await load([.resize(height: 200, unit: .pixels)])
        case .composition: return try await load([.composition([.resize(width: 400), .resize(width: 500)])])
        case .effectsProcessor: return try await load([.effects(.scaleToFit(width: 400, height: 400))])
        case .thumbnailAndEffects:
            return try await load([.effects(.opacity(1))], thumbnail: .init(maxPixelSize: 400))
        case .applying: return try deferred.applying(.scaleToFit(width: 400, height: 400))
        case .applyingWhenDecoded:
            _ = try deferred.bitmap()
            return try deferred.applying(.scale(width: 400, height: 200))
        case .croppedTwice:
            return try deferred.applying(
                .crop(x: 0, y: 0, width: 40, height: 20), .cropAndScale(width: 400, height: 400), .opacity(1))
        case .plannedBitmap:
            return Image(try deferred.bitmap(for: DecodingPlan(targetSize: PixelSize(width: 400, height: 200))))
        case .effectView:
            view.image = deferred
        case .effectViewOfFile:
            view.setImage(contentsOfFile: folder.file("drawing.svg"))
        case .effectViewAtTwice:
            view.scale = 2
            view.size = ViewSize(width: 200, height: 200)
            view.image = deferred
        case .effectViewCentred:
            view.scale = 10
            view.contentMode = .center
            view.image = deferred
        case .largerCachedImage:
            _ = try await load()
            return try await load(thumbnail: .init(maxPixelSize: 400), options: .usesLargerCachedImages)
        }
        return view.processedImage
    }

    @Test("A drawing's size is librsvg's", .needs(oracle), arguments: Way.allCases) func isDrawnAsLibrsvgDrawsIt(
        _ way: Way
    ) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write([UInt8](Self.drawing), to: "drawing.svg")
        let target = folder.file("oracle.png")
        // Waiting for a process takes the main thread, which isn't the test's to block.
        let isDrawn = try await Task.detached { try Self.oracle.run(["-w", "400", "-h", "200", "-o", target, file]) }
            .value
        #expect(isDrawn)
        let oracle = try ImageSource.decode(folder.read("oracle.png")).bitmap.converted(
            to: .rgba8, alpha: AlphaMode.none)
        let image = try #require(try await image(way, folder))
        let bitmap = try image.bitmap().converted(to: .rgba8, alpha: AlphaMode.none)
        try #require(bitmap.size == oracle.size)
        // One step of eight bits.
        #expect(try #require(bitmap.largestDifference(from: oracle)) <= 257)
    }

    @Test("Images made of pixels are not enlarged")
    func whatHasPixelsIsNotMadeLarger() async throws {
        let pipeline = ImagePipeline()
        let folder = try TemporaryFolder()
        let file = try folder.write([UInt8](TestPicture.file(.png, TestPicture.bitmap(40, 20))), to: "a.png")
        for processors in [[.resize(width: 400)], []] as [[any ImageProcessing]] {
            var request = ImageRequest(url: URL(fileURLWithPath: file), processors: processors)
            if processors.isEmpty { request.thumbnail = .init(maxPixelSize: 400) }
            #expect(try await pipeline.image(for: request).size == PixelSize(width: 40, height: 20))
        }
    }
}
