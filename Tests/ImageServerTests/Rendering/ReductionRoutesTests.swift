import Foundation
import ImageEffects
import ImageFormats
import ImageLoading
import ImageLoadingTestSupport
import ImageServer
import Raster
import SamplePictures
import TestSupport
import Testing

/// However a file becomes small, by an image's own functions, the pipeline or the server, it is the same image.
@Suite("Every route to a small image gives the same")
struct ReductionRoutesTests {
    /// A picture's file, and the size to make it.
    struct Case: Sendable, CustomTestStringConvertible {
        var format: ImageFormat
        var size: PixelSize
        var orientation = Orientation.up
        var target: Int

        var testDescription: String { "\(format) \(size) \(orientation) to \(target)" }
    }

    static let cases = [
        // DCT scaling by 1/4 and by 1/2, none, and with means of pixels after an eighth.
        Case(format: .jpeg, size: PixelSize(width: 1003, height: 747), target: 120),
        Case(format: .jpeg, size: PixelSize(width: 1003, height: 747), target: 200),
        Case(format: .jpeg, size: PixelSize(width: 1003, height: 747), target: 333),
        Case(format: .jpeg, size: PixelSize(width: 1003, height: 747), target: 24),
        Case(format: .jpeg, size: PixelSize(width: 1003, height: 747), orientation: .right, target: 120),
        Case(format: .jpeg, size: PixelSize(width: 1003, height: 747), orientation: .down, target: 50),
        Case(format: .png, size: PixelSize(width: 803, height: 601), target: 77),
        Case(format: .jpng, size: PixelSize(width: 640, height: 480), target: 100),
    ]

    @Test("Reduced tiles agree by every route", arguments: cases)
    func agreement(test: Case) async throws {
        let folder = try TemporaryFolder()
        let sample: SamplePicture = test.format == .jpng ? .fruit : .valley
        let options = EncodingOptions(quality: 0.9, metadata: ImageMetadata(orientation: test.orientation))
        let bytes = try ImageDestination(format: test.format, options: options)
            .encode(sample.makeBitmap(size: test.size))
        let name = "picture.\(test.format.filenameExtensions[0])"
        let path = try folder.write(bytes, to: name)

        let header = try ImageSource.header(of: bytes)
        let size = header.size.fitted(within: PixelSize(width: test.target, height: test.target))
        let side = Double(test.target)
        func rows() throws -> ImageRowSource {
            try ImageRowSource(Source(path: path), plan: DecodingPlan(targetSize: size))
        }
        let wanted = try ResamplingRowSource(rows(), to: size).makeBitmap()

        var results: [String: Bitmap] = [:]
        let image = try Image(deferred: EncodedImage(bytes))
        results["applying"] = try image.applying(.scaleToFit(width: side, height: side)).bitmap()
        results["processor"] = try ImageProcessors.Resize(
            width: side, height: side, unit: .pixels, contentMode: .aspectFit
        ).process(image).bitmap()

        let pipeline = ImagePipeline { $0.imageCache = nil }
        var request = ImageRequest(url: URL(fileURLWithPath: path))
        request.thumbnail = .init(maxPixelSize: side)
        results["thumbnail"] = try await pipeline.image(for: request).bitmap()

        let service = try ImageService(ImageServerConfiguration(folders: [folder.path]))
        for (route, target) in [
            ("/image", "/image/\(name)?fit=\(test.target)x\(test.target)&format=png"),
            ("IIIF", "/iiif/3/\(name)/full/\(size.width),\(size.height)/0/default.png"),
            // When its tiles have been opened, too.
            ("a tile", "/iiif/3/\(name)/0,0,256,256/256,/0/default.png"),
            ("IIIF again", "/iiif/3/\(name)/full/\(size.width),\(size.height)/0/default.png"),
        ] {
            let response = await service.respond(to: ServiceRequest(.get, target))
            #expect(response.status == 200, "\(route): \(response.text)")
            guard route != "a tile", case .bytes(let body) = response.body else { continue }
            results[route] = try ImageSource.decode(body.array).bitmap
        }
        withExtendedLifetime(folder) {}

        let (reference, hasAlpha) = (try Self.pixels(wanted), wanted.alpha.hasAlpha)
        for (route, result) in results {
            #expect(result.size == size, "\(route)")
            let pixels = try Self.pixels(result)
            let largest = zip(pixels, reference).map { abs(Int($0) - Int($1)) }.max() ?? 0
            // Bytes that were premultiplied before are a step off, once more as straight ones.
            #expect(largest <= (hasAlpha ? 2 : 1), "\(route): \(largest)")
        }
    }

    @Test(
        "JPEGs of JPEGs are decoded at 1.4 times the size where their quality hides it, everything else at twice",
        arguments: [("jpeg", "0.8", 1.4), ("jpeg", "0.85", 1.4), ("jpeg", "0.9", 2), ("png", "0.8", 2)])
    func gap(format: String, quality: String, gap: Double) async throws {
        let folder = try TemporaryFolder()
        let bytes = try ImageDestination(format: .jpeg, options: EncodingOptions(quality: 0.9))
            .encode(SamplePicture.valley.makeBitmap(size: PixelSize(width: 1003, height: 747)))
        let path = try folder.write(bytes, to: "picture.jpg")
        let size = PixelSize(width: 333, height: 248)
        var plan = DecodingPlan(targetSize: size)
        plan.reducingGap = gap
        let rows = try ImageRowSource(Source(path: path), plan: plan)
        #expect(rows.info.size.width == (gap == 2 ? 1003 : 502))
        var options = EncodingOptions(quality: try #require(Double(quality)))
        options.png.compressionLevel = 2
        let wanted = try ImageDestination(format: format == "png" ? .png : .jpeg, options: options)
            .encode(ResamplingRowSource(rows, to: size).makeBitmap())

        let service = try ImageService(ImageServerConfiguration(folders: [folder.path]))
        let response = await service.respond(
            to: ServiceRequest(.get, "/image/picture.jpg?fit=333x333&format=\(format)&q=\(quality)"))
        #expect(response.status == 200)
        guard case .bytes(let body) = response.body else {
            Issue.record("no bytes")
            return
        }
        #expect(body.array == wanted)
        withExtendedLifetime(folder) {}
    }

    /// Premultiplied bytes, of whatever format.
    private static func pixels(_ bitmap: Bitmap) throws -> [UInt8] {
        try bitmap.converted(to: .rgba8, alpha: bitmap.alpha.hasAlpha ? .premultiplied : AlphaMode.none).tightBytes()
    }
}
