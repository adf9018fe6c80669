import Foundation
import ImageFormats
import ImageFormatsTestSupport
import Raster
import TestSupport

import ImageServer

/// A folder of pictures, and the service that serves it.
struct Gallery {
    let folder: TemporaryFolder
    let service: ImageService
    let photo: Bitmap
    let cutout: Bitmap

    init(_ change: (inout ImageServerConfiguration) -> Void = { _ in }) throws {
        folder = try TemporaryFolder()
        photo = try Bitmap.grainy(PixelSize(width: 600, height: 400))
        cutout = try Bitmap.pattern(90, 70)
        try FileManager.default.createDirectory(atPath: folder.file("a b"), withIntermediateDirectories: true)
        try Self.write(photo, .png, to: folder.file("photo.png"))
        try Self.write(photo, .jpeg, to: folder.file("a b/große Übersicht.jpg"))
        try Self.write(cutout, .png, to: folder.file("cutout.png"))
        try Self.write(cutout, .jpng, to: folder.file("cutout.jpng"))
        try Data("no picture".utf8).write(to: URL(fileURLWithPath: folder.file("broken.png")))
        var configuration = ImageServerConfiguration(folders: [folder.path])
        // A rendering may wait long for a thread when all tests run at once.
        configuration.renderTimeout = .seconds(600)
        change(&configuration)
        service = try ImageService(configuration)
    }

    static func write(_ bitmap: Bitmap, _ format: ImageFormat, to path: String) throws {
        let bytes = try ImageDestination(format: format, options: EncodingOptions(quality: 0.95)).encode(bitmap)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    /// The answer, the folder being there until it is known.
    func respond(to request: ServiceRequest) async -> ServiceResponse {
        defer { withExtendedLifetime(folder) {} }
        return await service.respond(to: request)
    }

    func get(_ target: String) async -> ServiceResponse { await respond(to: ServiceRequest(.get, target)) }

    func picture(_ target: String) async throws -> Bitmap {
        let response = await get(target)
        guard case .bytes(let bytes) = response.body, response.status == 200 else {
            throw RequestFailure(response.status, response.text)
        }
        return try ImageSource.decode(bytes.array).bitmap
    }
}

extension ServiceResponse {
    /// The body as text.
    var text: String {
        guard case .bytes(let bytes) = body else { return "" }
        return String(decoding: bytes.array, as: UTF8.self)
    }
}
