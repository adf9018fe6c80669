// Texture FILE [DRAWN.png]: decodes a picture now rather than when it is first drawn, hands it to OpenGL as a texture, draws
// it over green, and checks what OpenGL made of it.

import COffscreen
import Foundation
import ImageFormats
import Tessera

let arguments = CommandLine.arguments.dropFirst()
guard let path = arguments.first, arguments.count <= 2 else {
    print("Texture FILE.jpng [DRAWN.png]")
    exit(64)
}
do {
    // Whatever has to be waited for is waited for here, where no frame is late because of it.
    let image = try ImageSource.image([UInt8](Data(contentsOf: URL(fileURLWithPath: path))), forcesDecompression: true)
    let texture = try image.textureBuffer(.rgba)

    if let problem = offscreen_open(Int32(texture.width), Int32(texture.height)) {
        print("no OpenGL here: \(String(cString: problem))")
        exit(1)
    }
    defer { offscreen_close() }
    let name = offscreen_texture(Int32(texture.width), Int32(texture.height), texture.bytes)
    var drawn = [UInt8](repeating: 0, count: texture.bytes.count)
    guard name != 0, offscreen_draw(name, 0, 1, 0),
        offscreen_read(Int32(texture.width), Int32(texture.height), &drawn)
    else {
        print("OpenGL takes no texture of \(texture.width) × \(texture.height)")
        exit(1)
    }

    // The same by the effect that puts a colour behind a picture.
    let expected = try image.applying([.flatten(on: RGBA8(0, 255, 0))]).bitmap()
        .converted(to: .rgba8, alpha: AlphaMode.none).tightBytes()
    let difference = zip(drawn, expected).map { abs(Int($0) - Int($1)) }.max() ?? 0
    print("\(texture.width) × \(texture.height), drawn by \(String(cString: offscreen_renderer()))")
    print("largest difference from Tessera's own: \(difference) of 255")
    guard difference <= 1 else { exit(1) }

    if arguments.count == 2, let output = arguments.last {
        var canvas = try MutableBitmap(
            BitmapInfo(
                size: PixelSize(width: texture.width, height: texture.height), format: .rgba8, alpha: AlphaMode.none))
        var rows = canvas.mutableRows
        for y in 0..<rows.count {
            var row = rows.row(y, as: RGBA8.self)
            for x in row.indices {
                let place = 4 * (y * texture.width + x)
                row[x] = RGBA8(drawn[place], drawn[place + 1], drawn[place + 2], drawn[place + 3])
            }
        }
        let file = try AtomicFile(path: output, overwrites: true)
        try file.write(ImageDestination(format: .png).encode(canvas.freeze()))
        try file.commit()
    }
} catch {
    print(error)
    exit(1)
}
