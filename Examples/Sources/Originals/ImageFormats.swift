// Nuke's guide to image formats: its declarations by code that needs all of them, its samples as they are printed.
import Foundation
import TesseraCompatibility

// MARK: The protocols

/// A decoder with the guide's signatures.
struct DotDecoder: ImageDecoding {
    func decode(_ data: Data) -> ImageContainer? {
        guard data.starts(with: Array("DOT".utf8)), let image = try? drawing(width: data.count, height: 1) else {
            return nil
        }
        return ImageContainer(image: image, data: data, userInfo: ["byteCount": data.count])
    }

    func decodePartiallyDownloadedData(_ data: Data) -> ImageContainer? { nil }
}

/// A decoder that is registered by its type, with the default for previews.
final class LineDecoder: ImageDecoderRegistering {
    private let userInfo: [ImageRequest.UserInfoKey: any Sendable]

    init?(data: Data, context: ImageDecodingContext) {
        guard data.starts(with: Array("LINE".utf8)) else { return nil }
        userInfo = context.request.userInfo
    }

    func decode(_ data: Data) -> ImageContainer? {
        guard let width = userInfo["width"] as? Int else { return nil }
        return (try? drawing(width: width, height: 1)).map { ImageContainer(image: $0) }
    }
}

/// An encoder with the guide's signature.
struct DotEncoder: ImageEncoding {
    func encode(image: PlatformImage) -> Data? { Data("DOT".utf8) }
}

extension ImageDecoders {
    /// The decoder that the guide leaves to the reader.
    struct SVG: ImageDecoding {
        func decode(_ data: Data) -> ImageContainer? { PlatformImage(data: data).map { ImageContainer(image: $0) } }
    }
}

enum ImageFormatsDocument {
    // MARK: The structures

    static func container(_ container: ImageContainer) -> Bool {
        let image: PlatformImage = container.image
        let data: Data? = container.data
        let userInfo = container.userInfo
        return data?.count == image.size.width && userInfo["byteCount"] as? Int == data?.count
    }

    static func context(_ context: ImageDecodingContext) {
        let request: ImageRequest = context.request
        let data: Data = context.data
        let url: URL? = context.urlResponse?.url
        print("ImageFormats:", request, data.count, "bytes from", url?.lastPathComponent ?? "nowhere")
    }

    static func type(_ data: Data) -> ImageType? { ImageType(data) }

    // MARK: Registering decoders

    static func register() -> [RegistrationToken] {
        let registry = ImageDecoderRegistry()
        registry.register(ImageDecoders.Default.self)
        let type = ImageDecoderRegistry.shared.register(LineDecoder.self)
        let closure = ImageDecoderRegistry.shared.register { (context: ImageDecodingContext) in
            let isSVG = context.urlResponse?.url?.absoluteString.hasSuffix(".svg") ?? false
            return isSVG ? ImageDecoders.SVG() : nil
        }
        return [type, closure]
    }

    static func registerDots() -> RegistrationToken {
        ImageDecoderRegistry.shared.register { context in
            guard context.data.starts(with: Array("DOT".utf8)) else { return nil }
            self.context(context)
            return DotDecoder()
        }
    }

    // MARK: Progressive decoding

    static func progressivePipeline() -> ImagePipeline {
        let pipeline = ImagePipeline {
            $0.isProgressiveDecodingEnabled = true

            $0.isStoringPreviewsInMemoryCache = true
            $0.imageDecodingQueue.maxConcurrentOperationCount = 2
            $0.dataCacheOptions.storedItems = [.finalImage]
        }
        return pipeline
    }

    @MainActor
    static func progressiveDecoding(_ url: URL, finished: @escaping @MainActor (UIImageView) -> Void) -> ImageTask {
        let imageView = UIImageView()
        let task = ImagePipeline.shared.loadImage(
            with: url,
            progress: { response, _, _ in
                if let response = response {
                    imageView.image = response.image
                }
            },
            completion: { result in
                imageView.image = try? result.get().image
                finished(imageView)
            }
        )
        return task
    }

    // MARK: Encoding

    static func encode(_ given: UIImage) -> Data? {
        let image: UIImage
        image = given
        let encoder = ImageEncoders.ImageIO(type: .heif, compressionRatio: 0.8)
        let data = encoder.encode(image: image)
        return data
    }

    static func preferHEIF(_ image: UIImage) -> Data? {
        ImageEncoders.Default.isHEIFPreferred = true
        defer { ImageEncoders.Default.isHEIFPreferred = false }
        return ImageEncoders.Default().encode(image: image)
    }

    // MARK: Running them

    @MainActor
    static func run(_ disc: UIImage, in folder: String) async throws {
        let tokens = register() + [registerDots()]
        defer { for token in tokens { ImageDecoderRegistry.shared.unregister(token) } }

        let dot = try write(Data("DOT.".utf8), to: folder + "/image.dot")
        expect(container(try await ImagePipeline.shared.response(for: ImageRequest(url: dot)).container))
        let line = ImageRequest(
            url: try write(Data("LINE".utf8), to: folder + "/image.line"),
            options: ImageRequestOptions(userInfo: ["width": 7]))
        expect(try await ImagePipeline.shared.image(for: line).size.width == 7)
        expect(DotEncoder().encode(image: disc) != nil)

        let png = try write(Data(try await disc.data(as: .png)), to: folder + "/disc.png")
        expect(type(try Data(contentsOf: png)) == .png)
        let view = await withCheckedContinuation { continuation in
            _ = progressiveDecoding(png) { continuation.resume(returning: $0) }
        }
        expect(view.image?.size == disc.size)
        expect(try await progressivePipeline().image(for: png).size == disc.size)
        print("ImageFormats: HEIF", encode(disc)?.count ?? 0, "bytes, preferred", preferHEIF(disc)?.count ?? 0)

        try await GIFSample.run(disc, in: folder)
        try await SVGSample.run(in: folder)
        print("ImageFormats: 4 protocols, 3 structures, 6 samples")
    }

    static func write(_ data: Data, to path: String) throws -> URL {
        let url = URL(fileURLWithPath: path)
        try data.write(to: url)
        return url
    }
}
