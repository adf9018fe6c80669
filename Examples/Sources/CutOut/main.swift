// CutOut FILE: draws a disc with a soft edge, writes it as PNG and as JPNG, and compares the sizes.

import Foundation
import ImageFormats
import Tessera

guard CommandLine.arguments.count == 2 else {
    print("CutOut FILE.jpng")
    exit(64)
}
do {
    let size = PixelSize(width: 640, height: 640)
    var canvas = try MutableBitmap(BitmapInfo(size: size, format: .rgba8, alpha: .straight))
    var rows = canvas.mutableRows
    for y in 0..<rows.count {
        var row = rows.row(y, as: RGBA8.self)
        for x in row.indices {
            let (dx, dy) = (Double(x) - 320, Double(y) - 320)
            let edge = (300 - (dx * dx + dy * dy).squareRoot()) / 40
            let grain = UInt8(truncatingIfNeeded: (x &* 7919 ^ y &* 104_729) >> 3 & 15)
            row[x] = RGBA8(
                UInt8(x / 3) + grain, UInt8(y / 3) + grain, 160 + grain, UInt8(max(0, min(1, edge)) * 255))
        }
    }
    let bitmap = canvas.freeze()

    let png = try ImageDestination(format: .png).encode(bitmap)
    let jpng = try ImageDestination(format: .jpng, options: EncodingOptions(quality: 0.8)).encode(bitmap)
    print("PNG \(png.count) bytes, JPNG \(jpng.count) bytes")

    let file = try AtomicFile(path: CommandLine.arguments[1], overwrites: true)
    try file.write(jpng)
    try file.commit()

    // Size and transparency are known at once; the pixels are decoded when they are asked for.
    let image = try ImageSource.image(jpng)
    print(image.size, "alpha:", image.hasAlpha, "decoded:", image.isDecoded)
    let pixels = try image.bitmap()
    print(pixels.format, pixels.alpha, "decoded:", image.isDecoded)
} catch {
    print(error)
    exit(1)
}
