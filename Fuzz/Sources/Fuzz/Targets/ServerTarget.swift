import ImageFormats
import ImageServer
import Raster

extension FuzzTarget {
    /// The service that answers, over pictures in a folder: the first line is what is asked for, those that follow are
    /// `Accept`, `If-None-Match`, `If-Modified-Since`, `Range` and `If-Range`. Nothing may be answered by 500.
    static let server = FuzzTarget(name: "server", seedExtensions: [], seeds: { Server.seeds }) { input in
        let lines = String(decoding: input, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        var request = ServiceRequest(.get, String(lines.first ?? ""))
        let fields = lines.dropFirst().map { $0.isEmpty ? nil : String($0) } + [String?](repeating: nil, count: 5)
        request.accept = fields[0]
        request.ifNoneMatch = fields[1]
        request.ifModifiedSince = fields[2]
        request.range = fields[3]
        request.ifRange = fields[4]
        let asked = request
        let response = Blocking.run { await Server.service.respond(to: asked) }
        precondition(200..<600 ~= response.status && response.status != 500, "\(response.status) for \(asked.target)")
        for (name, value) in response.fields {
            precondition(!"\(name)\(value)".utf8.contains { $0 < 0x20 || $0 == 0x7F }, "\(name): \(value)")
        }
        guard case .file(let file, let range) = response.body else { return }
        precondition(range.lowerBound >= 0 && range.upperBound <= file.byteCount)
    }
}

private enum Server {
    static let seeds =
        ServerAddress.seeds.map { Array($0.replacing("/p", with: "/photo.png").utf8) } + [
            Array("/iiif/3/photo.png/info.json\napplication/ld+json;q=0.5, */*\n\"a\", W/\"b\"".utf8),
            Array("/original/photo.jpg\n*/*\n\nSun, 06 Nov 1994 08:49:37 GMT\nbytes=10-99\n\"a\"".utf8),
            Array("/image/photo.jpg?w=20&format=auto\nimage/avif;q=0.1,image/webp,image/*;q=0.8".utf8),
            Array("/api/pictures?folder=&sort=name".utf8), Array("/jpng-part/photo.jpng/photo.jpg".utf8),
            Array("/".utf8), Array("/docs".utf8), Array("/healthz".utf8), Array("/view/photo.png".utf8),
        ]

    static let service: ImageService = {
        let info = BitmapInfo(size: PixelSize(width: 300, height: 200), format: .rgba8, alpha: .straight)
        guard let bitmap = try? Fixtures.gradient(info) else { fatalError("cannot make a picture") }
        for (name, codec) in [
            ("photo.png", PNGCodec()), ("photo.jpg", JPEGCodec()), ("photo.jpng", JPNGCodec()),
            ("photo.gif", GIFCodec()),
        ] as [(String, any ImageCodec)] {
            let wanted = codec.encodableInfo(for: info, options: EncodingOptions())
            let buffer = ByteBuffer()
            guard let fitting = try? Fixtures.gradient(wanted),
                (try? codec.encode(fitting, options: EncodingOptions(), output: buffer)) != nil
            else { continue }
            Scratch.write(buffer.bytes, to: name)
        }
        Scratch.write(Array("no picture".utf8), to: "broken.png")
        withExtendedLifetime(bitmap) {}
        var configuration = ImageServerConfiguration(folders: [Scratch.path("")])
        configuration.maximumOutputPixelCount = 1 << 16
        configuration.maximumOutputSide = 2048
        configuration.memoryCacheByteLimit = 1 << 20
        configuration.logsAccess = false
        do {
            return try ImageService(configuration)
        } catch {
            fatalError("\(error)")
        }
    }()
}
