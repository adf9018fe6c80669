import Foundation
import Tessera

func makeWebImages(of path: String) async throws {
    let cover = try Image(path: path).applying(.smartCrop(width: 640, height: 480), .sharpen())
    try await cover.write(to: "cover.jpg", quality: 0.85)

    try await Pyramid.build(path, to: "tiles", as: .google)

    let scan = try await TiledImage(contentsOf: path)
    let part = PixelRect(x: 200, y: 100, width: 640, height: 480)
    let half = try await scan.region(part, size: PixelSize(width: 320, height: 240))
    try await Image(half).write(to: "part.png")
}
